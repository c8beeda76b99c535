/** A whole value, however long: a window of it around what differs, which grows at a button. */
import { element, number } from "./element.js";
import { cut, textOf, visibleText } from "./text.js";

/** @import { Part } from "./text.js" */

/** Characters shown at first, and more of them at each press: even a million spaces must not hold up the page. */
const [WINDOW, STEP] = [2000, 20_000];

/**
 * @param {unknown} value
 * @param {Part} [part] what to mark, unless it is all
 */
export function wholeValue(value, part) {
  const text = textOf(value);
  const shown = element("div", { class: typeof value === "string" ? "value" : "value literal", dir: "auto" });
  if (text === "") {
    shown.append(element("span", { class: "empty" }, "empty"));
    return shown;
  }
  const marked = part && part.end - part.start < text.length ? part : { start: 0, end: 0 };
  const from = marked.start > WINDOW / 2 ? cut(text, marked.start - WINDOW / 10) : 0;
  const to = cut(text, from + WINDOW);
  shown.append(
    ...earlier(text, marked, from),
    ...pieces(text, marked, from, to),
    ...further(text, marked, to),
  );
  return shown;
}

/**
 * The text from one place up to another, with what is marked of it.
 * @param {string} text
 * @param {Part} marked
 * @param {number} from
 * @param {number} to
 * @returns {Node[]}
 */
function pieces(text, marked, from, to) {
  const within = (/** @type {number} */ at) => Math.max(from, Math.min(to, at));
  const [start, end] = [within(marked.start), within(marked.end)];
  const piece = (/** @type {number} */ a, /** @type {number} */ b) =>
    visibleText(text.slice(a, b), { lines: true });
  return [
    piece(from, start),
    ...(end > start ? [element("mark", {}, piece(start, end))] : []),
    piece(end, to),
  ];
}

/**
 * A button for what stands before this place, unless nothing does.
 * @param {string} text
 * @param {Part} marked
 * @param {number} from
 */
function earlier(text, marked, from) {
  const start = cut(text, from - STEP);
  const grow = () => [...earlier(text, marked, start), ...pieces(text, marked, start, from)];
  return from === 0 ? [] : [moreButton(`${number(from)} earlier characters`, grow)];
}

/**
 * A button for what follows this place, unless nothing does.
 * @param {string} text
 * @param {Part} marked
 * @param {number} to
 */
function further(text, marked, to) {
  const end = cut(text, to + STEP);
  const grow = () => [...pieces(text, marked, to, end), ...further(text, marked, end)];
  return to === text.length ? [] : [moreButton(`${number(text.length - to)} further characters`, grow)];
}

/**
 * @param {string} label
 * @param {() => Node[]} grow what takes the button's place: text, and a button for the rest
 */
function moreButton(label, grow) {
  const button = element("button", { type: "button", class: "more" }, label);
  button.addEventListener("click", () => {
    const shown = button.parentElement;
    const nodes = grow();
    button.replaceWith(...nodes);
    // The focus goes on to the next button, or to the value when it is whole.
    const next = nodes.find((node) => node instanceof HTMLButtonElement) ?? shown;
    if (next === shown) shown?.setAttribute("tabindex", "-1");
    if (next instanceof HTMLElement) next.focus();
  });
  return button;
}
