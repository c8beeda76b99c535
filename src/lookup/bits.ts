/** Plain memory that grows, and bits of it, one for each record. */

export const BITS_OF_WORD = 32;

/** Signed, since that is what JavaScript's bit operations make. */
export type Bits = Int32Array<ArrayBuffer>;

export function bitsOf(count: number): Bits {
  return new Int32Array(Math.ceil(count / BITS_OF_WORD));
}

export function setBit(bits: Bits, number: number): void {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
}

/** Sets the bits of `others`. @returns whether one of `bits` is none of those. */
export function addBits(bits: Bits, others: Bits): boolean {
  let ownAlone = 0;
  for (let at = 0; at < bits.length; at++) {
    const own = bits[at] ?? 0;
    const other = others[at] ?? 0;
    ownAlone |= own & ~other;
    bits[at] = own | other;
  }
  return ownAlone !== 0;
}

/** A copy with twice the room. */
export function larger<Numbers extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(numbers: Numbers): Numbers {
  const made =
    numbers instanceof Uint32Array ? new Uint32Array(2 * numbers.length) : new Uint8Array(2 * numbers.length);
  made.set(numbers);
  return made as Numbers;
}
