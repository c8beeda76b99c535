/** Finds what differs between two values, and marks it. */
import { element } from "./element.js";
import { textOf, visibleText } from "./text.js";

/**
 * The part of a value that differs from the other value, from `start` up to `end`; subtle when both look the same.
 * @typedef {{ start: number, end: number, isSubtle: boolean }} Part
 */

/** Browsers that have no segmenter mark the letters that differ. */
const words = "Segmenter" in Intl ? new Intl.Segmenter("en", { granularity: "word" }) : undefined;
/** Words with more letters than this are not whole. */
const LONGEST_WORD = 100;

/**
 * What differs in each value, without the beginning and end that both have in common. Words stay whole, and where both
 * values look the same, characters and accents.
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
  if (!isSubtle) {
    const [one, other] = [wordAt(left, start), wordAt(right, start)];
    const [last, otherLast] = [wordAt(left, left.length - tail), wordAt(right, right.length - tail)];
    start = Math.min(one.begin, other.begin);
    tail = Math.min(left.length - last.end, right.length - otherLast.end);
  }
  return [
    { start, end: left.length - tail, isSubtle },
    { start, end: right.length - tail, isSubtle },
  ];
}

/**
 * Where the word begins and ends that a place is inside of; the place itself where it is in none.
 * @param {string} text
 * @param {number} at
 */
function wordAt(text, at) {
  const from = Math.max(0, at - LONGEST_WORD);
  const to = Math.min(text.length, at + LONGEST_WORD);
  const word = words?.segment(text.slice(from, to)).containing(at - from);
  const begin = from + (word?.index ?? at - from);
  const end = begin + (word?.segment.length ?? 0);
  const isWhole = (begin > from || from === 0) && (end < to || to === text.length);
  return begin < at && isWhole ? { begin, end } : { begin: at, end: at };
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
