/** Errors of a reader: each says which URL, what was expected and what came. */
import type { Snapshot } from "../contract/snapshot.js";

/** Where a walk is: plain JSON. Another process can pass it as `after` to continue. */
export interface Position {
  /**
   * Which records the listing holds: the SHA-256 of records.sha256. A host without proofs has another name for it. Empty before
   * the first answer.
   */
  state: string;
  /** The page of the last record that was handed out; 1 before the first. */
  page: number;
  /** How many records of this page were handed out. */
  index: number;
  /** Records a page. It keeps a position valid when the same records are published with another page size. */
  pageSize?: number | undefined;
}

export type ListingErrorCode =
  | "unproved" // the host has no snapshot.json or no SHA256SUMS, so nothing can be verified
  | "signature" // a key is given, and SHA256SUMS is not signed as it must be
  | "mismatch" // other bytes came than SHA256SUMS lists, on every try
  | "malformed" // not the expected form: not JSON, not a page, not a line of SHA256SUMS
  | "too-large" // more bytes came than are allowed; reading stopped there
  | "redirect" // the host redirects; redirects are not followed
  | "status" // another status than 200
  | "busy" // the host asked to wait (429 or 503) too long, or too often
  | "timeout" // the answer did not come in full in time
  | "network" // no answer, or one that broke off
  | "changed" // the listing has another snapshot now, see `SnapshotChangedError`
  | "usage"; // an argument is wrong, or the release does not have what was asked for

/** Why nothing was handed out. The message is one line with the URL, what was expected and what came. */
export class ListingError extends Error {
  override readonly name: string = "ListingError";
  /** The kind of error, for programs. */
  declare readonly code: ListingErrorCode;
  declare readonly url: string;
  /** What was expected, where that can be said: a digest, a status. */
  declare readonly expected: string | undefined;
  /** What came instead. */
  declare readonly received: string | undefined;

  /** @param why continues a sentence that begins with the URL, without the full stop. */
  constructor(code: ListingErrorCode, url: string, why: string, expected?: string, received?: string, cause?: unknown) {
    super(`${url} ${why}${expected === undefined ? "" : `: expected ${expected}, received ${received}`}.`, { cause });
    Object.assign(this, { code, url, expected, received });
  }
}

/** The listing moved to another snapshot while it was read. Everything handed out before is of the old one. */
export class SnapshotChangedError extends ListingError {
  override readonly name: string = "SnapshotChangedError";
  /** Where the walk was. */
  declare position: Position;
  /** The snapshot that was read; undefined for a position of another walk, which names only its state. */
  declare readonly from: Snapshot | undefined;
  /** The snapshot that the host has now. */
  declare readonly to: Snapshot;

  constructor(url: string, position: Position, from: Snapshot | undefined, to: Snapshot) {
    super("changed", url, "is of another snapshot", from?.id ?? `state ${position.state}`, to.id);
    Object.assign(this, { position, from, to });
  }
}

export function malformed(url: string, expected: string, received: unknown, cause?: unknown): ListingError {
  return new ListingError("malformed", url, "is malformed", expected, quoted(received), cause);
}

export function tooLarge(url: string, limit: string): ListingError {
  return new ListingError("too-large", url, "is too large", `at most ${limit}`, "more");
}

export function usage(url: string, why: string, allowed?: string, received?: unknown): ListingError {
  return new ListingError("usage", url, why, allowed, allowed && quoted(received));
}

const LONGEST_SHOWN = 200;

/** A foreign value in a message: one line, and not too long. */
export function quoted(value: unknown): string {
  return `${JSON.stringify(value)}`.slice(0, LONGEST_SHOWN);
}
