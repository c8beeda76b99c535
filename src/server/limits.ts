/** How long and how large: what keeps slow, silent and many clients from holding the host. Times in milliseconds. */
export const SERVER_LIMITS = {
  /** A request's line and headers must be here within this, also the first ones of a silent connection. */
  headersMs: 10_000,
  /** The whole request, with a body that nobody reads. */
  requestMs: 15_000,
  keepAliveMs: 5_000,
  /** How long a client may take nothing of an answer that is there for it. */
  idleMs: 30_000,
  /** How often these limits are looked at. */
  checkMs: 1_000,
  /** How long a refused client may still send before its connection is cut, so that it can read its answer. */
  lingerMs: 1_000,
  /** At `close`, how long a connection without a whole request may still complete one. */
  graceMs: 1_000,
  /** At `close`, when whatever is left is cut. */
  closeMs: 9_000,
  /** How often the link `current` is looked at. */
  watchMs: 250,
  /** How soon a release that could not be taken up is tried again: the reason may have been the system's. */
  retryMs: 5_000,
  /** Connections that may wait to be accepted. */
  backlog: 4_096,
};
export type ServerLimits = typeof SERVER_LIMITS & {
  /** Descriptors that the process may have open; what the system says unless given. */
  openFiles?: number;
};
