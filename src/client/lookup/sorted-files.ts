/** Sorted files, as contract/lookup.ts describes them: the numbers of the records that have a term. */
import { HIGHEST, LIST_DIGITS, MARKS } from "../../contract/lookup.js";
import { malformed } from "../errors.js";
import { readKept } from "../read-once.js";
import { FILE_BYTES, type SnapshotView } from "../snapshot.js";
import { compareBytes, encode, textOf } from "../utf8.js";

const SORTED = "terms and lists in order";

/** Where sorted files are read from, and until when. */
export interface LookupReader {
  view: SnapshotView;
  baseUrl: string;
  signal: AbortSignal | undefined;
}

/** The list of a term. */
export interface TermList {
  /** Where the files are: `lookup/keys`. */
  folder: string;
  /** What each file begins with, as the file of this URL says. */
  begins: unknown;
  url: string;
  term: string;
  isBeginning: boolean;
}

/** Where a file begins: at a term, or within its list at a record. */
interface Place {
  term: string;
  /** -1 where it begins at a term. */
  record: number;
}

interface Line {
  term: string;
  /** Whether the term is the beginning of a single other one. */
  isOnly: boolean;
  /** Its place in the order of lines: at its term, or behind all terms that begin so. */
  place: string;
  /** The place of the line that has its numbers: its own, or that of a line before it. */
  list: string;
  digits: string;
}

/**
 * The numbers of records that may have a term, or one that begins so, ascending. A word that was cut may be another one, so
 * the caller checks each record. Files that end before `from` are skipped.
 * @param from the number to continue with, whenever one is asked for.
 * @throws ListingError (malformed)
 */
export async function* numbersOf(
  { view, baseUrl, signal }: LookupReader,
  { folder, begins, url, term, isBeginning }: TermList,
  from: { number: number },
): AsyncGenerator<number, undefined> {
  const places = placesOf(begins, url);
  const linesAt = (at: number) => {
    const file = `${folder}/${at + 1}.txt`;
    return readKept(view, file, signal, async (own) =>
      linesIn(await view.readFile(file, FILE_BYTES, own), `${baseUrl}/${file}`),
    );
  };
  let list = isBeginning ? term + HIGHEST : term;
  const end = places.findLastIndex((place) => compare(place.term, list) <= 0);
  const isWithin = (at: number) => places[at]?.term === list && places[at].record >= 0;
  let found: Line[] = [];
  if (end >= 0 && !isWithin(end)) {
    const lines = await linesAt(end);
    const own = lines.find(({ place }) => place === list);
    const isBegun = (line: Line) =>
      (line.isOnly && term.startsWith(line.term)) ||
      (isBeginning && line.place === line.term && line.term.startsWith(term));
    found = own ? [own] : lines.filter(isBegun);
    list = own?.list ?? list;
  }
  // The list ends in this file, and may have begun in one before it.
  let begin = end;
  while (isWithin(begin)) begin--;
  for (let at = begin; at <= end; at++) {
    if (at < end && (places[at + 1] as Place).record <= from.number) continue;
    if (begin < end) found = (await linesAt(at)).filter(({ place }) => place === list);
    const numbers = found.flatMap(({ digits }) => decode(digits, view.snapshot.count, url));
    for (const number of numbers.sort((one, other) => one - other)) if (number >= from.number) yield number;
  }
}

/** Where files begin: each behind the one before, the first with a term. */
function placesOf(begins: unknown, url: string): Place[] {
  const places = [begins].flat().map((one) => {
    const [term, record = -1] = [one].flat();
    return { term, record } as Place;
  });
  for (const [at, { term, record }] of places.entries()) {
    const before = places[at - 1];
    const isPlace = typeof term === "string" && Number.isSafeInteger(record);
    if (!isPlace || (before ? compare(before.term, term) || before.record - record : record) >= 0)
      throw malformed(url, SORTED, term);
  }
  return places;
}

const LINE = /^([^\t]*)\t([*~]?)(=|[\w-]*[g-z\d_-])$/;

/** Parses a file. @throws ListingError (malformed) for a line that is cut, or not behind the one before */
function linesIn(bytes: Uint8Array, url: string): Line[] {
  const written = textOf(bytes, url).split("\n");
  // Nothing may follow the last newline.
  if (written.pop() !== "") throw malformed(url, SORTED, "a line that is cut");
  let before: Line | undefined;
  let all: Line | undefined;
  return written.map((text) => {
    const [, name = "", mark, digits] = LINE.exec(text) ?? [];
    const term = name.startsWith('"') ? textIn(name, url) : name;
    const isSame = digits === MARKS.same;
    const isAll = isSame || mark === MARKS.all;
    const place = isAll ? term + HIGHEST : term;
    const { list, digits: own } = isSame ? { ...all } : { list: place, digits };
    if (list === undefined || !own || (before && compare(before.place, place) >= 0)) throw malformed(url, SORTED, text);
    before = { term, isOnly: mark === MARKS.only, place, list, digits: own };
    if (isAll) all = before;
    return before;
  });
}

/** A term that has control characters, or begins as one that has, is written as JSON. */
function textIn(json: string, url: string): string {
  try {
    return `${JSON.parse(json)}`;
  } catch {
    throw malformed(url, SORTED, json);
  }
}

/** @throws ListingError (malformed) unless they ascend and are of records */
function decode(digits: string, count: number, url: string): number[] {
  const numbers: number[] = [];
  let [number, step] = [0, 0];
  for (const digit of digits) {
    const five = LIST_DIGITS.indexOf(digit);
    step = step * 32 + (five & 31);
    if (number + step >= count || (five > 31 && step === 0 && numbers.length > 0))
      throw malformed(url, SORTED, digits.slice(0, 80));
    if (five < 32) continue;
    number += step;
    step = 0;
    numbers.push(number);
  }
  return numbers;
}

/** Less than 0 where the first comes before the other. */
function compare(one: string, other: string): number {
  return compareBytes(encode(one), encode(other));
}
