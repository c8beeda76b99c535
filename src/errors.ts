/** Errors a person can act on, and the exit codes they end in. */
import { setMaxListeners } from "node:events";

/**
 * What the process's exit code says; listed in `rollcall --help`. `diff` uses 1 and 2 as diff(1) does. What a signal
 * stopped ends with 128 and the signal's number, as shells have it.
 */
export const ExitCode = {
  ...{ done: 0, refused: 1, usage: 2, gate: 3, bug: 70 },
  ...{ hungUp: 129, interrupted: 130, terminated: 143 },
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * A mistake or a state of the world that the user can mend. The message is one line that names the thing,
 * the value, what is allowed and the next step. Everything else that is thrown is a bug of Rollcall's.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: ExitCode;

  constructor(message: string, options: { exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? ExitCode.refused;
  }
}

/** A wrong flag, argument, variable or config key, or a place without a release that should have one. */
export function usageError(message: string, cause?: unknown): UserError {
  return new UserError(message, { exitCode: ExitCode.usage, cause });
}

/**
 * Runs a step that may be stopped: where it fails once `signal` is aborted, what is thrown is the signal's reason, and
 * not what became of the step.
 */
export async function unlessStopped<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  // Each thread and each request waits for it by itself, which is no leak.
  if (signal) setMaxListeners(0, signal);
  try {
    return await step();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Whether the operating system has refused something: a disk that fails is no bug. Its message says what and where. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // So says better-sqlite3 of a folder that it cannot look at, or not any more.
  return "syscall" in error || error.message.startsWith("Cannot open database because the directory");
}

/** An error of the system as a line to act on; anything else as it is. */
export function explainSystem(error: unknown): unknown {
  if (!isSystemError(error) || error instanceof UserError) return error;
  return new UserError(`The system says "${error.message}"; mend that, then run this again.`, {
    cause: error,
  });
}

/** The system's error code (`ENOENT`, `SQLITE_BUSY`, ...) of anything that was thrown. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * A file that cannot be opened or read, as a mistake that a person can mend.
 * @param purpose what the path is for, as the rest of a sentence: `--db names the SQLite file of users`.
 */
export function unreadable(path: string, purpose: string, cause: unknown): UserError {
  const code = codeOf(cause) ?? "";
  const why = UNREADABLE[code];
  const message = why === undefined ? `Cannot read ${path} (${code})` : why(path);
  return new UserError(`${message}; ${purpose}.`, { cause });
}

const UNREADABLE: Readonly<Partial<Record<string, (path: string) => string>>> = {
  ENOENT: (path) => `There is no file ${path}`,
  ENOTDIR: (path) => `There is no file ${path}, since a part of the path is a file`,
  ELOOP: (path) => `${path} is a link that leads back to itself`,
  EACCES: (path) =>
    `Cannot read ${path} (EACCES): let this user read it, and enter its folders, or run this as a user who may`,
  EIO: (path) => `Cannot read ${path} (EIO): check the disk, or the network that it is on`,
};
