/** Times of the sample, in microseconds since 1970 and counted back from a fixed moment: no clock is asked. */

const SECOND = 1_000_000;
export const DAY = 86_400 * SECOND;

/** The moment at which the sample was taken, so to speak. */
export const NOW = Date.UTC(2026, 0, 31, 18) * 1000;
const NEWEST = NOW - DAY;
const OLDEST = Date.UTC(2021, 0, 1) * 1000;

/** With more, a user's share of the five years would be too short to round to seconds in. */
export const MAX_USERS = 50_000_000;

/**
 * Says when the user at a place in the listing joined (rank 0 is the newest). Each has a slot of its own, except
 * those who tie with the user before: some by chance, and always the first user of every second page of 100, so that
 * the order of ties decides who stands on which page.
 */
export function datesByRank(count: number, seed: number): (rank: number) => number {
  const slot = Math.floor((NEWEST - OLDEST) / count);
  return (rank) => {
    let first = rank;
    while (tiesWithPrevious(first, seed)) first--;
    const noise = scramble(first, seed);
    const time = NEWEST - first * slot - Math.floor(((noise >>> 8) / 2 ** 24) * (slot / 2));
    // Some systems know whole seconds only; rounding goes down, and stays in the slot.
    return noise % 20 === 0 ? time - (time % SECOND) : time;
  };
}

/** `2026-01-31T18:00:00.000000Z` */
export function formatTime(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = microseconds - milliseconds * 1000;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

function tiesWithPrevious(rank: number, seed: number): boolean {
  if (rank === 0) return false;
  return rank % 200 === 100 || scramble(rank, seed) % 25 === 1;
}

/** 32 bits that look random, the same for the same rank: the finalizer of MurmurHash3. */
function scramble(rank: number, seed: number): number {
  let bits = Math.imul(rank, 0x9e3779b1) ^ seed;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
