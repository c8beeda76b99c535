import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SYSTEM = "test/**/*.system.test.ts";
const NIGHTLY = "test/**/*.nightly.test.ts";

/** Percent of the lines of each room that the fast tests run; what the real command and its threads run is not counted. */
const FLOORS = {
  adapters: 92,
  build: 67,
  bulk: 78,
  changes: 97,
  client: 97,
  commands: 59,
  contract: 97,
  diff: 93,
  init: 97,
  lookup: 90,
  markup: 97,
  mirror: 86,
  print: 98,
  publish: 46,
  release: 90,
  remote: 96,
  report: 78,
  scratch: 90,
  server: 66,
  settings: 98,
  shards: 92,
  sides: 87,
  source: 92,
  verify: 95,
  workers: 72,
};

/** Files that take minutes and are short, where Vitest begins with long ones: nothing is to wait for them at the end. */
const SLOW = /\/(?:runtimes|ceph|origin|large-url|slurm|restarts)\./;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => Number(SLOW.test(other.moduleId)) - Number(SLOW.test(one.moduleId)));
  }
}

// Limits are ten times what a test takes: no test judges by time, and a machine may be busy.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    // Most wait most of the time: for a process, a socket or a browser. A machine of two cores is idle with two.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    globalSetup: ["test/compile.ts"],
    coverage: {
      enabled: process.env["ROLLCALL_TEST_COVERAGE"] === "1",
      include: ["src/**/*.ts"],
      reporter: ["text-summary"],
      reportOnFailure: true,
      thresholds: Object.fromEntries(Object.entries(FLOORS).map(([room, lines]) => [`src/${room}/**`, { lines }])),
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // A worker reads the code once for all of its files, which takes half of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [SYSTEM, NIGHTLY, "test/engines/**"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      // Servers, browsers, processes, and the package as its users get it.
      { extends: true, test: { name: "system", include: [SYSTEM], testTimeout: 120_000, hookTimeout: 120_000 } },
      // Kills, switches, faults of the disk and hostile requests, over and over.
      { extends: true, test: { name: "nightly", include: [NIGHTLY], testTimeout: 300_000, hookTimeout: 300_000 } },
    ],
  },
});
