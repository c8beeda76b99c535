/** Terms byte by byte: whole characters that two begin with, and how a term stands in a line. */
import { TAB } from "./lines.js";

/** Where a term stands. */
export interface TermPlace {
  bytes: Uint8Array;
  begin: number;
  end: number;
}

const [QUOTE, FIRST_PLAIN] = [0x22, 0x20];

/** Whether a byte goes on with a character. */
function goesOn(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes two terms begin with alike, in whole characters. */
export function sharedBytes(one: TermPlace, other: TermPlace): number {
  const most = Math.min(one.end - one.begin, other.end - other.begin);
  let at = 0;
  while (at < most && one.bytes[one.begin + at] === other.bytes[other.begin + at]) at++;
  const isInside = (term: TermPlace) => term.begin + at < term.end && goesOn(term.bytes[term.begin + at]);
  while (at > 0 && (isInside(one) || isInside(other))) at--;
  return at;
}

/** How many bytes a term's beginning has that has one character more than `bytes` bytes. */
export function oneMore({ bytes: all, begin, end }: TermPlace, bytes: number): number {
  let at = begin + bytes + 1;
  while (at < end && goesOn(all[at])) at++;
  return Math.min(at, end) - begin;
}

/** A term as it is written in front of its tab: as it stands, or as JSON where it would not be one plain word of a line. */
export function writtenTerm({ bytes, begin, end }: TermPlace): Uint8Array {
  let isPlain = bytes[begin] !== QUOTE || begin === end;
  for (let at = begin; at < end && isPlain; at++) isPlain = (bytes[at] ?? 0) >= FIRST_PLAIN;
  const term = bytes.subarray(begin, end);
  return isPlain ? term : Buffer.from(JSON.stringify(Buffer.from(term).toString()));
}

/** The term of a line. */
export function readTerm(bytes: Uint8Array, begin: number): TermPlace {
  const end = bytes.indexOf(TAB, begin);
  if (bytes[begin] !== QUOTE) return { bytes, begin, end };
  const term = Buffer.from(JSON.parse(Buffer.from(bytes.subarray(begin, end)).toString()));
  return { bytes: term, begin: 0, end: term.length };
}
