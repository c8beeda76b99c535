/** Looks now and then whether a newer snapshot was published, and says so quietly. */
import { createNotice } from "./notice.js";

/** Milliseconds. Whoever publishes does it a few times a day, and caches keep snapshot.json for about as long. */
const EVERY_MS = 60_000;

/**
 * Asks while the page is seen, and when it is seen again. Gives what says so.
 * @param shownId the snapshot that is shown; undefined while none is.
 * @param onAnswer told whenever the host answers.
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

/** Undefined where that cannot be told now: whoever is offline reads on, and hears of it when something is asked for. */
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
