/** The thread pool: runs jobs, and reports why a thread ended. */
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ThreadPool } from "../../../src/core/workers/pool.js";
import { bundled } from "../../support/bundle.js";

const failing = () => bundled("test/core/workers/failing.mjs");

function poolOf(size: number, data = "") {
  return new ThreadPool<string, number, number>({ size, file: failing(), data, start: () => (job) => -job });
}

function* jobs(...all: number[]) {
  yield* all;
}

test.each([
  ["at once", { name: "RangeError", message: "never begun" }],
  ["at its start", { name: "UserError", message: "a mistake at the start", exitCode: 1 }],
  ["of SQLite", { code: "SQLITE_CANTOPEN", message: "unable to open database file" }],
  ["exit", { message: "A worker thread ended with code 3 before it answered." }],
])("a thread that fails %s", async (way, error) => {
  const pool = poolOf(2, way);
  const results: number[] = [];
  await expect(pool.run(jobs(1, 2, 3), (result) => results.push(result))).rejects.toMatchObject(error);
  // A later job fails, too.
  await expect(pool.run(jobs(1), () => {})).rejects.toMatchObject(error);
  await pool.end();
  expect(results).toEqual([]);
});

test("reports a thread that ends between jobs", async () => {
  await poolOf(1, "at once").end();
});

test.each([1, 2, 3])("%i threads run each job once, and return its result", async (size) => {
  const pool = poolOf(size);
  const results: [number, number][] = [];
  await pool.run(jobs(3, 1, 4, 15, 9, 2, 6), (result, job) => results.push([job, result]));
  await pool.end();
  expect(results.sort(([a], [b]) => a - b)).toEqual([1, 2, 3, 4, 6, 9, 15].map((job) => [job, job]));
});

test("without threads, runs jobs on the calling thread", async () => {
  const results: number[] = [];
  await poolOf(0).run(jobs(1, 2), (result) => results.push(result));
  expect(results).toEqual([-1, -2]);
});

test.each([0, 2])("begins no job after take returns false, with %i threads", async (size) => {
  const pool = poolOf(size);
  let begun = 0;
  const endless = (function* () {
    for (;;) yield ++begun;
  })();
  await pool.run(endless, () => begun < 3);
  await pool.end();
  expect(begun).toBeLessThan(6);
});

test.each([0, 2])("an abort ends the run with the signal's reason, with %i threads", async (size) => {
  const stop = new AbortController();
  const pool = new ThreadPool({
    size,
    file: failing(),
    data: "",
    start: () => (job: number) => job,
    signal: stop.signal,
  });
  const run = pool.run(jobs(1, 1, 1, 1, 1), () => stop.abort(new Error("stopped")));
  await expect(run).rejects.toThrow("stopped");
  await pool.end();
});

test("does not terminate a thread during a job", async () => {
  for (let i = 0; i < 10; i++) {
    const pool = poolOf(1);
    const results: number[] = [];
    await pool.run(jobs(1), (result) => results.push(result));
    const running = pool.run(jobs(5000), (result) => results.push(result));
    await pool.end();
    await running;
    expect(results).toEqual([1, 5000]);
  }
});

test("keeps no result in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const pool = new ThreadPool<string, number, { job: number }>({ size: 1, file: failing(), data: "objects" });
  const results: WeakRef<{ job: number }>[] = [];
  await pool.run(jobs(...Array(100).keys()), (result) => void results.push(new WeakRef(result)));
  // An event of the last message may still be in the queue after one turn.
  for (let turn = 0; turn < 2; turn++) {
    await setImmediate();
    collect();
  }
  // The last result may still be retained.
  expect(results.filter((result) => result.deref()).length).toBeLessThanOrEqual(1);
  expect(results).toHaveLength(100);
  await pool.end();
});
