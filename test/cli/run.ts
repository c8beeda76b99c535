/** Runs the command line in process, and captures its output. */
import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { reportFailure } from "../../src/cli/program/failure.js";
import { run } from "../../src/cli/program/program.js";
import type { Io } from "../../src/cli/program/verb.js";
import type { ExitCode } from "../../src/core/errors.js";

/** A stream that keeps what is written to it. It is a terminal only when asked to be. */
export class Screen extends Writable {
  text = "";
  readonly isTTY: boolean;
  columns = 100;

  constructor(isTTY = false) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
  }
}

export interface FakeIo extends Io {
  stdout: Screen;
  stderr: Screen;
  signals: EventEmitter;
}

interface FakeIoOptions {
  env?: Io["env"];
  isTTY?: boolean;
  now?: () => number;
}

/** An Io in `cwd`, whose clock stands still unless the test moves it. */
export function fakeIo(cwd: string, { env = {}, isTTY = false, now = () => 0 }: FakeIoOptions = {}): FakeIo {
  return {
    stdout: new Screen(isTTY),
    stderr: new Screen(isTTY),
    env,
    pid: process.pid,
    cwd,
    now,
    date: () => new Date("2026-11-21T03:40:00Z"),
    signals: new EventEmitter(),
  };
}

/** One run: `argv` as a line whose words are split at spaces, or as words. */
export async function rollcall(argv: string | readonly string[], io: FakeIo) {
  const code = await exitCodeOf(typeof argv === "string" ? argv.split(" ").filter(Boolean) : argv, io);
  const tidy = (text: string) => text.replaceAll(`${io.cwd}/`, "");
  return { code, stdout: tidy(io.stdout.text), stderr: tidy(io.stderr.text) };
}

async function exitCodeOf(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await run(argv, io);
  } catch (error) {
    return reportFailure(error, io);
  }
}
