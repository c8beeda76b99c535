/** What publishing needs from a target, be it a folder or a bucket. */
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { codeOf, explainRefusal, isMissing, isSystemError, UserError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import type { Snapshot } from "../release/snapshot.js";
import type { PublishedFile, ReleaseFiles } from "./files.js";
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
  /** Also replace files that Rollcall did not put there, and a release of somebody else or of another base URL. */
  force?: boolean | undefined;
  /** The beginning of the id of a release in a bucket that may be replaced though `dist` does not know it. */
  expect?: string | undefined;
  /** Put only the pages of one of several shards, as `3/8` says; only into a bucket. */
  shard?: string | undefined;
  /** Change nothing in the target. */
  dryRun?: boolean | undefined;
}

export interface TargetEffects {
  now?: (() => Date) | undefined;
  /** Told when another run may be at work on a bucket, and for how long at most it has to be watched. */
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Stops the run between two files, with the signal's reason; the next run goes on where it stopped. */
  signal?: AbortSignal | undefined;
}

export const AT_ONCE = 16;

export type FileState = "absent" | "same" | "different";

/** All paths are those inside the release, with `/`. */
export interface Target {
  readonly name: string;
  /** Sent so far; only for a bucket. */
  readonly requests?: number;
  /** How many pages its snapshot.json announces, where there is one; only for a bucket. */
  readonly announced?: number | undefined;
  /** The list of what Rollcall owns there. @throws UserError when it is not in its format. */
  readOwned(): Promise<Owned | undefined>;
  /** @throws UserError when another run has begun since that list was read; a folder cannot tell. */
  requireSame?(): Promise<void>;
  /** Calls `found` for every file of the release, in any order. */
  survey(
    files: ReleaseFiles,
    found: (file: PublishedFile, state: FileState) => void,
    signal: AbortSignal | undefined,
  ): Promise<void>;
  /** Paths of files that are owned but not part of the release; they may be removed meanwhile. */
  orphans(owned: Owned, files: ReleaseFiles): AsyncIterable<string>;
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

const baseSchema = z.object({ base_url: z.string() });

/**
 * Readers of one base URL would find the pages, and the links, of another.
 * @param found the target's snapshot.json.
 * @throws UserError when it names another base URL than the release.
 */
export function requireSameBase(target: string, found: Buffer | undefined, { id, base_url: base }: Snapshot): void {
  const there = parseAs(baseSchema, String(found ?? ""))?.base_url;
  if (there === undefined || there === base) return;
  throw new UserError(
    `${target} holds a release of ${JSON.stringify(there)}, and ${id} is of ${JSON.stringify(base)}; publish to another target, or replace that release with --force.`,
  );
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
