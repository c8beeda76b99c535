/** Times of the sample, in microseconds since 1970, counted back from a fixed time. */

const SECOND = 1_000_000;
export const DAY = 86_400 * SECOND;

/** The fixed time. */
export const NOW = Date.UTC(2026, 0, 31, 18) * 1000;
const NEWEST = NOW - DAY;
const OLDEST = Date.UTC(2021, 0, 1) * 1000;

/** Maximum number of users. With more, a user's slot of the five years would be too short to round to seconds. */
export const MAX_USERS = 50_000_000;

/**
 * The join time of the user with a rank in the listing (0 is the newest). Each user has a slot, except those who tie with the
 * user before: some at random, and the first user of every second page of 100, so that ties cross page borders.
 */
export function datesByRank(count: number, seed: number): (rank: number) => number {
  const slot = Math.floor((NEWEST - OLDEST) / count);
  return (rank) => {
    let first = rank;
    while (tiesWithPrevious(first, seed)) first--;
    const noise = scramble(first, seed);
    const time = NEWEST - first * slot - Math.floor(((noise >>> 8) / 2 ** 24) * (slot / 2));
    // Some users have whole seconds, rounded down within the slot.
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

/** Hashes a rank to 32 bits: the finalizer of MurmurHash3. */
function scramble(rank: number, seed: number): number {
  let bits = Math.imul(rank, 0x9e3779b1) ^ seed;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
