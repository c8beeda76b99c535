/** What is the first to differ between a file as it is and as the records make it, in words. */
import { parseJson } from "../../contract/json.js";
import { LIST_DIGITS } from "../../contract/lookup.js";
import { showValue } from "../../print/text.js";
import { isSorted } from "../../release/layout.js";
import type { Finding } from "../verdict.js";

export type LookupDifference = Pick<Finding, "found" | "expected">;

/** What is expected of a file that Rollcall makes in one way only. */
export const UNVERIFIED = "what this version of Rollcall writes; what another version wrote is not verified";

/** Of a term or a value, in characters. */
const LONGEST_SHOWN = 60;
const NEWLINE = 0x0a;
/** What a line stands behind that is of all terms which begin with its own. */
const LAST = "\u{10ffff}";

/** @param found as far as it may be of use: what is larger than `made` has its beginning only. */
export function differenceOf(path: string, found: Buffer, made: Buffer): LookupDifference | undefined {
  if (found.equals(made)) return undefined;
  return (isSorted(path) ? undefined : findInValues(found, made)) ?? findInLines(path, found, made);
}

function findInLines(path: string, found: Buffer, made: Buffer): LookupDifference {
  const at = firstOther(found, made);
  const begin = made.subarray(0, at).lastIndexOf(NEWLINE) + 1;
  const line = countLines(made, begin) + 1;
  if (!isSorted(path)) return { found: `in line ${line}: ${excerpt(found, at)}`, expected: excerpt(made, at) };
  const [mine, theirs] = [made, found].map((bytes) => readLine(bytes, begin));
  if (!mine) return { found: `${theirs ? nameOf(theirs) : "more"} in line ${line}`, expected: "an end before it" };
  if (!theirs) return { found: `an end before line ${line}`, expected: nameOf(mine) };
  if (theirs.text === undefined)
    return { found: `in line ${line}: ${excerpt(found, at)}`, expected: excerpt(made, at) };
  const order = Buffer.compare(Buffer.from(placeOf(theirs)), Buffer.from(placeOf(mine)));
  if (order > 0) return { found: `${nameOf(theirs)} in line ${line}`, expected: `${nameOf(mine)} before it` };
  if (order < 0) return { found: `${nameOf(theirs)} in line ${line}`, expected: `none there, but ${nameOf(mine)}` };
  return inLists(line, theirs, mine);
}

interface Line {
  /** Undefined for what is no line. */
  text: string | undefined;
  term: string;
  mark: string;
  numbers: string;
}

const PARTS = /^([^\t]*)\t([*~=]*)([^\t]*)$/;

/** Undefined where the bytes end before it. */
function readLine(bytes: Buffer, begin: number): Line | undefined {
  if (begin >= bytes.length) return undefined;
  const end = bytes.indexOf(NEWLINE, begin);
  const text = bytes.toString("utf8", begin, end < 0 ? bytes.length : end);
  const [, term = "", mark = "", numbers = ""] = PARTS.exec(text) ?? [];
  return { text: end < 0 || !PARTS.test(text) ? undefined : text, term, mark, numbers };
}

function placeOf({ term, mark }: Line): string {
  const plain = plainOf(term);
  return mark.startsWith("*") || mark.startsWith("=") ? plain + LAST : plain;
}

/** A term as a line has it: as it is, or as JSON. */
function plainOf(term: string): string {
  if (!term.startsWith('"')) return term;
  try {
    return String(JSON.parse(term));
  } catch (error) {
    if (error instanceof SyntaxError) return term;
    throw error;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  "*": "all that begin with ",
  "=": "the same as one line before, all that begin with ",
  "~": "the only one that begins with ",
};

/** `"anna"`, or `all that begin with "an"`. */
function nameOf({ term, mark }: Line): string {
  return `${KINDS[mark] ?? ""}${showValue(plainOf(term), LONGEST_SHOWN)}`;
}

/** Two lines of one place: their marks differ, or their records. */
function inLists(line: number, theirs: Line, mine: Line): LookupDifference {
  const name = `${nameOf(theirs)} in line ${line}`;
  if (theirs.mark !== mine.mark) return { found: name, expected: nameOf(mine) };
  if (theirs.term !== mine.term)
    return { found: `${name}, in another form`, expected: showValue(mine.term, LONGEST_SHOWN) };
  const [ours, others] = [numbersOf(mine.numbers), numbersOf(theirs.numbers)];
  for (;;) {
    const [own, other] = [ours.next(), others.next()];
    if (own.value === other.value && !own.done) continue;
    if (own.value === other.value) break;
    const [found, expected] = [other, own].map(({ done, value }) => (done ? "no more records" : `record ${value}`));
    return { found: `${name}: ${found}`, expected: `${expected}` };
  }
  return {
    found: `${name}: ${showValue(theirs.numbers, LONGEST_SHOWN)}`,
    expected: showValue(mine.numbers, LONGEST_SHOWN),
  };
}

/** The numbers of a list, from 1 as people count records. What is no digit is 0. */
function* numbersOf(text: string): Generator<number> {
  let [number, last] = [0, 1];
  for (const digit of text) {
    const value = Math.max(0, LIST_DIGITS.indexOf(digit));
    number = number * 32 + (value & 31);
    if (value < 32) continue;
    last += number;
    number = 0;
    yield last;
  }
}

/** The first value that differs of two JSON documents; undefined where they have the same ones, or one is none. */
function findInValues(found: Buffer, made: Buffer): LookupDifference | undefined {
  const [theirs, mine] = [parseJson(String(found)), parseJson(String(made))];
  if ("why" in theirs || "why" in mine) return undefined;
  const place = findPlace(theirs.value, mine.value, []);
  if (!place) return { found: "another form", expected: "keys sorted, no white space, one final newline" };
  const [there, here] = place.values.map((value) => showValue(value, LONGEST_SHOWN));
  return { found: `${place.path.join(".")} ${there}`.trim(), expected: `${here}` };
}

interface Place {
  path: readonly string[];
  values: readonly [unknown, unknown];
}

/** Only as deep as the one that was made, however deep the other one is. */
function findPlace(theirs: unknown, mine: unknown, path: readonly string[]): Place | undefined {
  if (typeof mine !== "object" || mine === null || typeof theirs !== "object" || theirs === null)
    return Object.is(theirs, mine) ? undefined : { path, values: [theirs, mine] };
  if (Array.isArray(theirs) !== Array.isArray(mine)) return { path, values: [theirs, mine] };
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  for (const key of keys) {
    const [there, here] = [theirs, mine].map((value) =>
      Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    );
    const place = findPlace(there, here, [...path, key]);
    if (place) return place;
  }
  return undefined;
}

function firstOther(found: Buffer, made: Buffer): number {
  const most = Math.min(found.length, made.length);
  let at = 0;
  while (at < most && found[at] === made[at]) at++;
  return at;
}

function countLines(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** Some characters around a place. */
function excerpt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return "an end";
  return showValue(bytes.toString("utf8", Math.max(0, at - 20), at + 20), LONGEST_SHOWN);
}
