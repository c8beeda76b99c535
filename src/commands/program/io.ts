/** What a verb's printing touches of the world, so that tests run it in process; `cli.ts` gives the real one. */
import type { Env, Output } from "../../print/output.js";

/** The signals that a verb answers to, and what comes last of all, whatever ended the process. */
export interface Signals {
  on(signal: SignalName | "exit", listener: () => void): unknown;
  off(signal: SignalName | "exit", listener: () => void): unknown;
}
export type SignalName = "SIGHUP" | "SIGINT" | "SIGTERM";

export interface Io {
  stdout: Output;
  stderr: Output;
  env: Env;
  /** What relative paths are taken from; `.` in the real command, so that messages repeat what was typed. */
  cwd: string;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** What the clock on the wall says. */
  date(): Date;
  signals: Signals;
  /** Set by a verb that goes on when its output cannot be written any more, and told why each time. */
  onLost?: (stream: "stdout" | "stderr", why: string) => void;
}

/** Results for people who read along: everything but data goes to stderr. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** Data: what `--json` and `--access-log` promise. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}
