/** Excerpts of two values for comparison: short ones in full, long ones cut to the difference and some text around it. */
import type { FieldChange } from "../diff/change.js";
import { bothEndsOf, firstOf, lastOf, type Show } from "../print/fit.js";
import { visible } from "../print/text.js";
import { commonEnds, lookOf } from "./difference.js";
import { type ContractChange, type Subject, type Written, writeValue } from "./model.js";

/** A value in three parts, ready to print. The middle part differs from that of the other value. */
export interface Excerpt {
  before: string;
  middle: string;
  after: string;
}

/** Maximum columns of a value, without quotes and ellipses, and minimum columns before and after the difference. */
const WIDTH = 90;
const AROUND = 15;
/** Maximum columns of the difference itself. */
const MIDDLE = WIDTH - 2 * AROUND;

/** The excerpts of both values of a field. An ellipsis marks omitted text. */
export function excerpts(
  { path, old, new: now }: FieldChange,
  { write }: Pick<Subject, "write">,
): readonly [Excerpt, Excerpt] {
  const [left, right] = [write(path, old), write(path, now)];
  const isSubtle = lookOf(left.text) === lookOf(right.text);
  if (!isSubtle && isShortAndBare(left) && isShortAndBare(right)) return [whole(left.text), whole(right.text)];
  const [start, end] = isSubtle ? commonEnds(left.text, right.text, SECOND_HALF) : commonSegments(left, right);
  const [one, other] = [parts(left, start, end, isSubtle), parts(right, start, end, isSubtle)];
  const free = (WIDTH - Math.max(one.middle.length, other.middle.length)) / 2;
  return [excerpt(left, one, free), excerpt(right, other, free)];
}

/** The excerpts of both values of a contract's keyword, as JSON; `nothing` if a contract does not have it. */
export function contractExcerpts(values: NonNullable<ContractChange["values"]>): readonly [Excerpt, Excerpt] {
  return excerpts({ path: "", ...values }, { write: (_path, value) => writeValue(value, true) });
}

/** The text of an excerpt. */
export function joined({ before, middle, after }: Excerpt): string {
  return before + middle + after;
}

function isShortAndBare({ text, quoted }: Written): boolean {
  return !quoted && text.length <= WIDTH;
}

function whole(text: string): Excerpt {
  return { before: "", middle: visible(text), after: "" };
}

/** Splits a value. The middle part is ready to print; the others are not escaped yet. */
function parts({ text, quoted }: Written, start: number, end: number, isSubtle: boolean): Excerpt {
  const show = showing(quoted);
  const showMiddle: Show = isSubtle ? (part) => escapeForeign(show(part)) : show;
  const middle = bothEndsOf(text.slice(start, text.length - end), MIDDLE, showMiddle);
  return { before: text.slice(0, start), middle, after: text.slice(text.length - end) };
}

function excerpt({ text, quoted }: Written, { before, middle, after }: Excerpt, free: number): Excerpt {
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

/** The second half of a surrogate pair. */
const SECOND_HALF = /^[\udc00-\udfff]/;

const WHOLE = (["word", "grapheme"] as const).map((granularity) => new Intl.Segmenter("en", { granularity }));

/** The equal ends of two values, cut between words or, if a word is too long, between graphemes. */
function commonSegments(left: Written, right: Written): [start: number, end: number] {
  const [start, end] = commonEnds(left.text, right.text, SECOND_HALF);
  for (const segmenter of WHOLE) {
    const around = ({ text }: Written) => segmentAround(segmenter, text, start, text.length - end);
    const [one, other] = [around(left), around(right)];
    const wide = [Math.min(one.start, other.start), Math.min(one.end, other.end)] as const;
    const fits = ({ text, quoted }: Written) =>
      text.length - wide[0] - wide[1] <= MIDDLE &&
      showing(quoted)(text.slice(wide[0], text.length - wide[1])).length <= MIDDLE;
    if (fits(left) && fits(right)) return [...wide];
  }
  return [start, end];
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
