/** Which share of the pages a run makes: by its numbers, by what engines say, and cut so that each page is in one share. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cutPages, pagesOf } from "../../src/shards/cut.js";
import { readShard } from "../../src/shards/parse.js";

test.each([
  ["3/8", {}, "3/8"],
  ["0/1", { SLURM_ARRAY_TASK_ID: "5" }, "0/1"],
  ["auto/8", { JOB_COMPLETION_INDEX: "7" }, "7/8"],
  ["auto", { SLURM_ARRAY_TASK_ID: "2", SLURM_ARRAY_TASK_COUNT: "4" }, "2/4"],
  // Of an array of eight, one task runs again.
  ["auto/8", { SLURM_ARRAY_TASK_ID: "2", SLURM_ARRAY_TASK_COUNT: "1" }, "2/8"],
  ["auto", { AWS_BATCH_JOB_ARRAY_INDEX: "0", AWS_BATCH_JOB_ARRAY_SIZE: "2" }, "0/2"],
  ["auto", { CLOUD_RUN_TASK_INDEX: "1", CLOUD_RUN_TASK_COUNT: "2" }, "1/2"],
])("%s with %o is %s", (word, env, shard) => {
  const { number, count } = readShard(word, env);
  expect(`${number}/${count}`).toBe(shard);
});

test.each([
  ["8/8", {}, "Shard 8/8 must be a number from 0 and how many there are, as in 0/8 to 7/8."],
  ["auto", {}, "run it in a job array, or give the shard: --shard 0/8."],
  ["auto", { JOB_COMPLETION_INDEX: "0" }, "Kubernetes does not tell the number of shards; give it: --shard auto/8."],
  ["auto/4", { JOB_COMPLETION_INDEX: "4" }, "Shard 4/4 (auto/4) must be"],
  ["auto", { SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_COUNT: "1" }, "Shard 3/1 (auto) must be"],
  [
    "auto/2",
    { JOB_COMPLETION_INDEX: "0", SLURM_ARRAY_TASK_ID: "0" },
    "finds JOB_COMPLETION_INDEX and SLURM_ARRAY_TASK_ID",
  ],
])("%s with %o is refused", (word, env, message) => {
  expect(() => readShard(word, env)).toThrow(message);
});

test("every page is in one shard, shards differ by one group at most, and no group is parted", () => {
  const numbers = [
    fc.integer({ min: 0, max: 5000 }),
    fc.integer({ min: 1, max: 300 }),
    fc.integer({ min: 1, max: 50 }),
  ];
  fc.assert(
    fc.property(
      ...(numbers as [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<number>]),
      (pages, count, together) => {
        const ranges = Array.from({ length: count }, (_, number) => cutPages(pages, { number, count }, together));
        let next = 1;
        for (const range of ranges) {
          expect(range.first).toBe(next);
          if (range.last < pages) expect(range.last % together).toBe(0);
          next = range.last + 1;
        }
        expect(next).toBe(pages + 1);
        const sizes = ranges.map((range) => Math.ceil(pagesOf(range) / together));
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
