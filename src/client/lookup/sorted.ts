/** Sorted files, as lookup.ts of the contract describes them: the numbers of the records that have a term. */
import { HIGHEST, LIST_DIGITS, MARKS } from "../../contract/lookup.js";
import { compareBytes, encode, FILE_BYTES } from "../bytes.js";
import { textOf } from "../checked.js";
import { malformed } from "../errors.js";
import type { SnapshotView } from "../proof/view.js";
import type { Bytes } from "../transfer.js";
import { readKept } from "./kept.js";

const SORTED = "terms and lists in order";

/** Where sorted files are asked for, and until when. */
export interface SortedSource {
  view: SnapshotView;
  baseUrl: string;
  signal: AbortSignal | undefined;
}

/** What a list is found by. */
export interface Wanted {
  /** Where the files are: `lookup/keys`. */
  folder: string;
  /** What each of them begins with, by the file of this URL. */
  said: unknown;
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
  /** Whether the term is only the beginning of another one, which nothing else has. */
  isOnly: boolean;
  /** Where it stands in the order of lines: at its term, or behind all that begin so. */
  place: string;
  /** The place of the line that has its numbers: its own, or that of one before it. */
  list: string;
  digits: string;
}

/**
 * The numbers of records that may have a term, or one that begins so, ascending. A word that was cut may be another's, so
 * each record is to be looked at. Files that end before what is asked for are skipped.
 * @param from what to go on with whenever a number is asked for.
 * @throws ListingError (malformed) for files that are none
 */
export async function* numbersOf(
  { view, baseUrl, signal }: SortedSource,
  { folder, said, url, term, isBeginning }: Wanted,
  from: { number: number },
): AsyncGenerator<number, undefined> {
  const places = placesOf(said, url);
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

/** Each file begins behind the one before, the first with a term. */
function placesOf(said: unknown, url: string): Place[] {
  const places = [said].flat().map((one) => {
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

/** The lines of a file. @throws ListingError (malformed) for one that is cut, or not behind the one before */
function linesIn(bytes: Bytes, url: string): Line[] {
  const written = textOf(bytes, url).split("\n");
  // Behind the last newline is nothing.
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
