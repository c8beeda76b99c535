/** What a verb is, and its I/O: the real one is in `cli.ts`, and tests have their own. */
import type { ExitCode } from "../../errors.js";
import { align, type Env, type Line, type Output, painter } from "../../print/style.js";
import type { SettingKey, Settings } from "../../settings/settings.js";

/** The words of a verb's help, and its run. Its flags come from the table of settings. */
export interface Verb {
  /** Another word for it. */
  aliases?: readonly string[];
  summary: string;
  /** As commander writes them, with their help. A `[dist]` and a `[db]` stand for the settings of these names. */
  arguments?: Readonly<Record<string, string>>;
  examples: readonly (readonly [command: string, purpose: string])[];
  /** Whether the config file is not read. Flags and variables always are. */
  isUnconfigured?: true;
  /** Settings that come only from variables and the file: too many flags would hide the verb's own. */
  reads?: readonly SettingKey[];
  load(): Promise<(given: Given, io: Io) => Promise<ExitCode>>;
}

export interface Given {
  settings: Settings;
  /** The settings as they are by now: the config file may have changed. @throws UserError (usage) as for the first ones. */
  again(): Promise<Settings>;
  /** The path of the config file, whether it is there or not. */
  config: string;
  /** All positional arguments, for a verb that takes several of one kind. */
  words: readonly string[];
  /** Positional arguments by name. */
  arguments: Readonly<Record<string, string | undefined>>;
}

/** A terminal that can be read letter by letter, as they are typed. */
export type Input = Pick<NodeJS.ReadStream, "isTTY" | "setRawMode" | "on" | "off" | "resume" | "pause">;

/** The signals that a verb answers to, and the event that comes last, whatever ends the process. */
export type Signals = Record<"on" | "off", (signal: SignalName | "exit", listener: () => void) => unknown>;
export type SignalName = "SIGHUP" | "SIGINT" | "SIGTERM";

export interface Io {
  stdout: Output;
  stderr: Output;
  /** Where a password is typed; absent where nobody sits. */
  stdin?: Input;
  env: Env;
  /** The number of this process, by which others address it. */
  pid: number;
  /** What relative paths are taken from; `.` in the real command, so that messages repeat what was typed. */
  cwd: string;
  /** Milliseconds since some fixed moment. */
  now(): number;
  /** The time of day. */
  date(): Date;
  signals: Signals;
  /** Set by a verb that goes on when its output cannot be written. It is called with the reason each time. */
  onLost?: (stream: "stdout" | "stderr", why: string) => void;
  /** Set by a verb whose process is to end without waiting for output that its reader has not taken. */
  leavesOutput?: boolean;
}

/** For people, on stderr. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

export function sayLines(io: Io, lines: readonly Line[]): void {
  say(io, align(lines, painter(io.stderr, io.env)));
}

/** As `print`, and waits until the system has taken it. @throws the system's error. */
export function printed(io: Io, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    io.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** From now on, output that cannot be written does not change the exit code, because the work is done. @param done says so. */
export function loseOutput(io: Io, done: string): void {
  let isSaid = false;
  io.onLost = (stream, why) => {
    // A reader may leave when it has seen enough.
    if (stream === "stderr" || why === "EPIPE" || isSaid) return;
    isSaid = true;
    say(io, `warning: stdout cannot be written (${why}). ${done}`);
  };
}

/** For programs, on stdout, as `--json` and `--access-log` promise. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}
