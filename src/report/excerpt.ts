/** Two values side by side: whole when short, else what differs with a little around it; always safe to print. */
import { visible } from "../print/text.js";
import { common, looksLike } from "./common.js";
import { bothEndsOf, firstOf, lastOf, type Show } from "./fit.js";
import { type Written, writeValue } from "./value.js";

/** A value in three parts, of which the middle one differs from the other value's. */
export interface Excerpt {
  before: string;
  middle: string;
  after: string;
}

/** Columns that a value takes at most, besides quotes and ellipses; and of them, what stands before and after. */
const WIDTH = 90;
const AROUND = 15;

/** Both values of a field. An ellipsis stands for what was left out. */
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

/** The middle is ready to print; what is around it is raw. */
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

/** So that `é` of one character is told from `é` of two, and a no-break space from a space. */
function escapeForeign(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
