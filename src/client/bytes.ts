/** Files as bytes: how large they are at most, and how texts and keys compare, by which listings and sorted files are ordered. */

/** Hosts take no larger file, other than SHA256SUMS. */
export const FILE_BYTES = 25 * 2 ** 20;

const encoder = new TextEncoder();

/** The UTF-8 of a text. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Less than 0 where the first comes before the other, as `memcmp` has it. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; ; at++) {
    // The end comes before every byte.
    const [own, its] = [one[at] ?? -1, other[at] ?? -1];
    if (own !== its || own < 0) return own - its;
  }
}
