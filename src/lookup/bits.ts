/** Plain memory that grows, and bits of it, one for each record. */

export const BITS_OF_WORD = 32;

export function bitsOf(count: number): Uint32Array {
  return new Uint32Array(Math.ceil(count / BITS_OF_WORD));
}

export function setBit(bits: Uint32Array, number: number): void {
  bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
}

/** Calls `take` with each number whose bit is set, in order. */
export function eachBit(bits: Uint32Array, take: (number: number) => void): void {
  for (let at = 0; at < bits.length; at++) {
    for (let word = bits[at] ?? 0; word !== 0; word &= word - 1)
      take(at * BITS_OF_WORD + 31 - Math.clz32(word & -word));
  }
}

/** Sets the bits of `others`. @returns whether one of `bits` is none of those. */
export function addBits(bits: Uint32Array, others: Uint32Array): boolean {
  let ownAlone = 0;
  for (let at = 0; at < bits.length; at++) {
    const [own, other] = [bits[at] ?? 0, others[at] ?? 0];
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
