/** What publishing needs from a target, be it a folder or a bucket. */
import { explainRefusal, isMissing, isSystemError, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import type { PublishedFile, ReleaseFiles } from "./files.js";
import type { Owned } from "./owned.js";

/** Which target is meant, and when it may be replaced. */
export interface TargetOptions {
  /** The folder of the releases. */
  dist: string;
  /** A folder, which need not exist yet, or `s3://bucket/prefix`. */
  target: string;
  /** The URL of a store that is not Amazon's. */
  endpoint?: string | undefined;
  /** The Cache-Control header of objects in a bucket; `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
  /** Also replace files that Rollcall did not put there, and a release that somebody else has published. */
  force?: boolean | undefined;
  /** The beginning of the id of a release in a bucket that may be replaced though `dist` does not know it. */
  expect?: string | undefined;
  /** Change nothing in the target, only tell what would change. */
  dryRun?: boolean | undefined;
}

export interface TargetEffects {
  now?: (() => Date) | undefined;
  /** Told when another run may be at work on a bucket, and for how long at most it has to be watched. */
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Stops the run between two files, with the signal's reason; the next run goes on where it stopped. */
  signal?: AbortSignal | undefined;
}

/** How many files are compared, put or removed at once. */
export const AT_ONCE = 16;

/** What is in a file's place: nothing, the same bytes, or something else. */
export type FileState = "absent" | "same" | "different";

/** All paths are those inside the release, with `/`. */
export interface Target {
  /** How messages call it. */
  readonly name: string;
  /** How many requests were sent so far; only for a bucket. */
  readonly requests?: number;
  /**
   * The list of what Rollcall owns there, or undefined before the first publish.
   * @throws UserError when the list is not in its format.
   */
  readOwned(): Promise<Owned | undefined>;
  /** Calls `found` for every file of the release with what is in its place, in any order. */
  survey(
    files: ReleaseFiles,
    found: (file: PublishedFile, state: FileState) => void,
    signal: AbortSignal | undefined,
  ): Promise<void>;
  /** Paths of files that are owned but not part of the release. They may be removed while this is read. */
  orphans(owned: Owned, files: ReleaseFiles): AsyncIterable<string>;
  /** Stores the list of what is owned, before the first and after the last change. */
  storeOwned(owned: Owned): Promise<void>;
  /**
   * Puts a file of the release in its place, complete or not at all.
   * @param from the file's path on disk.
   * @returns how many bytes it has, or undefined when they do not match the digest; then nothing has changed.
   */
  put(file: PublishedFile, from: string): Promise<number | undefined>;
  remove(path: string): Promise<void>;
  /** Makes all changes so far durable. @throws UserError when another run has taken over the target. */
  flush(): Promise<void>;
  /** Turns an error from using the target into one that people can act on; returns other errors as they are. */
  explain(error: unknown): unknown;
}

/** Turns a system error from writing `name` into one that people can act on; returns other errors as they are. */
export function explainPut(name: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  // On a read-only disk, too, Node's recursive mkdir says that a path is missing.
  const why = explainRefusal(error, "another one", isMissing(error) ? findRefusal(name) : undefined);
  return new UserError(`Cannot write ${name}: ${why}, then run this again: it goes on where it stopped.`, {
    cause: error,
  });
}
