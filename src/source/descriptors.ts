/**
 * The descriptors by which this process has a file open. Rollcall opens none of a file that SQLite reads: to close it would
 * give up every lock that the process has on the file (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
import { type BigIntStats, fstatSync, readdirSync } from "node:fs";
import { codeOf, hasCode } from "../errors.js";

/** Where the system lists a process's own descriptors. */
const LIST = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

/** Undefined where the system does not list them. */
export function findDescriptors(file: BigIntStats): number[] | undefined {
  try {
    return readdirSync(LIST)
      .map(Number)
      .filter((descriptor) => isOf(descriptor, file));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether two looks, at paths or descriptors, were at one file. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/**
 * Whether nothing was written in between. Who writes can set the time of writing back, but not that of any change; only,
 * a new name or owner is a change too.
 */
export function isUnwritten(one: BigIntStats, other: BigIntStats, isMoved = false): boolean {
  const isKnown = isMoved || (["nlink", "mode", "uid", "gid"] as const).some((key) => one[key] !== other[key]);
  return one.size === other.size && one.mtimeNs === other.mtimeNs && (isKnown || one.ctimeNs === other.ctimeNs);
}

function isOf(descriptor: number, file: BigIntStats): boolean {
  try {
    return isSameFile(fstatSync(descriptor, { bigint: true }), file);
  } catch (error) {
    // Closed since it was listed, as the listing's own is.
    if (hasCode(error, "EBADF")) return false;
    throw error;
  }
}
