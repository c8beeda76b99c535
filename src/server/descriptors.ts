/** Limits connections and downloads, so that enough of the process's file descriptors are left for files. */
import { readFileSync } from "node:fs";
import type { ServerLimits } from "./limits.js";

/** Descriptors of the process itself, and of files that are read. A Node process has about 20 open. */
const RESERVED = 32;

/** Divides the limit on open files: three quarters of those left are connections, and a third of these may be downloads. */
export function shareDescriptors({ openFiles = openFilesLimit(), connections: most }: ServerLimits) {
  const connections = Math.min(most, Math.max(1, Math.floor((openFiles - RESERVED) * 0.75)));
  return { openFiles, connections, downloads: Math.ceil(connections / 3) };
}

/** The process's limit on open files, as `ulimit -n` prints it; Infinity on systems without /proc. */
export function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit) || Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
