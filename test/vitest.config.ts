import { statfsSync } from "node:fs";
import { defineConfig } from "vitest/config";

const SYSTEM = "test/**/*.system.test.ts";
const NIGHTLY = "test/**/*.nightly.test.ts";
const SMOKE = "test/smoke.test.ts";
const SETUP = "test/support/setup.ts";

/** A test may take longer in `.ci/nightly draws`, which tries up to ten times as many random cases. */
const LONGER = process.env["ROLLCALL_TEST_DRAWS"] === undefined ? 1 : 10;

/** Linux's file system in memory. */
const MEMORY = "/dev/shm";
const LEAST_FREE = 4 * 1024 ** 3;

/** Temporary files are in memory if there is room: tests flush and remove many of them, for which a disk takes longer. */
const inMemory = freeBytes(MEMORY) < LEAST_FREE ? {} : { TMPDIR: MEMORY };

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

// A limit ends a test that waits for ever. It is twenty times what a test takes, so that a busy machine does not reach it.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    maxWorkers: 2,
    // `.ci/nightly coverage` reports it.
    coverage: { include: ["src/**/*.ts"], reporter: ["text-summary", "html"], reportOnFailure: true },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // A worker reads the code once for all of its files, which takes half of the time.
          pool: "threads",
          isolate: false,
          setupFiles: [SETUP, "test/support/setup-unit.ts"],
          env: inMemory,
          include: ["test/**/*.test.ts"],
          exclude: [SYSTEM, NIGHTLY, SMOKE, "test/engines/**"],
          testTimeout: 60_000 * LONGER,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: "smoke", env: inMemory, globalSetup: ["test/compile.ts"], include: [SMOKE], testTimeout: 60_000 },
      },
      {
        extends: true,
        test: {
          name: "system",
          pool: "forks",
          isolate: false,
          // Most wait most of the time, for a process, a socket or a browser.
          maxWorkers: 3,
          // Vitest refuses projects of one group with different numbers of workers, as in `.ci/nightly coverage`.
          sequence: { groupOrder: 1 },
          setupFiles: [SETUP],
          globalSetup: ["test/compile.ts"],
          env: inMemory,
          include: [SYSTEM],
          testTimeout: 300_000 * LONGER,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "nightly",
          setupFiles: [SETUP],
          globalSetup: ["test/compile.ts"],
          include: [NIGHTLY],
          testTimeout: 3_600_000,
          hookTimeout: 3_600_000,
        },
      },
    ],
  },
});
