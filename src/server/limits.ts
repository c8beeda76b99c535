/** Limits that keep slow, silent and many clients from blocking the server. Times in milliseconds. */
export const SERVER_LIMITS = {
  /** A request's line and headers must arrive within this; so must the first request of a new connection. */
  headersMs: 10_000,
  /** The whole request, with a body that nobody reads. */
  requestMs: 15_000,
  keepAliveMs: 5_000,
  /** Longer packets go to Node's server; with 0, all do. */
  fastBytes: 4_096,
  /** How long the system may take nothing of an answer that is ready, besides the time that a slow client needs for what the system holds. */
  idleMs: 30_000,
  /** Bytes that a slow client takes in a second. */
  slowBytes: 8_000,
  /** How often these limits are checked. */
  checkMs: 1_000,
  /** How long a refused client may still send before its connection is cut, so that it can read its answer. */
  lingerMs: 1_000,
  /** At `close`, how long a connection without a whole request may still complete one. */
  graceMs: 1_000,
  /** At `close`, when everything that is left is cut. */
  closeMs: 9_000,
  /** How long a file must have been what it is on disk before that counts: file systems tell time by 2 seconds at worst. */
  settleMs: 2_500,
  /** How often the link `current` is looked at. */
  watchMs: 250,
  /** How soon a release that could not be opened is tried again: the cause may have passed. */
  retryMs: 5_000,
  /** Bytes of the access log that may wait for its reader. */
  logBytes: 16 * 1024 * 1024,
  /** Connections that may wait to be accepted. */
  backlog: 4_096,
};
export type ServerLimits = typeof SERVER_LIMITS & {
  /** Descriptors that the process may have open; what the system says unless given. */
  openFiles?: number;
};
