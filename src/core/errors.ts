/** Errors that users can act on, exit codes, and explanations of system error codes. */
import { isUtf8 } from "node:buffer";
import { setMaxListeners } from "node:events";
import { readFileSync, statSync } from "node:fs";

/**
 * Exit codes of the command, as `rollcall --help` lists them. `diff` uses 1 and 2 as diff(1) does. After a signal the
 * code is 128 plus the signal's number, as in shells.
 */
export const ExitCode = {
  done: 0,
  refused: 1,
  usage: 2,
  gate: 3,
  bug: 70,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * An error that the user can correct. The message is one line that names the thing, the value, what is allowed and the
 * next step. Where one file has many mistakes, `details` adds a line for each. Any other error is a bug in Rollcall.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: ExitCode;
  /** More lines of the message, one for each mistake. */
  readonly details: readonly string[];

  constructor(message: string, options: { exitCode?: ExitCode; cause?: unknown; details?: readonly string[] } = {}) {
    super([message, ...(options.details ?? [])].join("\n  "), { cause: options.cause });
    this.exitCode = options.exitCode ?? ExitCode.refused;
    this.details = options.details ?? [];
  }
}

/** The host does not answer. The exit code is 1 with every verb. */
export class HostError extends UserError {}

/** Makes the error for a wrong flag, argument, variable or config key, or for a missing file or release. Exit code 2. */
export function usageError(message: string, cause?: unknown): UserError {
  return new UserError(message, { exitCode: ExitCode.usage, cause });
}

/** Makes one usage error of all mistakes: a single one is the message; several are listed below a line with their number. */
export function manyMistakes(things: string, mistakes: readonly string[]): UserError {
  const [only = "", ...others] = mistakes;
  if (others.length === 0) return usageError(only);
  const first = `${mistakes.length} mistakes in the ${things}:`;
  return new UserError(first, { exitCode: ExitCode.usage, details: mistakes });
}

/** Runs a step. @throws the signal's reason, not the step's own error, once `signal` is aborted. */
export async function unlessStopped<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  // Many threads and requests listen to one signal. Node would warn of a leak.
  if (signal) setMaxListeners(0, signal);
  try {
    return await step();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Whether an error comes from the operating system, such as a full disk, so that it is not a bug. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // For a folder that it cannot read, better-sqlite3 throws this message without a code.
  return "syscall" in error || error.message.startsWith("Cannot open database because the directory");
}

/** The error code (`ENOENT`, `SQLITE_BUSY`, ...) of a thrown value; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return (typeof error.code === "string" && error.code) || undefined;
}

/** Whether a thrown value has one of these error codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

/** Whether a thrown value says that a file does not exist (ENOENT). */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/**
 * The system's message of an error. From Node 24 on, rmSync reports most errors without a code:
 * `, Unknown error: Device or resource busy '/path'`.
 */
export function reasonOf(error: Error): string {
  return error.message.replace(/^, Unknown error: /, "");
}

/** Turns an error of the system into a UserError that says what to do; returns anything else unchanged. */
export function explainSystem(error: unknown): unknown {
  if (!isSystemError(error) || error instanceof UserError) return error;
  const what = "path" in error ? `use ${error.path}` : "go on";
  return new UserError(`Cannot ${what}: ${explainRefusal(error, "another")}, then run this again.`, { cause: error });
}

/**
 * Says why the system or SQLite refuses a path, and what to do: `the disk is full; free some space`.
 * @param another what the user can name instead: `another folder with --dist`.
 * @param code the error code, where the error's own is too vague.
 */
export function explainRefusal(error: Error, another: string, code = codeOf(error) ?? ""): string {
  const isOfSqlite = code.startsWith("SQLITE_");
  // `SQLITE_READONLY_DIRECTORY` is a kind of `SQLITE_READONLY`.
  const known = REFUSALS[isOfSqlite ? code.split("_", 2).join("_") : code];
  const unknown = `${isOfSqlite ? "SQLite" : "the system"} reports "${reasonOf(error)}"; correct this`;
  return known?.replace("{another}", another) ?? unknown;
}

const REFUSALS: Readonly<Partial<Record<string, string>>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  SQLITE_FULL: "the disk is full; free some space",
  EROFS: "it is on a read-only file system; name {another}",
  SQLITE_READONLY: "it is read-only; name {another}",
  SQLITE_CANTOPEN: "its lock cannot be opened; allow this user to write there, or name {another}",
  EACCES: "permission is denied; give this user access to it, or name {another}",
  EPERM: "it is not permitted; give this user access to it, or name {another}",
  ENOENT: "a part of its path does not exist; create it, or name {another}",
  ENOTDIR: "a part of its path is a file; name {another}",
  EEXIST: "a file is in its place; name {another}",
  EISDIR: "a folder is in its place; name {another}",
  ELOOP: "a part of its path is a symbolic link to itself; name {another}",
  ENAMETOOLONG: "its path is too long; name {another}",
  EIO: "the disk, or the network that it is on, has failed; check it",
  EMFILE: 'too many files are open; raise the limit ("ulimit -n")',
  ENFILE: "too many files are open on this machine; close some programs",
};

/**
 * Reads a text file that a user has named.
 * @param purpose what the path is for: `--query names a file with one SELECT`.
 * @param most maximum bytes.
 * @throws UserError if it cannot be read, is too large, or is not UTF-8.
 */
export function readText(path: string, purpose: string, most = Number.POSITIVE_INFINITY): string {
  let bytes: Buffer;
  try {
    const stats = statSync(path);
    if (!stats.isFile() && !stats.isFIFO())
      throw usageError(`${path} is ${stats.isDirectory() ? "a folder" : "a device"}; ${purpose}.`);
    if (stats.size > most) throw usageError(`${path} has ${stats.size} bytes, more than ${most}; ${purpose}.`);
    bytes = readFileSync(path);
  } catch (cause) {
    throw cause instanceof UserError ? cause : unreadableFile(path, purpose, cause);
  }
  if (!isUtf8(bytes)) throw usageError(`${path} is not text in UTF-8; save it as UTF-8.`);
  return bytes.toString("utf8");
}

/** Makes the error for a file that cannot be read. @param purpose what the path is for, or the next step. */
export function unreadableFile(path: string, purpose: string, cause: unknown): UserError {
  const code = codeOf(cause) ?? String(cause);
  const messages: Readonly<Partial<Record<string, string>>> = {
    ENOENT: `There is no file ${path}`,
    ENOTDIR: `There is no file ${path}: a part of the path is a file`,
    ELOOP: `${path} is a symbolic link to itself`,
    EACCES: `Cannot read ${path} (EACCES): give this user access to it and its folders, or run this as another user`,
    EIO: `Cannot read ${path} (EIO): check the disk, or the network that it is on`,
  };
  const exitCode = code === "ENOENT" || code === "ENOTDIR" ? ExitCode.usage : ExitCode.refused;
  return new UserError(`${messages[code] ?? `Cannot read ${path} (${code})`}; ${purpose}.`, { exitCode, cause });
}
