/** Cuts text to a number of columns, counted in its escaped form. */
import { characters } from "./text.js";

/** Escapes a piece of text for printing. Escaping pieces one by one must give the same as escaping the whole text. */
export type Show = (text: string) => string;

/** The beginning of a text, in at most `max` columns. An ellipsis marks a cut. */
export function firstOf(text: string, max: number, show: Show): string {
  const end = fitting(text, max, show);
  return show(text.slice(0, end)) + (end < text.length ? "…" : "");
}

/** The end of a text, in at most `max` columns. An ellipsis marks a cut. */
export function lastOf(text: string, max: number, show: Show): string {
  const start = fittingFromEnd(text, max, show);
  return (start > 0 ? "…" : "") + show(text.slice(start));
}

/** The whole text if it fits into `max` columns, otherwise half of them from each end. */
export function bothEndsOf(text: string, max: number, show: Show): string {
  if (fitting(text, max, show) === text.length) return show(text);
  const [end, start] = [fitting(text, max / 2, show), fittingFromEnd(text, max / 2, show)];
  return `${show(text.slice(0, end))}…${show(text.slice(start))}`;
}

/** How many UTF-16 units from the beginning fit into `max` columns. */
function fitting(text: string, max: number, show: Show): number {
  let [end, width] = [0, 0];
  for (const character of characters(text)) {
    width += widthOf(character, show);
    if (width > max) break;
    end += character.length;
  }
  return end;
}

/** The index of the first unit from which the rest of the text fits into `max` columns. */
function fittingFromEnd(text: string, max: number, show: Show): number {
  let [start, width] = [text.length, 0];
  // No character takes fewer columns than it has units.
  for (const character of [...characters(text.slice(-max))].reverse()) {
    width += widthOf(character, show);
    if (width > max) break;
    start -= character.length;
  }
  return start;
}

/** Characters that are never escaped. */
const PLAIN = /^[ !#-[\]-~]$/;

function widthOf(character: string, show: Show): number {
  return PLAIN.test(character) ? 1 : show(character).length;
}
