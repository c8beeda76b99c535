/** Comparing a target with a release. */
import { expect, test } from "vitest";
import type { PublishedFile, ReleaseFiles } from "../../src/publish/order.js";
import { makePlan } from "../../src/publish/plan.js";
import type { Target } from "../../src/publish/target.js";

test("timers run meanwhile, so that the lock is renewed, though no comparison waits for anything", async () => {
  const all = Array.from({ length: 20_000 }, (_, index) => ({ index, path: `${index}` }) as PublishedFile);
  const files = Object.assign([...all], { indexOf: () => undefined }) as unknown as ReleaseFiles;
  const target = {
    async *list() {},
    stateOf: async () => "same",
  } as unknown as Target;
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const plan = await makePlan(target, files, { before: undefined, force: false, signal: undefined });
  clearImmediate(timer);
  expect(plan.counts.same).toBe(20_000);
  expect(turns).toBeGreaterThan(5);
});
