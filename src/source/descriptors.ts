/** Rollcall opens no file that SQLite reads: closing it would give up all locks (sqlite.org/howtocorrupt.html, 2.2). */
import { type BigIntStats, fstatSync, readdirSync } from "node:fs";
import { codeOf, hasCode } from "../errors.js";

const LIST = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";

/** @returns undefined where the system does not list descriptors. */
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

export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/**
 * Whether nothing was written to a file between two results of `stat`. A writer can reset mtime, but not ctime. A new name
 * or owner changes ctime, too, so ctime counts only where neither has changed.
 * @param isMoved whether the file is known to have a new name, or none.
 */
export function isUnwritten(one: BigIntStats, other: BigIntStats, isMoved = false): boolean {
  const isKnown = isMoved || (["nlink", "mode", "uid", "gid"] as const).some((key) => one[key] !== other[key]);
  return one.size === other.size && one.mtimeNs === other.mtimeNs && (isKnown || one.ctimeNs === other.ctimeNs);
}

function isOf(descriptor: number, file: BigIntStats): boolean {
  try {
    return isSameFile(fstatSync(descriptor, { bigint: true }), file);
  } catch (error) {
    // It was closed since it was listed, as the descriptor of the listing itself was.
    if (hasCode(error, "EBADF")) return false;
    throw error;
  }
}
