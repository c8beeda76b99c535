#!/usr/bin/env node
/** The `rollcall` command. Only this file reads the process, writes to it and ends it, and only it catches every error. */
import { existsSync } from "node:fs";
import { codeOf, ExitCode, explainSystem, hasCode, UserError } from "../core/errors.js";
import { DEBUG_VARIABLE } from "../core/settings/names.js";
import type { Io } from "./program/verb.js";

// SIGHUP makes a server read `current` again. It must not end a server that is still being loaded.
if (process.argv[2] === "serve") process.on("SIGHUP", () => {});
// Stacks then name lines of src. It takes effect for modules that are loaded later.
if (process.env[DEBUG_VARIABLE]) process.setSourceMapsEnabled(true);
const [{ reportFailure }, { run }] = await Promise.all([
  import("./program/failure.js"),
  import("./program/program.js"),
]).catch(failToLoad);

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  // Reading `process.stdin` opens it, so this is a getter.
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  pid: process.pid,
  cwd: ".",
  now: () => performance.now(),
  date: () => new Date(),
  signals: process,
};

for (const name of ["stdout", "stderr"] as const) {
  process[name].on("error", (cause) => {
    if (io.onLost) return io.onLost(name, codeOf(cause) ?? cause.message);
    // A reader may close the pipe early (`rollcall releases | head -1`). Further output is dropped.
    if (!hasCode(cause, "EPIPE"))
      fail(new UserError(`Cannot write to ${name} (${codeOf(cause)}).`, { exitCode: ExitCode.usage, cause }));
  });
}
process.on("uncaughtException", fail);

try {
  process.exitCode = await run(process.argv.slice(2), io);
} catch (error) {
  process.exitCode = reportFailure(explainUnread(error), io);
}

if (io.exitsAtOnce) process.exit();

/** Ends the process if its first modules cannot be read, as with a low limit on open files. */
function failToLoad(thrown: unknown): never {
  const error = explainSystem(explainUnread(thrown));
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(error.exitCode);
}

/** Node says that a package is missing if too many files are open to read its package.json. @returns what is the case. */
function explainUnread(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !hasCode(thrown, "ERR_MODULE_NOT_FOUND")) return thrown;
  const [, path = ""] = /^Cannot find package '(.+)\/index\.js'/.exec(thrown.message) ?? [];
  if (!existsSync(path)) return thrown;
  return Object.assign(new Error(thrown.message), { code: "EMFILE", syscall: "open", path: `${path}/index.js` });
}

/** Ends the process at once: after an uncaught error, its state is unknown. */
function fail(error: unknown): never {
  process.exit(reportFailure(error, io));
}
