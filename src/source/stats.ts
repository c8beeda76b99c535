/** What `stat` says of a file at two moments. */
import type { BigIntStats } from "node:fs";

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
