/** What the reader has to know besides the records, in words, and what can be done about it. */
import { ListingError } from "../../client/errors.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";

export interface Notice {
  readonly element: HTMLElement;
  /** @param actions by what their buttons say. */
  say(text: string, actions?: Readonly<Record<string, () => void>>, more?: More): void;
  clear(): void;
}

interface More {
  /** What whoever looks into it needs: a URL, digests. */
  details?: string | undefined;
  isAlarm?: boolean;
}

/** Nothing is said yet. It stays in the page, since what appears together with its text is not read aloud. */
export function createNotice(): Notice {
  const box = element("div", { class: "word", role: "status" });
  return {
    element: box,
    say(text, actions = {}, { details, isAlarm = false } = {}) {
      const buttons = Object.entries(actions).map(([label, act]) => {
        const button = element("button", { type: "button", class: "button" }, label);
        button.addEventListener("click", act);
        return button;
      });
      box.className = isAlarm ? "word alarm" : "word";
      box.replaceChildren(element("p", {}, visibleText(text)), ...buttons);
      if (details === undefined) return;
      const about = element("p", {}, visibleText(details));
      box.append(element("details", {}, element("summary", {}, "Details"), about));
    },
    clear() {
      box.className = "word";
      box.replaceChildren();
    },
  };
}

/** Why something could not be shown. */
export interface Trouble {
  /** One plain sentence. */
  text: string;
  details?: string;
  /** Whether bytes came that prove nothing, rather than none. */
  isUnproved: boolean;
}

const UNPROVED: readonly string[] = ["mismatch", "signature", "unproved", "malformed", "too-large", "redirect"];
const REFUSED = "What the host sent is refused, since it is not what was published.";
const NOT_SIGNED = "What the host sent is refused, since it is not signed with this key.";

/** What is wrong. What is shown stays. */
export function troubleOf(error: unknown): Trouble {
  if (!navigator.onLine) return { text: "You are offline. What is shown stays.", isUnproved: false };
  if (!(error instanceof ListingError))
    return { text: "Something went wrong.", details: String(error), isUnproved: false };
  const { code, message: details } = error;
  if (code === "network" || code === "timeout" || code === "busy")
    return { text: "The host does not answer now. What is shown stays.", details, isUnproved: false };
  if (code === "signature") return { text: NOT_SIGNED, details, isUnproved: true };
  // Who moves on each time it is read anew shows files that do not belong together.
  const isUnproved = code === "changed" || UNPROVED.includes(code);
  return { text: isUnproved ? REFUSED : "The host does not give what was asked for.", details, isUnproved };
}
