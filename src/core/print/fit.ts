/** Cuts text to a number of terminal columns, counted after escaping. */
import { characters } from "./text.js";

/** Escapes a part of a text for printing. Escaped parts joined must equal the escaped whole. */
export type Show = (text: string) => string;

/** Keeps the beginning of a text, in at most `max` columns. An ellipsis marks a cut. */
export function firstOf(text: string, max: number, show: Show): string {
  const end = fitting(text, max, show);
  return show(text.slice(0, end)) + (end < text.length ? "…" : "");
}

/** Keeps the end of a text, in at most `max` columns. An ellipsis marks a cut. */
export function lastOf(text: string, max: number, show: Show): string {
  const start = fittingFromEnd(text, max, show);
  return (start > 0 ? "…" : "") + show(text.slice(start));
}

/** Keeps both ends of a text, in at most `max` columns. An ellipsis marks a cut. */
export function bothEndsOf(text: string, max: number, show: Show): string {
  if (fitting(text, max, show) === text.length) return show(text);
  const end = fitting(text, max / 2, show);
  const start = fittingFromEnd(text, max / 2, show);
  return `${show(text.slice(0, end))}…${show(text.slice(start))}`;
}

/** Number of UTF-16 units from the beginning that fit into `max` columns. */
function fitting(text: string, max: number, show: Show): number {
  let end = 0;
  let width = 0;
  for (const character of characters(text)) {
    width += widthOf(character, show);
    if (width > max) break;
    end += character.length;
  }
  return end;
}

/** Index from which the rest of the text fits into `max` columns. */
function fittingFromEnd(text: string, max: number, show: Show): number {
  let start = text.length;
  let width = 0;
  // A character takes at least as many columns as it has units.
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
