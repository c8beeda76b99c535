/** Limits connections, so that enough of the process's file descriptors are left for files. */
import { readdirSync, readFileSync } from "node:fs";

/** Descriptors reserved for files that are read, a release that is opened, and logs. */
const RESERVED = 64;
/** Descriptors assumed open at the start, on systems where they cannot be counted. A Node process has about 20. */
const USUAL = 32;
/** Minimum connections, however low the limit is. */
const FEWEST = 16;

export type Descriptors = ReturnType<typeof shareDescriptors>;

/** Divides the limit on open files. @returns the limit, and the maximum number of connections. */
export function shareDescriptors(limit = openFilesLimit()) {
  return { limit, connections: Math.max(FEWEST, limit - countOpen() - RESERVED) };
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
