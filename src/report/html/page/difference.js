/** Finds what differs between two values, and marks it. */
import { element } from "./element.js";
import { textOf, visibleText } from "./text.js";

/**
 * The part of a value that differs from the other value, from `start` up to `end`; subtle when both look the same.
 * @typedef {{ start: number, end: number, isSubtle: boolean }} Part
 */

/**
 * What differs in each value, without the beginning and end that both have in common. Characters and accents stay whole.
 * @param {unknown} old
 * @param {unknown} now
 * @returns {[old: Part, now: Part]}
 */
export function differences(old, now) {
  const [left, right] = [textOf(old), textOf(now)];
  const isSubtle = lookOf(left) === lookOf(right);
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start += 1;
  while (start > 0 && (isInside(left, start) || isInside(right, start))) start -= 1;
  let tail = 0;
  while (tail < most - start && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  while (tail > 0 && (isInside(left, left.length - tail) || isInside(right, right.length - tail))) tail -= 1;
  return [
    { start, end: left.length - tail, isSubtle },
    { start, end: right.length - tail, isSubtle },
  ];
}

/**
 * A part of a text, in which the difference is marked, unless it is the whole text.
 * @param {string} text
 * @param {Part | undefined} part
 * @param {number} from
 * @param {number} to
 * @param {boolean} lines whether line breaks stay
 * @returns {Node[]}
 */
export function pieces(text, part, from, to, lines) {
  const within = (/** @type {number} */ at) => Math.max(from, Math.min(to, at));
  const [start, end] = part ? [within(part.start), within(part.end)] : [to, to];
  const isAll = part?.start === 0 && part.end === text.length;
  const middle = visibleText(text.slice(start, end), { lines, ascii: part?.isSubtle ?? false });
  return [
    visibleText(text.slice(from, start), { lines }),
    start === end || isAll ? middle : element("mark", {}, middle),
    visibleText(text.slice(end, to), { lines }),
  ];
}

/**
 * Whether the unit here belongs to the character before it: the second half of a surrogate pair, or an accent.
 * @param {string} text
 * @param {number} at
 */
function isInside(text, at) {
  return /^[\uDC00-\uDFFF\p{M}]/u.test(text.slice(at, at + 2));
}

/**
 * How a text looks: compatible characters are equal, and invisible ones are left out.
 * @param {string} text
 */
function lookOf(text) {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
