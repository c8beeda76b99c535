/**
 * Random histories of listings with change files, on real hosts: builds that are killed, refused or find the disk full, ways
 * back and forth, lost and pruned releases, other contracts, publishes cut off. Copies that are brought up to date at any
 * moment hold the records of a state that was current, always.
 */
import { afterAll, expect, test } from "vitest";
import { closeCeph, useCeph } from "../publish/store.js";
import { isMissing } from "../support/installed.js";
import { draws, SEED, seeded } from "../support/random.js";
import { now } from "../support/time.js";
import { History, type Tally } from "./histories/history.js";
import { type HostKind, laneOf } from "./histories/lanes.js";
import type { COLLECTIONS } from "./histories/sources.js";

const HISTORIES = draws(200);

const LANES: readonly [HostKind, keyof typeof COLLECTIONS][] = [
  ["serve", "users"],
  ["nginx", "entries"],
  ["bucket", "stations"],
  ["serve", "entries"],
  ["nginx", "stations"],
];

/** How often each of these happens at least, for each history: else the test shows nothing. */
const LEAST = {
  "sync by changes": 1.5,
  "sync by nothing": 0.5,
  "read everything anew": 0.3,
  "steps could be taken": 1,
  "releases with steps": 1,
  "build killed": 0.1,
  "disk full": 0.1,
  "refused by gates": 0.05,
  "accepted after all": 0.02,
  "refused for invalid records": 0.05,
  "invalid records skipped": 0.05,
  "went back": 0.1,
  "use killed": 0.03,
  "all releases lost": 0.04,
  "built elsewhere": 0.05,
  "another contract": 0.03,
  "step damaged": 0.005,
  published: 0.5,
  "publish cut off": 0.03,
};

afterAll(closeCeph);

test.skipIf(isMissing("unshare", "nsenter", "nginx", "minisign", "radosgw"))(
  `in ${HISTORIES} histories, no copy is ever of anything but a state that was current`,
  { timeout: 1_800_000 },
  async () => {
    await useCeph();
    const seed = SEED;
    const tally: Tally = new Map();
    const began = now();
    const failed = new AbortController();
    const lanes = LANES.map((_, index) => playLane(index, { seed, tally, failed }));
    await Promise.allSettled(lanes);
    const ended = await Promise.all(lanes);

    const lines = [...tally]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([what, count]) => `${what}: ${count}`);
    process.stdout.write(`${HISTORIES} histories in ${Math.round((now() - began) / 1000)} s\n`);
    process.stdout.write(`${lines.join("\n")}\n`);
    expect(ended.reduce((sum, count) => sum + count, 0)).toBe(HISTORIES);
    // In a few histories, what is rare may not happen.
    if (HISTORIES < 100) return;
    const hosts = [...new Set(LANES.map(([kind]) => kind))];
    for (const [what, least] of Object.entries(LEAST)) {
      const happened = hosts.reduce((sum, host) => sum + (tally.get(`${host}: ${what}`) ?? 0), 0);
      expect(happened, what).toBeGreaterThanOrEqual(least * HISTORIES);
    }
    for (const host of hosts)
      for (const what of ["sync by changes", "read everything anew"])
        expect(tally.get(`${host}: ${what}`), `${host}: ${what}`).toBeGreaterThan(HISTORIES / 20);
  },
);

/** What all hosts share: with the first history that fails, all end. */
interface Course {
  seed: number;
  tally: Tally;
  failed: AbortController;
}

/** Every history whose turn it is on one host. @returns how many there were. */
async function playLane(index: number, { seed, tally, failed }: Course): Promise<number> {
  const [kind, collection] = LANES[index] as (typeof LANES)[number];
  const lane = await laneOf(kind, collection);
  let count = 0;
  for (let number = index; number < HISTORIES && !failed.signal.aborted; number += LANES.length, count++) {
    const history = new History(lane, number, seeded(seed + number), tally);
    await history.play().catch((cause) => {
      failed.abort();
      const told = history.told.map((line) => `\n  ${line}`).join("");
      throw new Error(`History ${number} on ${lane.name}: ${cause.message}${told}`, { cause });
    });
  }
  return count;
}
