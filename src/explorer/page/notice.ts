/** Messages beside the records: errors and newer snapshots, with buttons for what to do. */
import { ListingError } from "../../client/errors.js";
import { button, element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";

/** An empty message. Its element stays in the page, because screen readers do not read an element that appears with its text. */
export function createNotice() {
  const box = element("div", { class: "word", role: "status" });
  return {
    element: box,
    /** @param actions by the labels of their buttons. @param more.details technical details: a URL, digests. */
    say(
      text: string,
      actions: Readonly<Record<string, () => void>> = {},
      more: Pick<Trouble, "details"> & { isAlarm?: boolean } = {},
    ): void {
      const { details, isAlarm = false } = more;
      const buttons = Object.entries(actions).map(([label, act]) => button({ class: "button" }, act, label));
      box.className = isAlarm ? "word alarm" : "word";
      box.replaceChildren(element("p", {}, visibleText(text)), ...buttons);
      if (details === undefined) return;
      const about = element("p", {}, visibleText(details));
      box.append(element("details", {}, element("summary", {}, "Details"), about));
    },
    clear(): void {
      box.className = "word";
      box.replaceChildren();
    },
  };
}

/** Why something could not be shown. */
export interface Trouble {
  /** One plain sentence. */
  text: string;
  details?: string | undefined;
  /** Whether bytes came that prove nothing, rather than none. */
  isUnproved: boolean;
}

const UNPROVED: readonly string[] = ["mismatch", "signature", "unproved", "malformed", "too-large", "redirect"];
const REFUSED = "What the host sent is refused, since it is not what was published.";
const NOT_SIGNED = "What the host sent is refused, since it is not signed with this key.";

/** Describes an error to the reader. */
export function troubleOf(error: unknown): Trouble {
  if (!navigator.onLine) return { text: "You are offline. What is shown stays.", isUnproved: false };
  if (!(error instanceof ListingError))
    return { text: "Something went wrong.", details: String(error), isUnproved: false };
  const { code, message: details } = error;
  if (code === "network" || code === "timeout" || code === "busy")
    return { text: "The host does not answer now. What is shown stays.", details, isUnproved: false };
  if (code === "signature") return { text: NOT_SIGNED, details, isUnproved: true };
  // A host that changes at every attempt serves files that do not belong together.
  const isUnproved = code === "changed" || UNPROVED.includes(code);
  return { text: isUnproved ? REFUSED : "The host does not give what was asked for.", details, isUnproved };
}

/** Milliseconds. Most listings change a few times a day, and caches keep snapshot.json for about a minute. */
const EVERY_MS = 60_000;

/**
 * Says quietly that a newer snapshot was published. Asks while the page is seen, and when it is seen again.
 * @param shownId the snapshot that is shown; undefined while none is.
 * @param onAnswer called whenever the host answers.
 */
export function watchForNewer(base: URL, shownId: () => string | undefined, onAnswer: () => void): HTMLElement {
  const notice = createNotice();
  const look = async () => {
    const shown = shownId();
    if (document.visibilityState !== "visible") return;
    const id = await currentId(base);
    if (id !== undefined) onAnswer();
    if (id === undefined || shown === undefined || shown !== shownId()) return;
    // A host may go back to the release before.
    if (id === shown) notice.clear();
    // What has the focus is not replaced by its like.
    else if (!notice.element.hasChildNodes())
      notice.say("A newer snapshot was published.", { "Show it": () => location.reload() });
  };
  // A tab that comes back asks at once, however long it was away.
  setInterval(look, EVERY_MS);
  addEventListener("online", look);
  document.addEventListener("visibilitychange", look);
  return notice.element;
}

/** Undefined if the host does not answer: that is reported only when the reader asks for something. */
async function currentId(base: URL): Promise<string | undefined> {
  try {
    const response = await fetch(new URL("snapshot.json", base), { cache: "no-cache" });
    if (!response.ok) return undefined;
    const { id } = (await response.json()) as { id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
