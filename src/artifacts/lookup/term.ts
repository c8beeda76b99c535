/** Terms byte by byte: whole characters that two begin with, and how a term stands in a line. */

/** Where the UTF-8 of a term stands, or a list of numbers. */
export interface BytePlace {
  bytes: Buffer;
  begin: number;
  end: number;
}

const [QUOTE, FIRST_PLAIN] = [0x22, 0x20];

/** Whether a byte continues a character. */
function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes two terms begin with alike, in whole characters. */
export function sharedBytes(one: BytePlace, other: BytePlace): number {
  const most = Math.min(one.end - one.begin, other.end - other.begin);
  let at = 0;
  while (at < most && one.bytes[one.begin + at] === other.bytes[other.begin + at]) at++;
  const isInside = (term: BytePlace) => term.begin + at < term.end && continues(term.bytes[term.begin + at]);
  while (at > 0 && (isInside(one) || isInside(other))) at--;
  return at;
}

/** Bytes of a term's beginning that has one character more than `bytes` bytes. */
export function oneMore({ bytes: all, begin, end }: BytePlace, bytes: number): number {
  let at = begin + bytes + 1;
  while (at < end && continues(all[at])) at++;
  return Math.min(at, end) - begin;
}

/** A term as it is written before its tab: as it is, or as JSON where it would not be one plain word of a line. */
export function writtenTerm(term: BytePlace): BytePlace {
  const { bytes, begin, end } = term;
  let isPlain = bytes[begin] !== QUOTE || begin === end;
  for (let at = begin; at < end && isPlain; at++) isPlain = (bytes[at] ?? 0) >= FIRST_PLAIN;
  return isPlain ? term : placeOf(JSON.stringify(textAt(term)));
}

export function textAt({ bytes, begin, end }: BytePlace): string {
  return bytes.toString("utf8", begin, end);
}

function placeOf(text: string): BytePlace {
  const bytes = Buffer.from(text);
  return { bytes, begin: 0, end: bytes.length };
}
