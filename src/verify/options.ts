/** What a verification is given. */
import type { OptionsOf } from "../settings/settings.js";

/** With the settings of `rollcall verify` that say how. */
export interface VerifyOptions
  extends OptionsOf<
    "workers" | "against" | "sample" | "allow" | "adapt" | "concurrency" | "rate" | "cacheControl" | "key" | "maxAge"
  > {
  /**
   * A release's id or the beginning of one, `current`, `previous`, a release's folder, or the base URL of a host; the
   * current release unless given.
   */
  what?: string | undefined;
  /** The folder of the releases; `dist` unless given. */
  dist?: string | undefined;
}

/** `words` are the contract's for one record and for many, where the release has one. */
interface CheckedRecords {
  records: number;
  total: number;
  words?: readonly [one: string, many: string] | undefined;
}

export interface VerifyEffects {
  /**
   * Told how many records of a release have been checked, then how many of the files that records are found by have been made
   * again; or how many requests to a host have been sent.
   */
  onProgress?:
    | ((done: CheckedRecords | { files: number; total: number } | { requests: number; total: number }) => void)
    | undefined;
  /** Stops the verification, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths start from; the process's own unless given. */
  cwd?: string | undefined;
}
