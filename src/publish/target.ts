/** What publishing needs from a target, which is a folder or a bucket. */
import { codeOf, explainRefusal, isMissing, isSystemError, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import type { PublishedFile, ReleaseFiles } from "./order.js";
import type { Owned } from "./owned.js";

export interface TargetOptions {
  /** The folder of the releases. */
  dist: string;
  /** A folder, which need not exist yet, or `s3://bucket/prefix`. */
  target: string;
  /** The URL of a store that is not Amazon's. */
  endpoint?: string | undefined;
  /** The Cache-Control header of objects in a bucket; `public, max-age=60` unless given. */
  cacheControl?: string | undefined;
  /**
   * Also replace files that Rollcall did not put there, and a release that is not in `dist` or has another base URL; and take
   * over the lock of a bucket.
   */
  force?: boolean | undefined;
  /** The beginning of the id of a release in a bucket that may be replaced although `dist` does not have it. */
  expect?: string | undefined;
  /** Put only the pages of one of several shards, as `3/8` says; only into a bucket. */
  shard?: string | undefined;
  /** Change nothing in the target. */
  dryRun?: boolean | undefined;
}

export const AT_ONCE = 16;

export type FileState = "absent" | "same" | "different";

/** All paths are relative to the target, with `/`. */
export interface Target {
  readonly name: string;
  /** Requests sent so far; only for a bucket. */
  readonly requests?: number;
  /** The value of Cache-Control that files get; only for a bucket. */
  readonly cacheControl?: string;
  /** Keeps other runs out. @throws UserError that names the run which is at work. */
  lock(now: Date): Promise<void>;
  /** Lets the next run in. */
  unlock(): Promise<void>;
  /** Reads a small file; undefined when there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** The paths of all files that may be the release's or owned. Called once, before `stateOf`. */
  list(files: ReleaseFiles, owned: Owned | undefined): AsyncIterable<string>;
  stateOf(file: PublishedFile): Promise<FileState>;
  /** Replaces the list of what is owned, before the first change and after the last one. */
  storeOwned(owned: Owned): Promise<void>;
  /**
   * Puts a file of the release in its place, complete or not at all.
   * @param from the file's path on disk.
   * @returns how many bytes it has, or undefined when they do not match the digest; then nothing has changed.
   */
  put(file: PublishedFile, from: string): Promise<number | undefined>;
  remove(path: string): Promise<void>;
  /** Makes all changes so far durable. @throws UserError when another run has taken the lock over. */
  flush(): Promise<void>;
  /** Turns an error from using the target into one that people can act on; returns other errors as they are. */
  explain(error: unknown): unknown;
  /** Also unlocks the target if it can, without errors: something else has failed. */
  close(): Promise<void>;
}

/** Turns a system error from writing `name` into one that people can act on; returns other errors as they are. */
export function explainPut(name: string, error: unknown): unknown {
  if (!isSystemError(error) && !(error instanceof Error && codeOf(error)?.startsWith("SQLITE_"))) return error;
  // On a read-only disk, too, Node's recursive mkdir says that a path is missing.
  const why = explainRefusal(error, "another one", isMissing(error) ? findRefusal(name) : undefined);
  return new UserError(`Cannot write ${name}: ${why}, then run this again: it goes on where it stopped.`, {
    cause: error,
  });
}
