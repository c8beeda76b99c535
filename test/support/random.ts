/** Chance that can be repeated: a seed always draws the same, and a seed that was drawn is printed. */
import { generateMersenne32Randomizer } from "@faker-js/faker";

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below another. */
  below(most: number): number;
  chance(probability: number): boolean;
  of<T>(items: readonly T[]): T;
}

export function seeded(seed: number): Random {
  const source = generateMersenne32Randomizer(seed);
  const below = (most: number) => Math.floor(source.next() * most);
  return {
    next: () => source.next(),
    below,
    chance: (probability) => source.next() < probability,
    of: (items) => items[below(items.length)] as (typeof items)[number],
  };
}

/** How often to do what a test does over and over: `all` times, or the share of them that ROLLCALL_TEST_SHARE is (0.2 for a fifth). */
export function rounds(all: number): number {
  return Math.ceil(all * Number(process.env["ROLLCALL_TEST_SHARE"] ?? 1));
}

/** The seed that ROLLCALL_TEST_SEED holds; without one, a new seed at each run. */
export function drawSeed(): number {
  const seed = Number(process.env["ROLLCALL_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`ROLLCALL_TEST_SEED=${seed}\n`);
  return seed;
}
