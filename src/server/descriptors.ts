/** Limits connections and downloads, so that enough of the process's file descriptors are left for files. */
import { readdirSync, readFileSync } from "node:fs";
import type { ServerLimits } from "./limits.js";

/** Descriptors assumed open at the start, on systems where they cannot be counted. A Node process has about 20. */
const USUAL = 32;

/** Divides the limit on open files: three quarters of those left are connections, and a third of these may be downloads. */
export function shareDescriptors({ openFiles = openFilesLimit(), connections: most }: ServerLimits) {
  const connections = Math.min(most, Math.max(1, Math.floor((openFiles - countOpen()) * 0.75)));
  return { openFiles, connections, downloads: Math.ceil(connections / 3) };
}

/** The process's limit on open files, as `ulimit -n` prints it; Infinity if it is unknown. */
export function openFilesLimit(): number {
  let limit: unknown;
  try {
    [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  } catch {
    // A system without /proc. The report takes a tenth of the time that the server needs to start.
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
    limit = userLimits?.open_files?.soft;
  }
  return Number(limit) || Number.POSITIVE_INFINITY;
}

function countOpen(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return USUAL;
  }
}
