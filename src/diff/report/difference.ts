/** Finds where two values differ, and cuts them around it, for every form of a report. Runs in browsers, too. */
import { bothEndsOf, firstOf, lastOf, type Show } from "../../core/print/fit.js";
import { visible } from "../../core/print/text.js";

/** A value as text, and whether reports quote it. */
export interface Written {
  text: string;
  quoted: boolean;
}

/** Numbers of equal UTF-16 units at the beginning and at the end of two values, and whether both look the same. */
export interface Difference {
  start: number;
  end: number;
  isSubtle: boolean;
}

/** A value in three parts, ready to print. The middle part differs from that of the other value. */
export interface Excerpt {
  before: string;
  middle: string;
  after: string;
}

/** Maximum columns of a value, without quotes and ellipses. */
export const WIDTH = 90;
/** Minimum columns before and after the difference. */
const AROUND = 15;
/** Maximum columns of the difference itself. */
const MIDDLE = WIDTH - 2 * AROUND;

/** Where two values differ: between words, or between characters if they look the same. */
export function differenceOf(left: Written, right: Written): Difference {
  const isSubtle = lookOf(left.text) === lookOf(right.text);
  const ends = commonEnds(left.text, right.text);
  return { ...(isSubtle ? ends : betweenSegments(left, right, ends)), isSubtle };
}

/** The excerpts of two values around their difference. An ellipsis marks omitted text. */
export function excerptsAround(
  left: Written,
  right: Written,
  difference = differenceOf(left, right),
): readonly [Excerpt, Excerpt] {
  const one = split(left, difference);
  const other = split(right, difference);
  const free = (WIDTH - Math.max(one.middle.length, other.middle.length)) / 2;
  return [cut(left, one, free), cut(right, other, free)];
}

/** Splits a value. The middle part is ready to print; the others are not escaped yet. */
function split({ text, quoted }: Written, { start, end, isSubtle }: Difference): Excerpt {
  const show = showing(quoted);
  const showMiddle: Show = isSubtle ? (part) => escapeForeign(show(part)) : show;
  const middle = bothEndsOf(text.slice(start, text.length - end), MIDDLE, showMiddle);
  return { before: text.slice(0, start), middle, after: text.slice(text.length - end) };
}

function cut({ text, quoted }: Written, { before, middle, after }: Excerpt, free: number): Excerpt {
  const show = showing(quoted);
  const isShort = text.length <= WIDTH && (show(before) + middle + show(after)).length <= WIDTH;
  const around = isShort ? WIDTH : Math.max(AROUND, free);
  const quote = quoted ? '"' : "";
  return { before: quote + lastOf(before, around, show), middle, after: firstOf(after, around, show) + quote };
}

function showing(quoted: boolean): Show {
  return quoted ? (text) => visible(JSON.stringify(text).slice(1, -1)) : visible;
}

/** Escapes everything but ASCII, to tell `é` as one character from `é` as two, and a no-break space from a space. */
function escapeForeign(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Normalizes a text so that texts which look the same are equal: joins compatible characters, removes invisible ones. */
function lookOf(text: string): string {
  return text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/** The second half of a surrogate pair. */
const SECOND_HALF = /^[\udc00-\udfff]/;

/** The equal ends of two texts, without half a surrogate pair. */
function commonEnds(left: string, right: string): { start: number; end: number } {
  const isInside = (text: string, at: number) => SECOND_HALF.test(text.slice(at, at + 1));
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  while (start > 0 && (isInside(left, start) || isInside(right, start))) start--;
  let end = 0;
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  while (end > 0 && (isInside(left, left.length - end) || isInside(right, right.length - end))) end--;
  return { start, end };
}

/** In browsers without a segmenter, words are cut. */
const SEGMENTERS =
  "Segmenter" in Intl
    ? (["word", "grapheme"] as const).map((granularity) => new Intl.Segmenter("en", { granularity }))
    : [];

/** The equal ends of two values, cut between words or, if a word is too long, between graphemes. */
function betweenSegments(left: Written, right: Written, ends: { start: number; end: number }) {
  for (const segmenter of SEGMENTERS) {
    const around = ({ text }: Written) => segmentAround(segmenter, text, ends.start, text.length - ends.end);
    const one = around(left);
    const other = around(right);
    const start = Math.min(one.start, other.start);
    const end = Math.min(one.end, other.end);
    const fits = ({ text, quoted }: Written) =>
      text.length - start - end <= MIDDLE && showing(quoted)(text.slice(start, text.length - end)).length <= MIDDLE;
    if (fits(left) && fits(right)) return { start, end };
  }
  return ends;
}

/** The numbers of units before and after `from` to `to`, extended so that no segment is cut. */
function segmentAround(segmenter: Intl.Segmenter, text: string, from: number, to: number) {
  const at = (place: number) => {
    // A longer segment could not be shown anyway.
    const first = Math.max(0, place - MIDDLE);
    const found = segmenter.segment(text.slice(first, place + MIDDLE)).containing(place - first);
    const begin = first + (found?.index ?? place - first);
    return begin === place ? ([place, place] as const) : ([begin, begin + (found?.segment.length ?? 0)] as const);
  };
  return { start: at(from)[0], end: text.length - at(to)[1] };
}
