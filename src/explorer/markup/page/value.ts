/** Shows a value in full. A long value is shown around its difference, with buttons for the rest. */
import { number } from "../../../core/print/numbers.js";
import { button, element } from "./element.js";
import { cut, textOf, visibleText } from "./text.js";

/** The part of a value that differs from another value, from `start` up to `end`; subtle when both look the same. */
interface Part {
  start: number;
  end: number;
  isSubtle: boolean;
}

/** Characters shown at first. */
const WINDOW = 2000;
/** Characters added by each press of a button. */
const STEP = 20_000;
/** Longer values may scroll. */
const LONG = 200;

/** A whole value, with buttons for more of a long one. */
export function wholeValue(value: unknown, part?: Part): HTMLElement {
  const text = textOf(value);
  if (text === "") return empty();
  const from = part && part.start > WINDOW / 2 ? cut(text, part.start - WINDOW / 10) : 0;
  const to = cut(text, from + WINDOW);
  return element(
    "div",
    {
      class: typeof value === "string" ? "value" : "value literal",
      dir: "auto",
      // Values that may scroll must be reachable by keyboard.
      tabindex: text.length > LONG || text.includes("\n") ? 0 : undefined,
    },
    ...earlier(text, part, from),
    ...pieces(text, part, from, to),
    ...further(text, part, to),
  );
}

/** The placeholder of a value without text. */
export function empty(word = "empty"): HTMLElement {
  return element("span", { class: "empty" }, word);
}

/** A slice of the text. The difference is marked, unless it is the whole text. */
function pieces(text: string, part: Part | undefined, from: number, to: number): Node[] {
  const within = (at: number) => Math.max(from, Math.min(to, at));
  const start = part ? within(part.start) : to;
  const end = part ? within(part.end) : to;
  const isAll = part?.start === 0 && part.end === text.length;
  const middle = visibleText(text.slice(start, end), { lines: true, ascii: part?.isSubtle ?? false });
  return [
    visibleText(text.slice(from, start), { lines: true }),
    start === end || isAll ? middle : element("mark", {}, middle),
    visibleText(text.slice(end, to), { lines: true }),
  ];
}

/** A button for the text before an offset, if any. */
function earlier(text: string, part: Part | undefined, from: number): Node[] {
  const start = cut(text, from - STEP);
  const grow = () => [...earlier(text, part, start), ...pieces(text, part, start, from)];
  return from === 0 ? [] : [moreButton(`${number(from)} earlier characters`, grow)];
}

/** A button for the text after an offset, if any. */
function further(text: string, part: Part | undefined, to: number): Node[] {
  const end = cut(text, to + STEP);
  const grow = () => [...pieces(text, part, to, end), ...further(text, part, end)];
  return to === text.length ? [] : [moreButton(`${number(text.length - to)} further characters`, grow)];
}

/** @param grow returns the nodes that replace the button: text, and a button for the rest. */
function moreButton(label: string, grow: () => Node[]): HTMLElement {
  const more = button(
    { class: "more" },
    () => {
      const value = more.parentElement;
      const nodes = grow();
      more.replaceWith(...nodes);
      // The focus moves to the next button, or to the value when all of it is shown.
      (nodes.find((node) => node instanceof HTMLButtonElement) ?? value)?.focus();
    },
    label,
  );
  return more;
}
