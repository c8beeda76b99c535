/** The page cache, verified files, and reusable memory. */
import { type BigIntStats, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/release/plain-files.js";
import { createStore } from "../../src/server/page-cache.js";
import { Proofs } from "../../src/server/proofs.js";
import { Scratch } from "../../src/server/scratch.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";

const SIZE = 2_000;
const HELD = 50;
const PAGES = 1_000;

/** A cache for about 50 of 1,000 pages. */
function caching() {
  const folder = join(scratch(), "pages");
  mkdirSync(folder);
  const digests = Array.from({ length: PAGES }, (_, page) => {
    const body = `${page} `.padEnd(SIZE);
    writeFileSync(join(folder, `${page}`), body);
    return sha256(body);
  });
  const store = createStore((HELD * (SIZE + 512)) / 2 ** 20, expect.unreachable);
  const proofs = new Proofs(PAGES, 0);
  /** True if the page was in memory. */
  return (page: number): boolean => {
    const digest = digests[page] ?? "";
    const stored = store.find(digest) ?? store.read(join(folder, `${page}`), digest, proofs, page);
    expect(Number(stored?.body)).toBe(page);
    return stored?.scratch === undefined;
  };
}

describe("pages in memory", () => {
  test("keeps all pages that fit, from their first read on", () => {
    const ask = caching();
    for (let page = 0; page < HELD; page++) expect(ask(page)).toBe(false);
    for (let page = 0; page < HELD; page++) expect(ask(page)).toBe(true);
  });

  test("caches hot pages, also while others walk over all pages", () => {
    const random = seeded();
    const ask = caching();
    for (let page = 0; page < PAGES; page++) ask(page);
    const hot = HELD / 2;
    let [found, missed, next] = [0, 0, hot];
    for (let request = 0; request < 20_000; request++) {
      if (random.chance(0.5)) {
        next = next === PAGES - 1 ? hot : next + 1;
        ask(next);
      } else if (ask(random.below(hot)) && request > 8_000) found++;
      else if (request > 8_000) missed++;
    }
    expect(found / (found + missed)).toBeGreaterThan(0.99);
  });
});

describe("proofs", () => {
  const state = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 5n } as BigIntStats;

  test.each([
    [1_000, true],
    [999, false],
    [0, false],
    [-5_000, false],
  ])("a file that changed %d ms before it was read is kept after a second: %j", (age, isIt) => {
    const proofs = new Proofs(1, 1_000);
    const now = 1_800_000_000_000;
    const changed = { ...state, ctimeNs: BigInt(now - age) * 1_000_000n } as BigIntStats;
    proofs.keep(0, changed, now);
    expect(proofs.has(0, changed)).toBe(isIt);
  });

  test.each(["dev", "ino", "size", "mtimeNs", "ctimeNs"] as const)(
    "a file with another %s counts as changed",
    (field) => {
      const proofs = new Proofs(2, 0);
      proofs.keep(1, state, 1_800_000_000_000);
      expect(proofs.has(1, state)).toBe(true);
      expect(proofs.has(0, state)).toBe(false);
      expect(proofs.has(1, { ...state, [field]: 9n })).toBe(false);
    },
  );

  test("verifies each time where timestamps are unreliable", () => {
    const proofs = new Proofs(0, 0);
    const real = statSync(import.meta.filename, { bigint: true });
    proofs.keep(0, real, Number.MAX_SAFE_INTEGER);
    expect(proofs.has(0, real)).toBe(false);
  });
});

test("reuses scratch memory, unless it is still being sent", () => {
  const memory = new Scratch();
  const one = memory.take(5_000);
  expect(one).toHaveLength(5_000);
  expect(memory.take(6_000).buffer).toBe(one.buffer);
  expect(memory.take(20_000).buffer).not.toBe(one.buffer);
  const whole = memory.withHead("head", one);
  expect(whole?.subarray(4).equals(one)).toBe(true);
  expect(whole?.toString("latin1", 0, 4)).toBe("head");
  expect(memory.withHead("x".repeat(2_000), one)).toBe(undefined);
  memory.discard(one);
  expect(memory.take(5_000).buffer).not.toBe(one.buffer);
});
