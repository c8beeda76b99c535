/** Sorted files, as lookup.ts of the contract describes them: where the list of a term lies. */
import { HIGHEST, MARKS } from "../../contract/lookup.js";
import { textOf } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import type { Ground } from "../proof/ground.js";
import { readKept } from "./kept.js";
import { type List, listOf, numbersOf, type Piece } from "./list.js";

/** Hosts take no larger file. */
const FILE_BYTES = 25 * 2 ** 20;

/** Files of one kind. */
export interface Sorted {
  /**
   * The records that may have a term, or one that begins so, by asking for one file at most. A word that was cut may
   * be another's, so each record is to be looked at. Undefined where there are none.
   */
  find(term: string, isBeginning: boolean, signal: AbortSignal | undefined): Promise<List | undefined>;
}

/** Where a file begins: at a term, or within its list at a record. */
interface Place {
  term: string;
  record: number | undefined;
}

interface Line {
  term: string;
  mark: string;
  digits: string;
}

/**
 * @param folder where the files are: `lookup/keys`.
 * @param said what each of them begins with, by a file of this URL.
 * @throws ListingError (malformed) for what says no such thing
 */
export function sortedFiles(ground: Ground, baseUrl: string, folder: string, said: unknown, url: string): Sorted {
  const places = placesOf(said, url);
  const { count } = ground.snapshot;
  const urlOf = (at: number) => `${baseUrl}/${folder}/${at + 1}.txt`;
  const linesAt = async (at: number, signal: AbortSignal | undefined) => {
    const name = `${folder}/${at + 1}.txt`;
    const bytes = await readKept(ground, name, signal, (own) => ground.readFile(name, FILE_BYTES, own));
    return linesIn(textOf(bytes, urlOf(at)), urlOf(at));
  };
  const numbersAt = (at: number, { digits }: Line, first?: number) => numbersOf(digits, first, count, urlOf(at));

  /** A list that ends in a file and began in one before it. Nothing is asked for before it is needed. */
  const listTo = (end: number, term: string, mark: string): List => {
    const pieces: Piece[] = [];
    const { term: place } = places[end] as Place;
    for (let at = end, isWithin = true; isWithin; at--) {
      const own = places[at] as Place;
      isWithin = own.term === place && own.record !== undefined;
      const first = isWithin ? own.record : undefined;
      const read = async (signal: AbortSignal | undefined) => {
        for (const line of await linesAt(at, signal))
          if (line.term === term && line.mark === mark) return numbersAt(at, line, first);
        throw new ListingError("malformed", urlOf(at), "has no list where one goes on", quoted(term), "none");
      };
      pieces.unshift({ first: first ?? 0, read });
    }
    return listOf(pieces, pieces.length * FILE_BYTES);
  };

  return {
    async find(term, isBeginning, signal) {
      const wanted = isBeginning ? term + HIGHEST : term;
      const end = places.findLastIndex((place) => compare(place.term, wanted) <= 0);
      const place = places[end];
      if (!place) return undefined;
      const goesOn = (one: string) => place.record !== undefined && place.term === one;
      if (goesOn(wanted)) return listTo(end, term, isBeginning ? MARKS.all : "");
      const found: Line[] = [];
      let all: Line | undefined;
      for (const line of await linesAt(end, signal)) {
        if (line.mark === MARKS.all) all = line;
        if (line.mark === MARKS.all || line.mark === MARKS.same) {
          if (!isBeginning || line.term !== term) continue;
          if (!all) throw new ListingError("malformed", urlOf(end), "repeats a list that is not there");
          if (goesOn(all.term + HIGHEST)) return listTo(end, all.term, MARKS.all);
          found.splice(0, found.length, all);
          break;
        }
        const isOnly = line.mark === MARKS.only && term.startsWith(line.term);
        if (isOnly || line.term === term || (isBeginning && line.term.startsWith(term))) found.push(line);
      }
      const numbers = () => found.flatMap((line) => [...numbersAt(end, line)]).sort((one, other) => one - other);
      const size = found.reduce((sum, { digits }) => sum + digits.length, 0);
      return found.length === 0 ? undefined : listOf([{ first: 0, read: () => numbers().values() }], size);
    },
  };
}

/** Each file begins behind the one before, the first with a term. */
function placesOf(said: unknown, url: string): Place[] {
  let before: Place | undefined;
  return (Array.isArray(said) ? said : [said]).map((one: unknown) => {
    const [term, record, ...more] = typeof one === "string" ? [one, undefined] : Array.isArray(one) ? one : [];
    const place: Place = { term, record };
    const isPlace = typeof term === "string" && (typeof one === "string" || Number.isSafeInteger(record));
    if (!isPlace || more.length > 0 || !isBehind(place, before))
      throw new ListingError("malformed", url, "does not say where sorted files begin", "ascending terms", quoted(one));
    before = place;
    return place;
  });
}

function isBehind({ term, record }: Place, before: Place | undefined): boolean {
  if (!before) return record === undefined;
  const order = compare(before.term, term);
  return order < 0 || (order === 0 && (record ?? -1) > (before.record ?? -1));
}

const LINE = /^([^\t]*)\t([*~=]?)([\w-]*)$/;

/** The lines of a file. @throws ListingError (malformed) for one that is cut, or not behind the one before */
function* linesIn(text: string, url: string): Generator<Line> {
  let before: string | undefined;
  for (let [begin, end] = [0, 0]; begin < text.length; begin = end + 1) {
    end = text.indexOf("\n", begin);
    const line = end < 0 ? "" : text.slice(begin, end);
    const [, written, mark = "", digits = ""] = LINE.exec(line) ?? [];
    const term = written === undefined ? undefined : termIn(written);
    const isAll = mark === MARKS.all || mark === MARKS.same;
    if (term === undefined || (!isAll && before !== undefined && compare(before, term) >= 0))
      throw new ListingError("malformed", url, "has a line that is none", "terms in order", quoted(line));
    yield { term, mark, digits };
    if (!isAll) before = term;
  }
}

/** A term that has control characters, or begins as one that has, is written as JSON. */
function termIn(written: string): string | undefined {
  if (!written.startsWith('"')) return written;
  try {
    const term: unknown = JSON.parse(written);
    return typeof term === "string" ? term : undefined;
  } catch {
    return undefined;
  }
}

/** Less than 0 where the first comes before the other by code points, as by the bytes of UTF-8. */
function compare(one: string, other: string): number {
  const least = Math.min(one.length, other.length);
  for (let at = 0; at < least; at++) {
    const difference = rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Halves of surrogate pairs come behind all other units. */
function rank(unit: number): number {
  return unit < 0xd800 || unit > 0xdfff ? unit : unit + 0x10000;
}
