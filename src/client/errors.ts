/** Errors of the client. Each has the URL, what was expected and what was received. */
import type { Snapshot } from "../core/contract/snapshot.js";

/** The position of a walk, as plain JSON. Another process can pass it as `after` to continue. */
export interface Position {
  /**
   * The listing's state: the SHA-256 of records.sha256; without proof, that of page 1. Empty before the first answer.
   */
  state: string;
  /** The page of the last returned record; 1 before the first. */
  page: number;
  /** Number of returned records of this page. */
  index: number;
  /** Records a page, so that a position stays valid with another page size. */
  pageSize?: number | undefined;
  /** The view and its value, if the walk is of one. */
  view?: string | undefined;
}

export type ListingErrorCode =
  | "unproved" // the host has no snapshot.json or no SHA256SUMS, so nothing can be verified
  | "signature" // `publicKey` is given, and SHA256SUMS has no valid signature by it
  | "mismatch" // other bytes came than SHA256SUMS lists, on every try
  | "malformed" // not the expected form: not JSON, not a page, not a line of SHA256SUMS
  | "too-large" // the answer exceeds a limit
  | "redirect" // the host redirects; redirects are not followed
  | "status" // the status is not 200
  | "busy" // the host asked to wait (429 or 503) too long, or too often
  | "timeout" // the answer was not complete in time
  | "network" // no answer, or an incomplete one
  | "changed" // the listing has another snapshot now, see `SnapshotChangedError`
  | "usage"; // an argument is wrong, or the release does not have the requested file

/** An error of the client. The message is one line with the URL, what was expected and what was received. */
export class ListingError extends Error {
  override readonly name: string = "ListingError";
  /** The kind of error, for programs. */
  declare readonly code: ListingErrorCode;
  declare readonly url: string;
  /** What was expected, if known: a digest, a status. */
  declare readonly expected: string | undefined;
  /** What was received instead. */
  declare readonly received: string | undefined;

  /** @param why continues a sentence that begins with the URL, without the full stop. */
  constructor(code: ListingErrorCode, url: string, why: string, expected?: string, received?: string, cause?: unknown) {
    super(`${url} ${why}${expected === undefined ? "" : `: expected ${expected}, received ${received}`}.`, { cause });
    Object.assign(this, { code, url, expected, received });
  }
}

/** Whether an error is one of the client. By its name, since scripts that are bundled apart have a class each. */
export function isListingError(error: unknown): error is ListingError {
  return error instanceof Error && ["ListingError", "SnapshotChangedError"].includes(error.name);
}

/** The listing has switched to another snapshot. Everything returned before is of the old one. */
export class SnapshotChangedError extends ListingError {
  override readonly name: string = "SnapshotChangedError";
  /** The position of the walk. */
  declare position: Position;
  /** The snapshot that was read; undefined if only its state is known, from a position of another walk. */
  declare readonly from: Snapshot | undefined;
  /** The snapshot that the host has now. */
  declare readonly to: Snapshot;

  constructor(url: string, position: Position, from: Snapshot | undefined, to: Snapshot) {
    super("changed", url, "is of another snapshot", from?.id ?? `state ${position.state}`, to.id);
    Object.assign(this, { position, from, to });
  }
}

/** The error for a response that is not of the expected form. */
export function malformed(url: string, expected: string, received: unknown, cause?: unknown): ListingError {
  return new ListingError("malformed", url, "is malformed", expected, quoted(received), cause);
}

export const NOT_LISTED = "is not what SHA256SUMS lists";

/** The error for a file whose digest is not that of SHA256SUMS. */
export function notListed(url: string, expected: string, received: string): ListingError {
  return new ListingError("mismatch", url, NOT_LISTED, expected, received);
}

/** The error for a response over a size limit. @param remedy what the caller can do, if anything: `raise memoryBytes`. */
export function tooLarge(url: string, limit: string, remedy?: string): ListingError {
  const why = `is too large to read here${remedy ? `; ${remedy}` : ""}`;
  return new ListingError("too-large", url, why, `at most ${limit}`, "more");
}

/** The error for a wrong argument, or a request that this listing cannot fulfil. */
export function usage(url: string, why: string, allowed?: string, received?: unknown): ListingError {
  return new ListingError("usage", url, why, allowed, allowed && quoted(received));
}

const LONGEST_SHOWN = 200;

/** Quotes a received value for a message: one line of limited length. */
export function quoted(value: unknown): string {
  try {
    return `${JSON.stringify(value)}`.slice(0, LONGEST_SHOWN);
  } catch {
    // A bigint, or an object that contains itself.
    return typeof value;
  }
}
