/** Compares two texts, for every form of a report. Runs in browsers, too. */

/**
 * The numbers of equal UTF-16 units at the beginning and at the end of two texts.
 * @param inside matches units that must not be separated from the character before them.
 */
export function commonEnds(left: string, right: string, inside: RegExp): [start: number, end: number] {
  const isInside = (text: string, at: number) => inside.test(text.slice(at, at + 2));
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  while (start > 0 && (isInside(left, start) || isInside(right, start))) start--;
  let end = 0;
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  while (end > 0 && (isInside(left, left.length - end) || isInside(right, right.length - end))) end--;
  return [start, end];
}

/** Normalizes a text so that texts which look the same are equal: joins compatible characters, removes invisible ones. */
export function lookOf(text: string): string {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
