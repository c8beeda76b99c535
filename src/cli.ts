#!/usr/bin/env node
import { reportFailure } from "./commands/failure.js";
import type { Io } from "./commands/io.js";
import { run } from "./commands/program.js";
/** The command: the only file that touches the process, and the only catch-all. */
import { codeOf } from "./errors.js";

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: ".",
  now: () => performance.now(),
  signals: process,
};

// A reader that has seen enough (`rollcall releases | head -1`) is no mistake: the rest goes unsaid.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (codeOf(error) !== "EPIPE") throw error;
  });
}

try {
  process.exitCode = await run(process.argv.slice(2), io);
} catch (error) {
  process.exitCode = reportFailure(error, io);
}
