/** Checks the `stat` of a source's file. */
import { accessSync, type BigIntStats, constants, statSync } from "node:fs";
import { UserError, unreadableFile } from "../errors.js";
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
 * @param purpose what the path is for: `--db names the file of records`.
 * @param name its name in messages.
 * @throws UserError if it is not.
 */
export function requireFile(path: string, purpose = DB_PURPOSE, name = path): BigIntStats {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw unreadableFile(name, purpose, cause);
  }
  if (stats.isFile() && stats.size > 0) return stats;
  const what = stats.isDirectory() ? "a folder" : stats.isFile() ? "empty (0 bytes)" : "a device or pipe";
  throw new UserError(`${name} is ${what}; ${purpose}.`);
}
