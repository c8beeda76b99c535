/** What `stat` says of a source's file, at one moment or at two. */
import { accessSync, type BigIntStats, constants, statSync } from "node:fs";
import { UserError, unreadable } from "../errors.js";
import { DB_PURPOSE } from "./errors.js";

export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.birthtimeNs === other.birthtimeNs;
}

/**
 * Whether nothing was written to a file between two results of `stat`. A writer can reset mtime, but not ctime. A new name
 * or owner changes ctime, too, so ctime counts only where neither has changed.
 */
export function isUnwritten(one: BigIntStats, other: BigIntStats): boolean {
  const isKnown = (["nlink", "mode", "uid", "gid"] as const).some((key) => one[key] !== other[key]);
  return one.size === other.size && one.mtimeNs === other.mtimeNs && (isKnown || one.ctimeNs === other.ctimeNs);
}

/**
 * Names common mistakes, for which SQLite would only say "unable to open database file".
 * @param purpose what the path is for: `--db names the file of records`.
 * @throws UserError when there is no file that can be read, or nothing in it.
 */
export function requireFile(path: string, purpose = DB_PURPOSE): BigIntStats {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
    accessSync(path, constants.R_OK);
  } catch (cause) {
    throw unreadable(path, purpose, cause);
  }
  if (stats.isFile() && stats.size > 0) return stats;
  const what = stats.isDirectory() ? "a folder" : stats.isFile() ? "empty (0 bytes)" : "a device or pipe";
  throw new UserError(`${path} is ${what}; ${purpose}.`);
}
