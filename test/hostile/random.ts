/** Numbers, texts and choices that are the same for the same seed. */

export interface Random {
  /** From 0 up to, but not including, a number. */
  below(most: number): number;
  chance(probability: number): boolean;
  of<T>(items: readonly T[]): T;
}

/** A small generator of 32 bits, good enough to choose by. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    chance: (probability) => next() < probability,
    of: (items) => items[below(items.length)] as (typeof items)[number],
  };
}
