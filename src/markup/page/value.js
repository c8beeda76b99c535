/** Shows a value in one line, or in full. A long value is shown around its difference, with buttons for the rest. */

import { pieces } from "./difference.js";
import { element, formatNumber } from "./element.js";
import { cut, textOf } from "./text.js";

/** @import { Part } from "./difference.js" */

/** Characters of a line, and how many of them are before the difference. */
const [LINE, LEAD] = [64, 16];
/** Characters that are shown at first, and how many more at each press of a button. */
const [WINDOW, STEP] = [2000, 20_000];
/** A value with more characters may be too high to show without scrolling. */
const LONG = 200;

/**
 * One line of a value: all of it when it is short, otherwise the text around the difference.
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
      // A value that may have to be scrolled must be reachable by keys.
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
 * A button for the text before this place, if there is any.
 * @param {string} text
 * @param {Part | undefined} part
 * @param {number} from
 * @returns {Node[]}
 */
function earlier(text, part, from) {
  const start = cut(text, from - STEP);
  const grow = () => [...earlier(text, part, start), ...pieces(text, part, start, from, true)];
  return from === 0 ? [] : [moreButton(`${formatNumber(from)} earlier characters`, grow)];
}

/**
 * A button for the text after this place, if there is any.
 * @param {string} text
 * @param {Part | undefined} part
 * @param {number} to
 * @returns {Node[]}
 */
function further(text, part, to) {
  const end = cut(text, to + STEP);
  const grow = () => [...pieces(text, part, to, end, true), ...further(text, part, end)];
  return to === text.length ? [] : [moreButton(`${formatNumber(text.length - to)} further characters`, grow)];
}

/**
 * @param {string} label
 * @param {() => Node[]} grow what replaces the button: text, and a button for the rest
 */
function moreButton(label, grow) {
  const button = element("button", { type: "button", class: "more" }, label);
  button.addEventListener("click", () => {
    const value = button.parentElement;
    const nodes = grow();
    button.replaceWith(...nodes);
    // The focus moves to the next button, or to the value when all of it is shown.
    (nodes.find((node) => node instanceof HTMLButtonElement) ?? value)?.focus();
  });
  return button;
}
