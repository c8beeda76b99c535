/** Reads record numbers of terms from sorted files (see core/contract/lookup.ts). */
import { HIGHEST, LIST_DIGITS, MARKS } from "../../core/contract/lookup.js";
import { malformed } from "../errors.js";
import { readKept } from "../kept.js";
import { compareBytes, decodeText, encode } from "../utf8.js";
import { FILE_BYTES, type View } from "../view.js";

const SORTED = "terms and lists in order";

/** The snapshot from which sorted files are read. */
export interface LookupReader {
  view: View;
  baseUrl: string;
  signal: AbortSignal | undefined;
}

/** A term to look up. */
export interface TermList {
  /** Folder of the files: `lookup/keys`. */
  folder: string;
  /** First terms of the files, unchecked, from the file at `url`. */
  begins: unknown;
  url: string;
  term: string;
  isPrefix: boolean;
}

/** Where a file begins: at a term, or at a record within the list of a term. */
interface Place {
  term: string;
  /** -1 if it begins with a term. */
  record: number;
}

interface Line {
  term: string;
  /** Whether the term is cut to a unique prefix. */
  isOnly: boolean;
  /** Sort key of the line: its term; for a prefix line, after all terms with this prefix. */
  place: string;
  /** Sort key of the line that has its numbers: its own, or an earlier one. */
  list: string;
  digits: string;
}

/**
 * Yields the numbers of records that may have a term, or a term with this prefix, ascending. Terms may be cut, so the caller
 * checks each record. Files that end before `from` are skipped.
 * @param from the number to continue with, read before each step.
 * @throws ListingError (malformed)
 */
export async function* numbersOf(
  { view, baseUrl, signal }: LookupReader,
  { folder, begins, url, term, isPrefix }: TermList,
  from: { number: number },
): AsyncGenerator<number, undefined> {
  const places = placesOf(begins, url);
  const linesAt = (at: number) => {
    const file = `${folder}/${at + 1}.txt`;
    return readKept(view, file, signal, async (own) =>
      linesIn(await view.readFile(file, { maxBytes: FILE_BYTES }, own), `${baseUrl}/${file}`),
    );
  };
  let list = isPrefix ? term + HIGHEST : term;
  const end = places.findLastIndex((place) => compare(place.term, list) <= 0);
  const isWithin = (at: number) => places[at]?.term === list && places[at].record >= 0;
  let found: Line[] = [];
  if (end >= 0 && !isWithin(end)) {
    const lines = await linesAt(end);
    const own = lines.find(({ place }) => place === list);
    const isBegun = (line: Line) =>
      (line.isOnly && term.startsWith(line.term)) ||
      (isPrefix && line.place === line.term && line.term.startsWith(term));
    found = own ? [own] : lines.filter(isBegun);
    list = own?.list ?? list;
  }
  // The list ends in this file, and may begin in an earlier one.
  let begin = end;
  while (isWithin(begin)) begin--;
  for (let at = begin; at <= end; at++) {
    if (at < end && (places[at + 1] as Place).record <= from.number) continue;
    if (begin < end) found = (await linesAt(at)).filter(({ place }) => place === list);
    const numbers = found.flatMap(({ digits }) => decode(digits, view.snapshot.count, url));
    for (const number of numbers.sort((one, other) => one - other)) if (number >= from.number) yield number;
  }
}

/** Checks where files begin: ascending, the first at a term. @throws ListingError (malformed) */
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

/** Parses a file. @throws ListingError (malformed) for an incomplete or unsorted line */
function linesIn(bytes: Uint8Array, url: string): Line[] {
  const written = decodeText(bytes, url).split("\n");
  // Nothing may follow the last newline.
  if (written.pop() !== "") throw malformed(url, SORTED, "an incomplete line");
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

/** Parses a term that is written as JSON. @throws ListingError (malformed) */
function textIn(json: string, url: string): string {
  try {
    return `${JSON.parse(json)}`;
  } catch {
    throw malformed(url, SORTED, json);
  }
}

/** Decodes a list of record numbers. @throws ListingError (malformed) unless they ascend and are below `count` */
function decode(digits: string, count: number, url: string): number[] {
  const numbers: number[] = [];
  let number = 0;
  let step = 0;
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

/** Compares texts by their UTF-8 bytes: below 0 if `one` comes first. */
function compare(one: string, other: string): number {
  return compareBytes(encode(one), encode(other));
}
