/** Where two texts begin to differ, and whether anybody would see it. */

/** Further back, the difference itself might be what a short excerpt leaves out. */
const MOST_ACCENTS = 4;

/**
 * Units that two texts have in common at the beginning and at the end; no pair of units is cut.
 * @param isWhole when a character is not to be cut from its accents either.
 */
export function common(left: string, right: string, isWhole: boolean): [start: number, end: number] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  if (start > 0 && (isSecondHalf(left, start) || isSecondHalf(right, start))) start--;
  let base = start;
  while (base > 0 && (isInside(left, base) || isInside(right, base))) base--;
  if (isWhole && start - base <= MOST_ACCENTS) start = base;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  while (end > 0 && isInside(left, left.length - end)) end--;
  return [start, end];
}

/** What stands at `index` belongs to what is before it. */
function isInside(text: string, index: number): boolean {
  return isSecondHalf(text, index) || /^\p{M}/u.test(text.slice(index, index + 2));
}

function isSecondHalf(text: string, index: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(index, index + 1));
}

/** True for texts that only their code tells apart: compatible forms are one, and what takes no space is nothing. */
export function looksLike(left: string, right: string): boolean {
  return lookOf(left) === lookOf(right);
}

function lookOf(text: string): string {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
