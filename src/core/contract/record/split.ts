/** Finds the records in the text of a page. Everything that reads canonical pages finds them here. */
import { RECORD_SEPARATOR } from "../page.js";

/** The records of one page, valid and canonical. */
export interface PageRecords {
  /** Number of the page's first record, from 0. */
  first: number;
  /** The records with their separators. */
  bytes: Buffer;
  /** The same as text with one character a byte. */
  text: string;
}

/**
 * Iterates the records of a page: number, begin and end in its text. A canonical record has no newline, so separators are only between
 * records.
 */
export function* recordsOf({
  first,
  text,
}: Pick<PageRecords, "first" | "text">): Generator<[number: number, begin: number, end: number]> {
  for (let at = 0, number = first; at < text.length; number++) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline + 1 - RECORD_SEPARATOR.length;
    yield [number, at, end];
    at = end + RECORD_SEPARATOR.length;
  }
}
