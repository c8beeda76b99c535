/** What two texts have in common, for every form of a report. It runs in browsers, too. */

/**
 * How many UTF-16 units two texts have in common at the beginning and at the end.
 * @param inside matches what must not be cut from the character before it.
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

/** Equal for texts that look the same: compatible characters count as one, and invisible ones as nothing. */
export function lookOf(text: string): string {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
