/** What of two values differs, and how it is marked. */
import { element } from "./element.js";
import { textOf, visibleText } from "./text.js";

/**
 * The part of a value that the other one has not, from `start` up to `end`; subtle where nobody would see it.
 * @typedef {{ start: number, end: number, isSubtle: boolean }} Part
 */

/**
 * What differs in either value, without what both begin and end with; never a part of a character, or of its accents.
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
 * A text from one place up to another, with what differs of it marked, unless that is all of it.
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
 * What stands here belongs to what is before it: the second half of a surrogate pair, or an accent.
 * @param {string} text
 * @param {number} at
 */
function isInside(text, at) {
  return /^[\uDC00-\uDFFF\p{M}]/u.test(text.slice(at, at + 2));
}

/**
 * The same for texts that only their code tells apart: compatible forms are one, and what takes no space is nothing.
 * @param {string} text
 */
function lookOf(text) {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
