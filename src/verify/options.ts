/** What a verification is given. */

export interface VerifyOptions {
  /**
   * A release's id or the beginning of one, `current`, `previous`, a release's folder, or the base URL of a host; the
   * current release unless given.
   */
  what?: string | undefined;
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
  /** Threads that check a release; as many as cores unless given, and none for small ones. */
  workers?: number | undefined;
  /** The release that a host must serve, in the words of `what`, or `none`; the current one, if there is one, unless given. */
  against?: string | undefined;
  /** How many pages of a host are read, spread from the first to the last; all unless given. */
  sample?: number | undefined;
  /** Names of checks of a host that may differ. */
  allow?: readonly string[] | undefined;
  /** Requests at once; 8 unless given. */
  concurrency?: number | undefined;
  /** Requests a second, at most; no limit unless given. */
  rate?: number | undefined;
  /** The Cache-Control that a host's pages must have; any, the same on all, unless given. */
  cacheControl?: string | undefined;
}

export interface VerifyEffects {
  /** Told how many users have been checked. */
  onProgress?: ((done: { users: number; total: number }) => void) | undefined;
  /** Stops the verification, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths start from; the process's own unless given. */
  cwd?: string | undefined;
}
