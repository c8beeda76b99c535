/** Terms byte by byte: whole characters that two begin with, and how a term stands in a line. */
import { type BytePlace, type SortedLine, TAB } from "./lines.js";

const [QUOTE, FIRST_PLAIN] = [0x22, 0x20];

/** Whether a byte goes on with a character. */
function goesOn(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes two terms begin with alike, in whole characters. */
export function sharedBytes(one: BytePlace, other: BytePlace): number {
  const most = Math.min(one.end - one.begin, other.end - other.begin);
  let at = 0;
  while (at < most && one.bytes[one.begin + at] === other.bytes[other.begin + at]) at++;
  const isInside = (term: BytePlace) => term.begin + at < term.end && goesOn(term.bytes[term.begin + at]);
  while (at > 0 && (isInside(one) || isInside(other))) at--;
  return at;
}

/** How many bytes a term's beginning has that has one character more than `bytes` bytes. */
export function oneMore({ bytes: all, begin, end }: BytePlace, bytes: number): number {
  let at = begin + bytes + 1;
  while (at < end && goesOn(all[at])) at++;
  return Math.min(at, end) - begin;
}

/** A term as it is written in front of its tab: as it stands, or as JSON where it would not be one plain word of a line. */
export function writtenTerm(term: BytePlace): BytePlace {
  const { bytes, begin, end } = term;
  let isPlain = bytes[begin] !== QUOTE || begin === end;
  for (let at = begin; at < end && isPlain; at++) isPlain = (bytes[at] ?? 0) >= FIRST_PLAIN;
  return isPlain ? term : placeOf(JSON.stringify(textAt(term)));
}

/** The term of a line. */
export function termOfLine({ bytes, begin, listBegin }: SortedLine): BytePlace {
  // Between the tab and the numbers stands at most a mark.
  const term = { bytes, begin, end: listBegin - (bytes[listBegin - 1] === TAB ? 1 : 2) };
  return bytes[begin] === QUOTE ? placeOf(JSON.parse(textAt(term))) : term;
}

export function textAt({ bytes, begin, end }: BytePlace): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString();
}

function placeOf(text: string): BytePlace {
  const bytes = Buffer.from(text);
  return { bytes, begin: 0, end: bytes.length };
}
