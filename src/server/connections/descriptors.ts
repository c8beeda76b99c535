/** Shares the descriptors that a process may have, so that connections leave some for the files that it serves. */
import { readdirSync, readFileSync } from "node:fs";

/** For what is open only for a moment: files that are read, a release that is opened, logs. */
const RESERVED = 64;
/** Open from the start, on systems that do not let us count: a process of Node's has about twenty. */
const USUAL = 32;
/** A server that could hold no connection at all would serve nobody. */
const FEWEST = 16;

export type Descriptors = ReturnType<typeof shareDescriptors>;

export function shareDescriptors(limit = openFilesLimit()) {
  return { limit, connections: Math.max(FEWEST, limit - countOpen() - RESERVED) };
}

/** The process's limit on open files, as `ulimit -n` prints it; Infinity if the system does not tell. */
export function openFilesLimit(): number {
  let limit: unknown;
  try {
    [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  } catch {
    // A system without /proc. The report is slow: a tenth of the time that the server takes to start.
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
