/** How many connections a process may hold open, so that it can still open the files that it serves. */
import { readdirSync, readFileSync } from "node:fs";

/** Pages that are being read, a release that is taken up, a log, a signal: what is open for a moment besides. */
const RESERVED = 32;
/** Where nobody can count them: a process of Node's has some twenty before it does anything. */
const USUAL = 32;
/** A host that could hold no connection at all would serve nobody. */
const FEWEST = 8;

/** The process's limit on open files, as `ulimit -n` prints it; Infinity where the system does not tell. */
export function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return reportedLimit();
  }
}

/** For systems without /proc. Not used where that is: a report takes as long as a tenth of the host's start. */
function reportedLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Number.POSITIVE_INFINITY;
}

/** How many descriptors of `limit` may be connections, beside what the process has open now. */
export function roomForConnections(limit: number): number {
  return Math.max(FEWEST, limit - countOpen() - RESERVED);
}

function countOpen(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return USUAL;
  }
}
