/** Shows two values side by side: short ones in full, long ones as what differs with some text around it. */
import { visible } from "../print/text.js";
import { bothEndsOf, firstOf, lastOf, type Show } from "./fit.js";
import { type Written, writeValue } from "./value.js";

/** A value in three parts, ready to print. The middle one differs from that of the other value. */
export interface Excerpt {
  before: string;
  middle: string;
  after: string;
}

/** The most columns of a value, without quotes and ellipses, and the columns before and after the difference. */
const WIDTH = 90;
const AROUND = 15;

/** Both values of a field. An ellipsis marks text that was left out. */
export function excerpts(path: string, old: unknown, now: unknown): readonly [Excerpt, Excerpt] {
  const [left, right] = [writeValue(path, old), writeValue(path, now)];
  const isSubtle = looksLike(left.text, right.text);
  if (!isSubtle && isShortAndBare(left) && isShortAndBare(right)) return [whole(left.text), whole(right.text)];
  const [start, end] = common(left.text, right.text, !isSubtle);
  const [one, other] = [parts(left, start, end, isSubtle), parts(right, start, end, isSubtle)];
  const free = (WIDTH - Math.max(one.middle.length, other.middle.length)) / 2;
  return [excerpt(left, one, free), excerpt(right, other, free)];
}

/** The excerpt as one text. */
export function joined({ before, middle, after }: Excerpt): string {
  return before + middle + after;
}

function isShortAndBare({ text, quoted }: Written): boolean {
  return !quoted && text.length <= WIDTH;
}

function whole(text: string): Excerpt {
  return { before: "", middle: visible(text), after: "" };
}

/** The middle part is ready to print; the others are not yet escaped. */
function parts({ text, quoted }: Written, start: number, end: number, isSubtle: boolean): Excerpt {
  const show = showing(quoted);
  const showMiddle: Show = isSubtle ? (part) => escapeForeign(show(part)) : show;
  const middle = bothEndsOf(text.slice(start, text.length - end), WIDTH - 2 * AROUND, showMiddle);
  return { before: text.slice(0, start), middle, after: text.slice(text.length - end) };
}

function excerpt({ text, quoted }: Written, { before, middle, after }: Excerpt, free: number): Excerpt {
  const show = showing(quoted);
  const isShort = text.length <= WIDTH && (show(before) + middle + show(after)).length <= WIDTH;
  const around = isShort ? WIDTH : Math.max(AROUND, free);
  const quote = quoted ? '"' : "";
  return {
    before: quote + lastOf(before, around, show),
    middle,
    after: firstOf(after, around, show) + quote,
  };
}

function showing(quoted: boolean): Show {
  return quoted ? (text) => visible(JSON.stringify(text).slice(1, -1)) : visible;
}

/** Escapes everything but ASCII, to tell `é` as one character from `é` as two, and a no-break space from a space. */
function escapeForeign(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** With more accents on a character, a short excerpt might leave out the difference itself. */
const MOST_ACCENTS = 4;

/**
 * How many UTF-16 units two texts have in common at the beginning and at the end, without cutting a surrogate pair.
 * @param isWhole also do not cut a character from its accents.
 */
function common(left: string, right: string, isWhole: boolean): [start: number, end: number] {
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

/** Whether the unit at `index` belongs to the character before it. */
function isInside(text: string, index: number): boolean {
  return isSecondHalf(text, index) || /^\p{M}/u.test(text.slice(index, index + 2));
}

function isSecondHalf(text: string, index: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(index, index + 1));
}

/** Whether two texts look the same: compatible characters are equal, and invisible ones are ignored. */
function looksLike(left: string, right: string): boolean {
  return lookOf(left) === lookOf(right);
}

function lookOf(text: string): string {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}
