/** Limits of the server, and how it shares the descriptors of the process. */
import { readFileSync } from "node:fs";

/** Limits against slow, silent and too many clients. Names that end in `Ms` are milliseconds. */
export const SERVER_LIMITS = {
  /** Time for the request line and headers to arrive. */
  headersMs: 10_000,
  /** Time for the whole request to arrive. */
  requestMs: 15_000,
  /** Time until an idle connection is closed. */
  keepAliveMs: 5_000,
  /** Maximum bytes of a request on the fast path. Longer ones go to Node's server; with 0, all do. */
  fastBytes: 4_096,
  /**
   * Time without progress until a connection is closed. Node waits for twice as long if some bytes were taken. Linux makes
   * room by thirds of a buffer of 4 MB, so with 30 s, clients that read 27 kB/s would be cut.
   */
  stalledMs: 120_000,
  /** Interval of checking time limits, and time until a silent new connection leaves the fast path. */
  checkMs: 1_000,
  /** Maximum requests of a connection that wait for the response before them. */
  waiting: 64,
  /** Maximum connections, if the limit on open files allows as many. */
  connections: 10_000,
  /** Time until a connection is closed whose last response the system has taken, if the client does not close it. */
  lingerMs: 2_000,
  /** Maximum bytes that are read from a client after the last response of its connection. */
  lingerBytes: 256 * 1024,
  /** At `close`, time for a connection to complete its first request. */
  graceMs: 1_000,
  /** At `close`, time until all remaining connections are cut. */
  closeMs: 9_000,
  /** Interval of checking the link `current`. */
  watchMs: 250,
  /** Time until a release that could not be opened is tried again. */
  retryMs: 5_000,
  /** Maximum bytes of access log entries that wait to be written. */
  logBytes: 16 * 1024 * 1024,
  /** At the end, time for the last access log entries to be written. */
  logMs: 500,
  /** Maximum connections that wait to be accepted. */
  backlog: 4_096,
};
export type ServerLimits = typeof SERVER_LIMITS & {
  /** Maximum open descriptors of the process; the system's limit by default. */
  openFiles?: number;
};

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
