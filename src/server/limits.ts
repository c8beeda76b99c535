/** Limits against slow, silent and too many clients. Names that end in `Ms` are milliseconds. */
export const SERVER_LIMITS = {
  /** Time for the request line and headers to arrive, and for the first request of a new connection. */
  headersMs: 10_000,
  /** Time for the whole request to arrive, with a body that is not read. */
  requestMs: 15_000,
  /** Time until an idle connection is closed. */
  keepAliveMs: 5_000,
  /** Maximum bytes of a packet on the fast path. Longer ones go to Node's server; with 0, all do. */
  fastBytes: 4_096,
  /** Time without progress until a response is cut, in addition to the time that a slow client needs for the system's send buffer. */
  idleMs: 30_000,
  /** Bytes per second that a slow client is assumed to read. */
  slowBytes: 8_000,
  /** Interval of checking these limits. */
  checkMs: 1_000,
  /** Time that a refused client may still send, so that it can read the response before its connection is cut. */
  lingerMs: 1_000,
  /** At `close`, time for a connection to complete its first request. */
  graceMs: 1_000,
  /** At `close`, time until all remaining connections are cut. */
  closeMs: 9_000,
  /** Age that a file's last change must have before its verification is kept. Timestamps of file systems may be 2 s coarse. */
  settleMs: 2_500,
  /** Interval of checking the link `current`. */
  watchMs: 250,
  /** Time until a release that could not be opened is tried again. */
  retryMs: 5_000,
  /** Maximum bytes of access log entries that wait to be written. */
  logBytes: 16 * 1024 * 1024,
  /** Maximum connections that wait to be accepted. */
  backlog: 4_096,
};
export type ServerLimits = typeof SERVER_LIMITS & {
  /** Maximum open descriptors of the process; the system's limit by default. */
  openFiles?: number;
};
