/** What stops a publish, as lines to act on. */
import { basename } from "node:path";
import { codeOf, isSystemError, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";

export function damaged(folder: string, path: string): UserError {
  return new UserError(
    `Release ${basename(folder)} is damaged: ${path} does not match its digest. Build again, or publish another one with --release.`,
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  EROFS: "it is on a read-only file system; name another one",
  EACCES: "permission is denied; allow this user to write there",
  EPERM: "it is not permitted; allow this user to write there",
  ENOENT: "there is no such folder; make it",
  EISDIR: "a folder is in its place; name another one",
  ENOTDIR: "a part of the path is a file; name another one",
};

/** An error of the system while `name` was being written, as one line; what is none is returned as it is. */
export function explainPut(name: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const code = codeOf(error) ?? "";
  // Node's recursive mkdir says so of a read-only disk, too.
  const cause = code === "ENOENT" ? (findRefusal(name) ?? code) : code;
  const why = REFUSALS[cause] ?? `the system says "${error.message}"; mend that`;
  return new UserError(`Cannot write ${name}: ${why}, then run this again: it goes on where it stopped.`, {
    cause: error,
  });
}
