/** A value in one line, or whole: however long, it is a window around what differs, which grows at a button. */
import { pieces } from "./difference.js";
import { element, number } from "./element.js";
import { cut, textOf } from "./text.js";

/** @import { Part } from "./difference.js" */

/** Characters of a line, and those of them before what differs. */
const [LINE, LEAD] = [64, 16];
/** Characters shown at first, and more of them at each press: even a million spaces must not hold up the page. */
const [WINDOW, STEP] = [2000, 20_000];
/** Characters that may be too many for the height of a value. */
const LONG = 200;

/**
 * One line of a value: whole when short, else what is around its part.
 * @param {string} side
 * @param {unknown} value
 * @param {Part} [part]
 */
export function excerpt(side, value, part) {
  const text = textOf(value);
  const start = part && text.length > LINE && part.end > LINE - LEAD ? part.start - LEAD : 0;
  const from = cut(text, start);
  const to = cut(text, from + LINE);
  const shown = element("bdi", { class: typeof value === "string" ? side : `${side} literal` });
  shown.append(from > 0 ? "…" : "", ...pieces(text, part, from, to, false), to < text.length ? "…" : "");
  return text === "" ? empty() : shown;
}

/**
 * @param {unknown} value
 * @param {Part} [part]
 */
export function wholeValue(value, part) {
  const text = textOf(value);
  if (text === "") return empty();
  const from = part && part.start > WINDOW / 2 ? cut(text, part.start - WINDOW / 10) : 0;
  const to = cut(text, from + WINDOW);
  return element(
    "div",
    {
      class: typeof value === "string" ? "value" : "value literal",
      dir: "auto",
      // What may have to be scrolled can be reached by keys.
      tabindex: text.length > LONG || text.includes("\n") ? 0 : undefined,
    },
    ...earlier(text, part, from),
    ...pieces(text, part, from, to, true),
    ...further(text, part, to),
  );
}

function empty() {
  return element("span", { class: "empty" }, "empty");
}

/**
 * A button for what stands before this place, unless nothing does.
 * @param {string} text
 * @param {Part | undefined} part
 * @param {number} from
 * @returns {Node[]}
 */
function earlier(text, part, from) {
  const start = cut(text, from - STEP);
  const grow = () => [...earlier(text, part, start), ...pieces(text, part, start, from, true)];
  return from === 0 ? [] : [moreButton(`${number(from)} earlier characters`, grow)];
}

/**
 * A button for what follows this place, unless nothing does.
 * @param {string} text
 * @param {Part | undefined} part
 * @param {number} to
 * @returns {Node[]}
 */
function further(text, part, to) {
  const end = cut(text, to + STEP);
  const grow = () => [...pieces(text, part, to, end, true), ...further(text, part, end)];
  return to === text.length ? [] : [moreButton(`${number(text.length - to)} further characters`, grow)];
}

/**
 * @param {string} label
 * @param {() => Node[]} grow what takes the button's place: text, and a button for the rest
 */
function moreButton(label, grow) {
  const button = element("button", { type: "button", class: "more" }, label);
  button.addEventListener("click", () => {
    const value = button.parentElement;
    const nodes = grow();
    button.replaceWith(...nodes);
    // The focus goes on to the next button, or to the value when it is whole.
    (nodes.find((node) => node instanceof HTMLButtonElement) ?? value)?.focus();
  });
  return button;
}
