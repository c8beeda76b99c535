/** How the descriptors that a process may have are shared, so that connections leave some for the files that it serves. */
import { readdirSync, readFileSync } from "node:fs";

/** Pages that are being read, a release that is taken up, a log, a signal: what is open for a moment besides. */
const RESERVED = 48;
/** Where nobody can count them: a process of Node's has some twenty before it does anything. */
const USUAL = 32;
/** A host that could hold no connection at all would serve nobody. */
const FEWEST = 16;
/** Of what is left, so much is for files that are no pages: each is open until its client has it. */
const FOR_FILES = 0.25;

export interface Descriptors {
  /** As `ulimit -n` prints it; Infinity where the system does not tell. */
  limit: number;
  connections: number;
  files: number;
}

/** Shares `limit`, or the process's own, beside what is open now. */
export function shareDescriptors(limit = openFilesLimit()): Descriptors {
  const room = Math.max(FEWEST, limit - countOpen() - RESERVED);
  return { limit, connections: Math.ceil(room * (1 - FOR_FILES)), files: Math.floor(room * FOR_FILES) };
}

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

function countOpen(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return USUAL;
  }
}
