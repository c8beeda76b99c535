/** A seeded random generator, equal on every machine. */
import { generateMersenne32Randomizer } from "@faker-js/faker";

export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True `percent` times in a hundred. */
  chance(percent: number): boolean;
  pick<T>(pool: readonly T[]): T;
  /** `length` lowercase hexadecimal digits. */
  hex(length: number): string;
}

export function seededRandom(seed: number): Random {
  const source = generateMersenne32Randomizer(seed);
  const below = (limit: number) => Math.floor(source.next() * limit);
  return {
    below,
    chance: (percent) => source.next() * 100 < percent,
    pick: <T>(pool: readonly T[]) => pool[below(pool.length)] as T,
    hex: (length) => {
      let digits = "";
      while (digits.length < length)
        digits += below(2 ** 32)
          .toString(16)
          .padStart(8, "0");
      return digits.slice(0, length);
    },
  };
}
