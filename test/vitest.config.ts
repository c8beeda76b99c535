import { defineConfig } from "vitest/config";

const SYSTEM = "test/**/*.system.test.ts";
const SOAK = "test/**/*.soak.test.ts";

/** Limits are ten times what a test takes: no test judges by time, and a machine may be busy. */
/** Percent of the lines of each room that tests in their own process run; what the real command runs is not counted. */
const FLOORS = {
  adapters: 92,
  build: 45,
  client: 95,
  commands: 68,
  contract: 97,
  diff: 94,
  init: 92,
  markup: 95,
  mirror: 90,
  print: 97,
  publish: 84,
  release: 86,
  remote: 97,
  report: 97,
  server: 65,
  settings: 97,
  sides: 82,
  source: 72,
  verify: 92,
  workers: 72,
};

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    // Most wait most of the time: for a process, a socket or a browser. A machine of two cores is idle with two.
    maxWorkers: 3,
    globalSetup: ["test/compile.ts"],
    coverage: {
      include: ["src/**/*.ts"],
      reporter: ["text-summary"],
      reportOnFailure: true,
      thresholds: Object.fromEntries(Object.entries(FLOORS).map(([room, lines]) => [`src/${room}/**`, { lines }])),
    },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: [SYSTEM, SOAK, "test/engines/**"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      // Servers, browsers, processes, and the package as its users get it.
      { extends: true, test: { name: "system", include: [SYSTEM], testTimeout: 120_000, hookTimeout: 120_000 } },
      // Kills, switches, faults of the disk and hostile requests, over and over.
      { extends: true, test: { name: "soak", include: [SOAK], testTimeout: 300_000, hookTimeout: 300_000 } },
    ],
  },
});
