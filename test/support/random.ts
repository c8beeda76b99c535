/** Reproducible randomness: one seed for a whole run, fixed unless ROLLCALL_TEST_SEED is set. */
import { generateMersenne32Randomizer } from "@faker-js/faker";

/** The seed of all random choices. `.ci/nightly` sets a new one and prints it. */
export const SEED = Number(process.env["ROLLCALL_TEST_SEED"] ?? 30);

/** The share of random cases to run: a tenth, or what `.ci/nightly` sets. */
const SHARE = Number(process.env["ROLLCALL_TEST_DRAWS"] ?? 0.1);

/** The number of repetitions. @param all the number if the share is 1 */
export function draws(all: number): number {
  return Math.ceil(all * SHARE);
}

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below another. */
  below(most: number): number;
  chance(probability: number): boolean;
  of<T>(items: readonly T[]): T;
}

/** The same numbers for the same seed. */
export function seeded(seed = SEED): Random {
  const source = generateMersenne32Randomizer(seed);
  const below = (most: number) => Math.floor(source.next() * most);
  return {
    next: () => source.next(),
    below,
    chance: (probability) => source.next() < probability,
    of: (items) => items[below(items.length)] as (typeof items)[number],
  };
}
