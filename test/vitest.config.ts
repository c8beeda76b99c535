import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // One of them waits most of the time: for a process, a socket or a browser.
    maxWorkers: 2,
    globalSetup: ["test/compile.ts"],
    testTimeout: 30_000,
  },
});
