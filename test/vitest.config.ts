import { defineConfig } from "vitest/config";

const SYSTEM = "test/**/*.system.test.ts";
const SOAK = "test/**/*.soak.test.ts";

/** Limits are ten times what a test takes: no test judges by time, and a machine may be busy. */
/** Percent of the lines of each room that tests in their own process run; what the real command runs is not counted. */
const FLOORS = {
  adapters: 90,
  build: 60,
  commands: 60,
  contract: 95,
  diff: 85,
  print: 95,
  publish: 45,
  release: 85,
  remote: 95,
  report: 60,
  server: 75,
  settings: 95,
  sides: 70,
  source: 70,
  verify: 95,
  workers: 60,
};

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    // One of two waits most of the time: for a process, a socket or a browser.
    maxWorkers: 2,
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
        },
      },
      // Servers, browsers, processes, and the package as its users get it.
      { extends: true, test: { name: "system", include: [SYSTEM], testTimeout: 120_000 } },
      // Kills, switches, faults of the disk and hostile requests, over and over.
      { extends: true, test: { name: "soak", include: [SOAK], testTimeout: 300_000 } },
    ],
  },
});
