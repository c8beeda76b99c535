#!/usr/bin/env node
/** The command: the only file that touches the process, and the only catch-all. */
import type { Io } from "./commands/program/verb.js";
import { codeOf, ExitCode, hasCode, UserError } from "./errors.js";

// SIGHUP asks a server to look at `current`: it must not end one that is still being loaded.
if (process.argv[2] === "serve") process.on("SIGHUP", () => {});
const [{ reportFailure }, { run }] = await Promise.all([
  import("./commands/program/failure.js"),
  import("./commands/program/program.js"),
]);

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: ".",
  now: () => performance.now(),
  date: () => new Date(),
  signals: process,
};

for (const name of ["stdout", "stderr"] as const) {
  process[name].on("error", (cause) => {
    if (io.onLost) return io.onLost(name, codeOf(cause) ?? cause.message);
    // A reader that has seen enough (`rollcall releases | head -1`) is no mistake: the rest goes unsaid.
    if (!hasCode(cause, "EPIPE"))
      fail(new UserError(`Cannot write to ${name} (${codeOf(cause)}).`, { exitCode: ExitCode.usage, cause }));
  });
}
process.on("uncaughtException", fail);

try {
  process.exitCode = await run(process.argv.slice(2), io);
} catch (error) {
  process.exitCode = reportFailure(error, io);
}

/** Ends at once: what nobody caught may have left anything half done. */
function fail(error: unknown): never {
  process.exit(reportFailure(error, io));
}
