/** Lists of records' numbers, in ascending order, of which no more is read than is asked for. */
import { LIST_DIGITS } from "../../contract/lookup.js";
import { ListingError } from "../errors.js";

/** A part of a list, in a file of its own. */
export interface Piece {
  /** Its first number, or less where that is not known. */
  first: number;
  read(signal: AbortSignal | undefined): Promise<Iterator<number>> | Iterator<number>;
}

export interface List {
  /** Letters that it has, or that it may have where they were not read. */
  size: number;
  /** The first number from this one on; undefined behind the last. */
  seek(from: number, signal: AbortSignal | undefined): Promise<number | undefined>;
}

/** A list that skips the files which end before what is asked for. */
export function listOf(pieces: readonly Piece[], size: number): List {
  let at = 0;
  let numbers: Iterator<number> | undefined;
  let value = -1;
  /** How far it was asked for. Where that failed, it begins anew. */
  let reached = 0;
  return {
    size,
    async seek(from, signal) {
      if (from < reached) [at, numbers, value] = [0, undefined, -1];
      reached = Number.POSITIVE_INFINITY;
      while (value < from && at < pieces.length) {
        const endsBefore = (pieces[at + 1]?.first ?? reached) <= from;
        if (!endsBefore) numbers ??= await pieces[at]?.read(signal);
        const next = endsBefore ? undefined : numbers?.next();
        if (next && !next.done) value = next.value;
        else [at, numbers] = [at + 1, undefined];
      }
      reached = from;
      return value < from ? undefined : value;
    },
  };
}

/**
 * The numbers of a line.
 * @param first what it begins with, where that is known.
 * @param count how many records there are.
 * @throws ListingError (malformed) unless they ascend and are of records
 */
export function* numbersOf(digits: string, first: number | undefined, count: number, url: string): Generator<number> {
  let [before, value, isWhole] = [-1, 0, false];
  for (const digit of digits) {
    const five = LIST_DIGITS.indexOf(digit);
    value = value * 32 + (five & 31);
    isWhole = five > 31;
    const number = Math.max(before, 0) + value;
    const isNext = before < 0 ? (first ?? number) === number : number > before;
    if (five < 0 || number >= count || (isWhole && !isNext)) throw notAscending(url, count, number);
    if (!isWhole) continue;
    yield number;
    [before, value] = [number, 0];
  }
  if (!isWhole) throw notAscending(url, count, before);
}

function notAscending(url: string, count: number, received: number): ListingError {
  return new ListingError(
    "malformed",
    url,
    "has a list that is none",
    `records 0 to ${count - 1}, ascending`,
    `${received}`,
  );
}
