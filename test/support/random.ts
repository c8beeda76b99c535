/** Chance that can be repeated: one seed for a whole run, fixed unless ROLLCALL_TEST_SEED names another. */
import { generateMersenne32Randomizer } from "@faker-js/faker";

/** What everything that a test draws begins with. `.ci/nightly` sets a new one and prints it. */
export const SEED = Number(process.env["ROLLCALL_TEST_SEED"] ?? 30);

/** The share of its draws that a test makes: a tenth, and all of them in `.ci/nightly`, which sets 1. */
const SHARE = Number(process.env["ROLLCALL_TEST_DRAWS"] ?? 0.1);

/** How often to repeat what a test does over and over. @param all how often at night */
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
