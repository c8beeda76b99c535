/** Errors that users can act on, their exit codes, and what the system's error codes mean. */
import { setMaxListeners } from "node:events";

/**
 * The exit codes of the command, as `rollcall --help` lists them. `diff` uses 1 and 2 as diff(1) does. After a signal the
 * code is 128 and the signal's number, as in shells.
 */
export const ExitCode = {
  ...{ done: 0, refused: 1, usage: 2, gate: 3, bug: 70 },
  ...{ hungUp: 129, interrupted: 130, terminated: 143 },
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/**
 * A mistake, or something around Rollcall, that the user can correct. The message is one line that names the thing, the
 * value, what is allowed and the next step; a line each below it where one file has many mistakes. Any other error is a bug in Rollcall.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly exitCode: ExitCode;
  /** Further lines of the message, one for each of many mistakes. */
  readonly details: readonly string[];

  constructor(message: string, options: { exitCode?: ExitCode; cause?: unknown; details?: readonly string[] } = {}) {
    super([message, ...(options.details ?? [])].join("\n  "), { cause: options.cause });
    this.exitCode = options.exitCode ?? ExitCode.refused;
    this.details = options.details ?? [];
  }
}

/** A host that does not answer. Its exit code is 1 with every verb. */
export class HostError extends UserError {}

/** For a wrong flag, argument, variable or config key, or a file or a release that is not there. */
export function usageError(message: string, cause?: unknown): UserError {
  return new UserError(message, { exitCode: ExitCode.usage, cause });
}

/** One mistake is the message itself; several stand below a first line that counts them. */
export function manyMistakes(things: string, mistakes: readonly string[]): UserError {
  const [only = "", ...others] = mistakes;
  if (others.length === 0) return usageError(only);
  const first = `${mistakes.length} mistakes in the ${things}:`;
  return new UserError(first, { exitCode: ExitCode.usage, details: mistakes });
}

/** @throws the signal's reason when the step fails after `signal` was aborted, instead of the step's own error. */
export async function unlessStopped<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  // Many threads and requests may listen to one signal. Node would warn of a leak.
  if (signal) setMaxListeners(0, signal);
  try {
    return await step();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Whether the operating system has refused something: a disk that fails is no bug. */
export function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // better-sqlite3 says this of a folder that it cannot look into; its error has no code.
  return "syscall" in error || error.message.startsWith("Cannot open database because the directory");
}

/** The system's error code (`ENOENT`, `SQLITE_BUSY`, ...) of anything that was thrown. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return (typeof error.code === "string" && error.code) || undefined;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

/**
 * What the system says of a refusal. Node's rmSync gives most of them without a code from Node 24 on:
 * `, Unknown error: Device or resource busy '/path'`.
 */
export function reasonOf(error: Error): string {
  return error.message.replace(/^, Unknown error: /, "");
}

/** An error of the system as a line to act on; anything else as it is. */
export function explainSystem(error: unknown): unknown {
  if (!isSystemError(error) || error instanceof UserError) return error;
  const what = "path" in error ? `use ${error.path}` : "go on";
  return new UserError(`Cannot ${what}: ${explainRefusal(error, "another")}, then run this again.`, { cause: error });
}

/**
 * Why the system or SQLite refuses a path, and what to do: `the disk is full; free some space`.
 * @param another what the user may name instead: `another folder with --dist`.
 * @param code of the refusal, where the error's own is too vague.
 */
export function explainRefusal(error: Error, another: string, code = codeOf(error) ?? ""): string {
  const isOfSqlite = code.startsWith("SQLITE_");
  // `SQLITE_READONLY_DIRECTORY` is a kind of `SQLITE_READONLY`.
  const known = REFUSALS[isOfSqlite ? code.split("_", 2).join("_") : code];
  const unknown = `${isOfSqlite ? "SQLite" : "the system"} reports "${reasonOf(error)}"; correct what it names`;
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
  ELOOP: "a part of its path is a link that leads back to itself; name {another}",
  ENAMETOOLONG: "its path is too long; name {another}",
  EIO: "the disk, or the network that it is on, has failed; check it",
  EMFILE: 'too many files are open; raise the limit ("ulimit -n")',
  ENFILE: "too many files are open on this machine; close some programs",
};

/** @param purpose what the path is for, as the rest of a sentence: `--db names the file of records`. */
export function unreadable(path: string, purpose: string, cause: unknown): UserError {
  const code = codeOf(cause) ?? String(cause);
  const messages: Readonly<Partial<Record<string, string>>> = {
    ENOENT: `There is no file ${path}`,
    ENOTDIR: `There is no file ${path}, since a part of the path is a file`,
    ELOOP: `${path} is a link that leads back to itself`,
    EACCES: `Cannot read ${path} (EACCES): let this user read it, and enter its folders, or run this as a user who may`,
    EIO: `Cannot read ${path} (EIO): check the disk, or the network that it is on`,
  };
  const exitCode = code === "ENOENT" || code === "ENOTDIR" ? ExitCode.usage : ExitCode.refused;
  return new UserError(`${messages[code] ?? `Cannot read ${path} (${code})`}; ${purpose}.`, { exitCode, cause });
}
