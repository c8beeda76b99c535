/** The interface of verbs, and their I/O, which `cli.ts` provides. */
import type { ExitCode } from "../../core/errors.js";
import { align, type Env, type Line, type Output, painter } from "../../core/print/style.js";
import { toJson } from "../../core/print/text.js";
import type { Settings } from "../../core/settings/settings.js";

/** A verb: its help, and the function that runs it. Its flags come from the table of settings. */
export interface Verb {
  /** One line, for the list of verbs. */
  summary: string;
  /** Text that only the verb's own help has. */
  details?: string;
  /** Arguments in commander's notation, with their help. `[dist]` and `[db...]` set the settings of these names. */
  arguments?: Readonly<Record<string, string>>;
  examples: readonly (readonly [command: string, purpose: string])[];
  /** Set if the verb reads no config file but one that it is told to. Flags and variables are always read. */
  isUnconfigured?: true;
  load(): Promise<(given: Invocation, io: Io) => Promise<ExitCode>>;
}

/** The input of a verb. */
export interface Invocation {
  settings: Settings;
  /** Reads the settings again, since the config file may have changed. @throws UserError (usage) */
  reload(): Promise<Settings>;
  /** The path of the config file, which may not exist. */
  config: string;
  /** `--config`, if it is given. */
  typedConfig: string | undefined;
  /** All positional arguments. */
  positional: readonly string[];
  /** Positional arguments by name. */
  arguments: Readonly<Record<string, string | undefined>>;
}

/** Standard input, which may be a terminal. */
export type Input = NodeJS.ReadableStream & Pick<NodeJS.ReadStream, "isTTY">;

/** Signals that verbs handle, and the process's `exit` event. */
export type Signals = Record<"on" | "off", (signal: SignalName | "exit", listener: () => void) => unknown>;
export type SignalName = "SIGHUP" | "SIGINT" | "SIGTERM";

export interface Io {
  stdout: Output;
  stderr: Output;
  /** The terminal for passwords; undefined if there is none. */
  stdin?: Input;
  env: Env;
  /** The process id. */
  pid: number;
  /** The base of relative paths. It is `.` in the real command, so that messages show paths as typed. */
  cwd: string;
  /** Monotonic time in milliseconds. */
  now(): number;
  /** The time of day. */
  date(): Date;
  signals: Signals;
  /** Set by a verb that continues if its output cannot be written. Called for each failure. */
  onLost?: (stream: "stdout" | "stderr", why: string) => void;
  /** Set by a verb whose process exits without waiting for output that has not been read. */
  exitsAtOnce?: boolean;
}

/** Prints text for humans, on stderr. */
export function say(io: Io, text: string): void {
  io.stderr.write(`${text}\n`);
}

/** Prints aligned lines on stderr. */
export function sayLines(io: Io, lines: readonly Line[]): void {
  say(io, align(lines, painter(io.stderr, io.env)));
}

/** Like `print`, but waits until the text is written. @throws the system's error. */
export function printAndWait(io: Io, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    io.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** From now on, failed output does not change the exit code, since the work is done. @param done the sentence that says so. */
export function ignoreLostOutput(io: Io, done: string): void {
  let isSaid = false;
  io.onLost = (stream, why) => {
    // EPIPE: the reader has closed the pipe.
    if (stream === "stderr" || why === "EPIPE" || isSaid) return;
    isSaid = true;
    say(io, `warning: stdout cannot be written (${why}). ${done}`);
  };
}

/** Prints a verb's result as JSON, with the seconds since it `began`. */
export function printResult(io: Io, result: object, began: number): void {
  print(io, toJson({ ...result, seconds: Math.round(io.now() - began) / 1000 }));
}

/** Prints output for programs, on stdout. */
export function print(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}
