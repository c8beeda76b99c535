/** Random histories of a site: after each run, its mirror is of one of its snapshots, whatever changes meanwhile. */
import { expect, onTestFinished, test, vi } from "vitest";
import { mirror } from "../../src/index.js";
import { draws, seeded } from "../support/random.js";
import type { Shop } from "../support/small-shop.js";
import { held } from "./filled.js";
import { shop, statesIn } from "./hosted-shop.js";

test("a mirror is of one snapshot of the site", async () => {
  const random = seeded();
  const { cwd, url, change, file } = await shop({ keep: 20 });
  const draw = (): Shop => ({
    customers: 1 + random.below(30),
    orders: random.below(40),
    factor: 1 + random.below(3),
    countries: random.chance(0.5) ? random.below(4) : 0,
  });
  const { fetch } = globalThis;
  let published = [statesIn(cwd)];
  let switchAt = Number.POSITIVE_INFINITY;
  let switches = 0;
  vi.stubGlobal("fetch", async (...given: Parameters<typeof fetch>) => {
    if (--switchAt === 0) {
      switches++;
      await change(draw());
      published.push(statesIn(cwd));
      switchAt = random.chance(0.3) ? 1 + random.below(10) : Number.POSITIVE_INFINITY;
    }
    return fetch(...given);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  for (let round = 0; round < draws(200); round++) {
    await change(draw());
    published = [statesIn(cwd)];
    switchAt = 1 + random.below(25);
    await mirror({ url, file });
    expect(published).toContain(held(file));
    switchAt = Number.POSITIVE_INFINITY;
    await mirror({ url, file });
    expect(held(file)).toBe(published.at(-1));
  }
  expect(switches).toBeGreaterThan(draws(200) / 4);
});
