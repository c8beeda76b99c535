/** Messages about errors and newer snapshots, with buttons. */
import { isListingError } from "../../client/errors.js";
import { type Host, readSnapshotFile, type SnapshotFile, snapshotOf } from "../../client/view.js";
import { button, element } from "../markup/page/element.js";
import { visibleText } from "../markup/page/text.js";

/** Makes an empty message. Its element stays in the page, since screen readers announce only changes of existing elements. */
export function createNotice() {
  const box = element("div", { class: "word panel", role: "status" });
  return {
    element: box,
    /** Shows a message. @param actions by button label. @param more.details technical details: a URL, digests. */
    say(
      text: string,
      actions: Readonly<Record<string, () => void>> = {},
      more: Pick<ErrorNotice, "details"> & { isAlarm?: boolean } = {},
    ): void {
      const { details, isAlarm = false } = more;
      const buttons = Object.entries(actions).map(([label, act]) => button({ class: "button" }, act, label));
      box.classList.toggle("alarm", isAlarm);
      box.replaceChildren(element("p", {}, visibleText(text)), ...buttons);
      if (details === undefined) return;
      const about = element("p", {}, visibleText(details));
      box.append(element("details", {}, element("summary", {}, "Details"), about));
    },
    clear(): void {
      box.classList.remove("alarm");
      box.replaceChildren();
    },
  };
}

/** Why something could not be shown. */
export interface ErrorNotice {
  /** A sentence for the user. */
  text: string;
  details?: string | undefined;
  /** Whether the host sent wrong data, rather than none. */
  isUnproved: boolean;
}

const UNPROVED: readonly string[] = ["mismatch", "unproved", "malformed", "redirect"];
const REFUSED = "The host sent data that was not published, so it is not shown.";

/** Describes an error for the user. */
export function describeError(error: unknown): ErrorNotice {
  if (!navigator.onLine) return { text: "You are offline. The page shows what was loaded before.", isUnproved: false };
  if (!isListingError(error)) return { text: "Something went wrong.", details: String(error), isUnproved: false };
  const { code, message: details } = error;
  if (code === "network" || code === "timeout" || code === "busy")
    return { text: "The host does not answer. The page shows what was loaded before.", details, isUnproved: false };
  if (code === "too-large") return { text: "A page is too large to read here.", details, isUnproved: false };
  if (code === "usage") return { text: "The published files do not answer this.", details, isUnproved: false };
  // A host that changes on every attempt serves inconsistent files.
  const isUnproved = code === "changed" || UNPROVED.includes(code);
  return { text: isUnproved ? REFUSED : "The host does not have the requested data.", details, isUnproved };
}

/** Interval of checks for a newer snapshot. */
const EVERY_MS = 60_000;

/**
 * Reports a newer snapshot of a host. Polls while the page is visible, and when it becomes visible again.
 * @param shownId the id of the shown snapshot; undefined while none is shown.
 * @param onAnswer called whenever the host answers.
 */
export function watchForNewer(host: Host, shownId: () => string | undefined, onAnswer: () => void): HTMLElement {
  const notice = createNotice();
  const checkForNewer = async () => {
    const shown = shownId();
    if (document.visibilityState !== "visible") return;
    const id = await currentId(host);
    if (id !== undefined) onAnswer();
    if (id === undefined || shown === undefined || shown !== shownId()) return;
    // The host may have switched back.
    if (id === shown) notice.clear();
    // Do not replace an existing notice, which may have the focus.
    else if (!notice.element.hasChildNodes())
      notice.say("A newer snapshot was published.", { "Show it": () => location.reload() });
  };
  setInterval(checkForNewer, EVERY_MS);
  addEventListener("online", checkForNewer);
  document.addEventListener("visibilitychange", checkForNewer);
  return notice.element;
}

/** Reads the host's current snapshot id; undefined if the host does not answer. */
async function currentId(host: Host): Promise<string | undefined> {
  try {
    const { bytes, url } = await readSnapshotFile<SnapshotFile>(host, undefined, {});
    return snapshotOf(bytes, url).id;
  } catch {
    return undefined;
  }
}
