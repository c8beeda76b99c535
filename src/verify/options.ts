/** The options of a verification. */
import type { OptionsFor } from "../core/settings/settings.js";

/** The options of `verify`. */
export interface VerifyOptions extends OptionsFor<"verify"> {
  /**
   * A release's id or its beginning, `current`, `previous`, a release's folder, or the base URL of a host; the current release
   * by default.
   */
  what?: string | undefined;
}

/** Progress in records. `words` are the contract's words for one record and for many, if it is known. */
interface CheckedRecords {
  records: number;
  total: number;
  words?: readonly [one: string, many: string] | undefined;
}

export interface VerifyEffects {
  /**
   * Called with the number of checked records of a release, then of recreated files of its lookup; or with the number of requests
   * to a host.
   */
  onProgress?:
    | ((done: CheckedRecords | { files: number; total: number } | { requests: number; total: number }) => void)
    | undefined;
  /** Stops the verification, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths are resolved against; the working directory by default. */
  cwd?: string | undefined;
}
