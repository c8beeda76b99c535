/** Checks the `stat` of a source's file. */
import { accessSync, type BigIntStats, constants, type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { codeOf, hasCode, UserError, unreadableFile, usageError } from "../errors.js";
import { findNear } from "../print/near.js";
import { DB_PURPOSE } from "./errors.js";

/** Whether two results of `stat` are of the same file. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.birthtimeNs === other.birthtimeNs;
}

/**
 * Whether nothing was written to a file between two results of `stat`. A writer can reset mtime, but not ctime. Renaming and
 * changing the owner or mode also update ctime, so it is ignored if links, mode or owner differ.
 */
export function isUnwritten(one: BigIntStats, other: BigIntStats): boolean {
  const hasOtherReason = (["nlink", "mode", "uid", "gid"] as const).some((key) => one[key] !== other[key]);
  return one.size === other.size && one.mtimeNs === other.mtimeNs && (hasOtherReason || one.ctimeNs === other.ctimeNs);
}

/** Whether a path still has the file of an earlier `stat`, and nothing was written to it. */
export function isUntouched(path: string, stats: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isSameFile(now, stats) && isUnwritten(now, stats);
}

/**
 * Checks that a path is a readable file that is not empty. SQLite would only say "unable to open database file".
 * @param purpose what the path is for, or the next step.
 * @param name its name in messages.
 * @throws UserError if it is not.
 */
export function requireFile(path: string, purpose = DB_PURPOSE, name = path): BigIntStats {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
    accessSync(path, constants.R_OK);
  } catch (cause) {
    const near = hasCode(cause, "ENOENT") ? findNearFile(path) : undefined;
    if (near !== undefined) throw usageError(`There is no file ${name}; did you mean ${near}?`, cause);
    throw unreadableFile(name, purpose, cause);
  }
  if (stats.isFile() && stats.size > 0) return stats;
  const what = stats.isDirectory() ? "a folder" : stats.isFile() ? "empty (0 bytes)" : "a device or pipe";
  throw new UserError(`${name} is ${what}; ${purpose}.`);
}

/** Finds the file in the same folder with the nearest name, if any is near. */
function findNearFile(path: string): string | undefined {
  const folder = dirname(path);
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
  const files = entries.filter((entry) => entry.isFile()).map((entry) => parse(entry.name));
  // Without extensions, which would make any two names of SQLite files near.
  const near = findNear(
    parse(path).name,
    files.map(({ name }) => name),
  );
  const file = files.find(({ name }) => name === near);
  return file === undefined ? undefined : join(folder, file.base);
}
