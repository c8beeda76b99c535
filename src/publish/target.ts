/** What publishing asks of a place, be it a folder or a bucket. */
import type { PublishedFile, ReleaseFiles } from "./files.js";
import type { Owned } from "./owned.js";

/** Files that are compared, put or removed at once. */
export const AT_ONCE = 16;

/** What stands in a file's place: nothing, the file itself, or something else. */
export type Standing = "absent" | "same" | "different";

/** Paths are those inside the release, with `/`. */
export interface Target {
  /** As messages call it. */
  readonly name: string;
  /** Requests that were sent so far, where there are any. */
  readonly requests?: number;
  /**
   * What is owned there, or undefined where Rollcall has published nothing yet.
   * @throws UserError when the list is not of its form.
   */
  readOwned(): Promise<Owned | undefined>;
  /** Says of every file of the release what stands in its place, in any order. */
  survey(
    files: ReleaseFiles,
    found: (file: PublishedFile, standing: Standing) => void,
    signal: AbortSignal | undefined,
  ): Promise<void>;
  /** Paths that are there, are owned, and are not of the release. They may be removed meanwhile. */
  orphans(owned: Owned, files: ReleaseFiles): AsyncIterable<string>;
  /** Stores what is owned from now on, before the first and after the last change. */
  storeOwned(owned: Owned): Promise<void>;
  /**
   * Puts a file of the release in its place, whole or not at all.
   * @returns its bytes, or undefined when they do not have the digest; then nothing has changed.
   */
  put(file: PublishedFile, from: string): Promise<number | undefined>;
  /** Removes what stands there. */
  remove(path: string): Promise<void>;
  /** Makes all that was put and removed so far last, and sees to it that the target is still this run's. */
  flush(): Promise<void>;
  /** What went wrong while it was used, as a line to act on; what is no such trouble is returned as it is. */
  explain(error: unknown): unknown;
}
