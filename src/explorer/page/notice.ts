/** What the reader has to know besides the records, in words, and what can be done about it. */
import { ListingError } from "../../client/errors.js";
import { element } from "../../markup/page/element.js";
import { visibleText } from "../../markup/page/text.js";

export interface Notice {
  readonly element: HTMLElement;
  /** @param actions by what their buttons say. */
  say(text: string, actions?: Readonly<Record<string, () => void>>, isAlarm?: boolean): void;
  clear(): void;
}

/** Nothing is said yet. It stays in the page, since what appears together with its text is not read aloud. */
export function createNotice(): Notice {
  const box = element("div", { class: "word", role: "status" });
  return {
    element: box,
    say(text, actions = {}, isAlarm = false) {
      const buttons = Object.entries(actions).map(([label, act]) => {
        const button = element("button", { type: "button", class: "button" }, label);
        button.addEventListener("click", act);
        return button;
      });
      box.className = isAlarm ? "word alarm" : "word";
      box.replaceChildren(element("p", {}, visibleText(text)), ...buttons);
    },
    clear() {
      box.className = "word";
      box.replaceChildren();
    },
  };
}

/** Why something could not be shown. */
export interface Trouble {
  text: string;
  /** Whether bytes came that prove nothing, rather than none. */
  isUnproved: boolean;
}

const UNPROVED: readonly string[] = ["mismatch", "signature", "unproved", "malformed", "too-large", "redirect"];

/** What is wrong, and that what is shown stays. */
export function troubleOf(error: unknown): Trouble {
  if (!navigator.onLine) return { text: "You are offline. What is shown stays.", isUnproved: false };
  if (!(error instanceof ListingError)) return { text: `Something went wrong: ${error}`, isUnproved: false };
  const { code, message } = error;
  if (code === "network" || code === "timeout" || code === "busy")
    return { text: `The host does not answer now. What is shown stays. ${message}`, isUnproved: false };
  return { text: message, isUnproved: UNPROVED.includes(code) };
}
