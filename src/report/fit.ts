/** Text cut to a number of columns, counted as it is shown. */

/** How a piece of raw text is shown; pieces shown one by one are the whole text shown. */
export type Show = (text: string) => string;

/** As many characters from the beginning as take at most `max` columns when shown. */
export function firstOf(text: string, max: number, show: Show): string {
  const end = fitting(text, max, show);
  return show(text.slice(0, end)) + (end < text.length ? "…" : "");
}

/** The same from the end. */
export function lastOf(text: string, max: number, show: Show): string {
  const start = fittingFromEnd(text, max, show);
  return (start > 0 ? "…" : "") + show(text.slice(start));
}

/** The whole text, or a half of the columns from either end. */
export function bothEndsOf(text: string, max: number, show: Show): string {
  if (fitting(text, max, show) === text.length) return show(text);
  const [end, start] = [fitting(text, max / 2, show), fittingFromEnd(text, max / 2, show)];
  return `${show(text.slice(0, end))}…${show(text.slice(start))}`;
}

/** How many units from the beginning take at most `max` columns. */
function fitting(text: string, max: number, show: Show): number {
  let [end, width] = [0, 0];
  for (const character of text) {
    width += widthOf(character, show);
    if (width > max) break;
    end += character.length;
  }
  return end;
}

/** Where the units begin that take at most `max` columns before the end. */
function fittingFromEnd(text: string, max: number, show: Show): number {
  let [start, width] = [text.length, 0];
  // Nothing takes fewer columns than it has units.
  for (const character of [...text.slice(-max)].reverse()) {
    width += widthOf(character, show);
    if (width > max) break;
    start -= character.length;
  }
  return start;
}

/** Characters that are shown as they are, however the others are. */
const PLAIN = /^[ !#-[\]-~]$/;

function widthOf(character: string, show: Show): number {
  return PLAIN.test(character) ? 1 : show(character).length;
}
