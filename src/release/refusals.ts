/** What the system's refusals to write mean, and what to do about each. */
import { accessSync, constants, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { codeOf, isSystemError, UserError } from "../errors.js";

const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  SQLITE_FULL: "the disk is full; free some space",
  EROFS: "it is on a read-only file system; name another folder with --out",
  SQLITE_READONLY: "it is read-only; name another folder with --out",
  SQLITE_CANTOPEN: "its lock cannot be opened; allow this user to write there, or name another folder with --out",
  EACCES: "permission is denied; allow this user to write there, or name another folder with --out",
  EPERM: "it is not permitted; allow this user to write there, or name another folder with --out",
  ENOTDIR: "a part of the path is a file; name another folder with --out",
  EEXIST: "a file is in its place; name another folder with --out",
};

/** What Node's recursive mkdir, and SQLite, say of read-only disks among other things. */
const VAGUE = /^(ENOENT|SQLITE_CANTOPEN|SQLITE_READONLY)/;

/** The system's own code for why a folder, or the nearest one above it that is there, cannot be written. */
export function findRefusal(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK);
      return undefined;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || folder === dirname(folder)) return codeOf(error);
    }
  }
}

/** An error of writing below `dist` as one line to act on; what is no system error is returned as it is. */
export function explainWrite(dist: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UserError) return error;
  const said = codeOf(error) ?? "";
  const code = VAGUE.test(said) ? (findRefusal(dist) ?? said) : said;
  const isOfSqlite = code.startsWith("SQLITE_");
  const known = REFUSALS[isOfSqlite ? code.split("_", 2).join("_") : code];
  if (known === undefined && !isOfSqlite && !isSystemError(error)) return error;
  const why = known ?? `${isOfSqlite ? "SQLite" : "the system"} says "${error.message}"; mend that`;
  return new UserError(`Cannot write ${dist}: ${why}, then run this again. What was current is unchanged.`, {
    cause: error,
  });
}

/**
 * Does what can wait, as all can that comes after a switch: a refusal of the system fails nothing, but becomes a line
 * of `untidied` that begins with `what`.
 */
export function tidy(untidied: string[], what: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    untidied.push(`${what} (${error.message}).`);
  }
}

/** Removes a file, a link or a folder that may be there, now or with the next build. */
export function remove(path: string, untidied: string[]): void {
  tidy(untidied, `${path} could not be removed; the next build tries again`, () => {
    rmSync(path, { recursive: true, force: true });
  });
}
