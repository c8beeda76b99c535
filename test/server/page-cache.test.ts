/** Which pages stay in memory: those that are asked for again and again, whoever reads everything once. */
import { describe, expect, test } from "vitest";
import { createLender, HEADROOM } from "../../src/server/memory.js";
import { createPageCache } from "../../src/server/page-cache.js";
import { isSettled } from "../../src/server/proofs.js";
import { seeded } from "../support/random.js";

const SIZE = 10_000;
const HELD = 50;

/** A cache of some fifty pages, which are read from nowhere. */
function caching() {
  const cache = createPageCache((HELD * (SIZE + 512)) / 2 ** 20, expect.unreachable);
  const readAt = new Uint8Array(10_000);
  /** True if the page was in memory. */
  const ask = (page: number): boolean => {
    if (cache.find(`${page}`)) return true;
    if (cache.admits(readAt, page, SIZE)) cache.keep(`${page}`, Buffer.alloc(SIZE));
    return false;
  };
  return { ask };
}

describe("hot pages", () => {
  test("survive a walk over two hundred times as many, which asks for each once", () => {
    const { ask } = caching();
    for (let page = 0; page < HELD; page++) ask(page);
    for (let page = HELD; page < 10_000; page++) ask(page);
    for (let page = 0; page < HELD; page++) expect(ask(page), `page ${page}`).toBe(true);
  });

  test("get in where a walk has filled everything", () => {
    const { ask } = caching();
    for (let page = 1_000; page < 5_000; page++) ask(page);
    for (let time = 1; time <= 2; time++) for (let page = 0; page < HELD / 2; page++) ask(page);
    for (let page = 0; page < HELD / 2; page++) expect(ask(page), `page ${page}`).toBe(true);
  });

  test("are found in memory nearly always while others walk, whatever the order", () => {
    const random = seeded();
    const { ask } = caching();
    const hot = HELD / 2;
    let [found, missed, next] = [0, 0, hot];
    for (let request = 0; request < 40_000; request++) {
      if (random.chance(0.5)) {
        next = next === 9_999 ? hot : next + 1;
        ask(next);
      } else if (ask(random.below(hot)) && request > 4_000) found++;
      else if (request > 4_000) missed++;
    }
    expect(found / (found + missed)).toBeGreaterThan(0.99);
  });
});

test("a page that was read long ago is not taken for one that was read a moment ago", () => {
  const { ask } = caching();
  for (let page = 0; page < HELD; page++) ask(page);
  ask(9_999);
  for (let page = HELD; page < 9 * HELD; page++) ask(page);
  expect(ask(9_999)).toBe(false);
  expect(ask(9_999)).toBe(false);
  expect(ask(9_999)).toBe(true);
});

test("memory that was given back is lent again, and never twice at once", () => {
  const lend = createLender();
  const [one, other] = [lend(5_000), lend(6_000)];
  // Each has room in front of it.
  expect([one, other].map(({ bytes }) => bytes.byteOffset)).toEqual([HEADROOM, HEADROOM]);
  expect(one.bytes.buffer).not.toBe(other.bytes.buffer);
  one.giveBack();
  const third = lend(7_000);
  expect(third.bytes.buffer).toBe(one.bytes.buffer);
  expect(third.bytes).toHaveLength(7_000);
  expect(lend(5_000).bytes.buffer).not.toBe(third.bytes.buffer);
});

test.each([
  [1_000, true],
  [999, false],
  [0, false],
  [-5_000, false],
])("a file that changed %d ms before it was read is settled after a second: %j", (age, isIt) => {
  const now = 1_800_000_000_000;
  expect(isSettled({ ctimeNs: BigInt(now - age) * 1_000_000n }, now, 1_000)).toBe(isIt);
});
