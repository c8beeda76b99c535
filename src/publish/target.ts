/** The interface of a publish target: a folder or a bucket. */
import type { OptionsFor } from "../core/settings/settings.js";
import type { OnTakeOver } from "./holder.js";
import type { PublishedFile } from "./order.js";
import type { Owned } from "./owned.js";

export interface PublishOptions extends OptionsFor<"publish"> {
  /** A folder, which need not exist yet, or `s3://bucket/prefix`. */
  target: string;
}

/** Files that are compared, put or removed at the same time. */
export const AT_ONCE = 16;

export type FileState = "absent" | "same" | "different";

/** A folder or a bucket. All paths are relative to it, with `/`. */
export interface Target {
  readonly name: string;
  /** The number of requests sent so far; only for a bucket. */
  requests?(): number;
  /** The value of Cache-Control that files get; only for a bucket. */
  readonly cacheControl?: string;
  /** Whether several machines may publish there, so that a release is replaced only if this one knows it. */
  readonly isShared: boolean;
  /** Whether files whose names differ only by case are one file there; false if that cannot be known without a lock. */
  ignoresCase(): boolean;
  /** Locks out other runs, then reads the list of owned files. @throws UserError that names the run which holds the lock. */
  lock(now: Date, onTakeOver?: OnTakeOver): Promise<Owned | undefined>;
  /** Releases the lock. */
  unlock(): Promise<void>;
  /** Reads the list of owned files; undefined if there is none. */
  readOwned(): Promise<Owned | undefined>;
  /** Reads snapshot.json; undefined if it does not exist. */
  readSnapshot(): Promise<Buffer | undefined>;
  /** The paths of all files that may be of the release or owned. Called once, before `stateOf`. */
  list(owned: Owned | undefined): AsyncIterable<string>;
  stateOf(file: PublishedFile): Promise<FileState>;
  /** Writes the list of owned files, before the first change and after the last one. A complete list may release the lock. */
  storeOwned(owned: Owned): Promise<void>;
  /**
   * Puts a file of the release atomically.
   * @param from the file's path on disk.
   * @returns its size in bytes; undefined, with nothing changed, if the bytes do not match the digest.
   */
  put(file: PublishedFile, from: string): Promise<number | undefined>;
  remove(path: string): Promise<void>;
  /** Makes all changes so far durable. @throws UserError if another run has taken the lock over. */
  flush(): Promise<void>;
  /** Turns an error of the target into a UserError with advice; returns other errors as they are. */
  explain(error: unknown): unknown;
  /** Closes the target, and tries to unlock it without throwing. */
  close(): Promise<void>;
}

/** Words of `explainWrite` for what `publish` writes. */
export const PUBLISH_WORDS = { another: "another one", end: ": it goes on where it stopped." };
