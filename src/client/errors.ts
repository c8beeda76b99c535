/** What a listing's reader may meet, in errors that say which URL, what was expected and what came. */
import type { Snapshot } from "../contract/snapshot.js";
import type { Position } from "./position.js";

/**
 * - `unproved`: the host has no snapshot.json or SHA256SUMS, so that nothing it says can be proved
 * - `signature`: a key is given, and SHA256SUMS is not signed as it must be, or not there
 * - `mismatch`: other bytes came than SHA256SUMS lists, again and again
 * - `malformed`: what came is not what it must be: no JSON, no page, no line of SHA256SUMS
 * - `too-large`: more bytes came than are allowed; no more of them were read
 * - `redirect`: the host sends its reader elsewhere, which is not followed
 * - `status`: another status than 200
 * - `busy`: the host asked to wait (429 or 503) too long, or too often
 * - `timeout`: the answer did not come in full in time
 * - `network`: no answer, or one that broke off
 * - `changed`: the listing is of another snapshot now, see `SnapshotChangedError`
 * - `usage`: an argument is wrong, or the release has not what was asked for
 */
export type ListingErrorCode =
  | "unproved"
  | "signature"
  | "mismatch"
  | "malformed"
  | "too-large"
  | "redirect"
  | "status"
  | "busy"
  | "timeout"
  | "network"
  | "changed"
  | "usage";

/** Why nothing was handed out. The message is one line that names the URL, what was expected and what came. */
export class ListingError extends Error {
  override readonly name: string = "ListingError";
  /** The kind of error, for programs. */
  declare readonly code: ListingErrorCode;
  /** The URL that it is about. */
  declare readonly url: string;
  /** What was expected, where that can be said: a digest, a status. */
  declare readonly expected: string | undefined;
  /** What came instead. */
  declare readonly received: string | undefined;

  /** @param why the rest of a sentence that begins with the URL, without its full stop. */
  constructor(code: ListingErrorCode, url: string, why: string, expected?: string, received?: string, cause?: unknown) {
    super(`${url} ${why}${expected === undefined ? "" : `: expected ${expected}, received ${received}`}.`, { cause });
    Object.assign(this, { code, url, expected, received });
  }
}

/** The listing moved to another snapshot while it was read. What was handed out before is all of the one before. */
export class SnapshotChangedError extends ListingError {
  override readonly name: string = "SnapshotChangedError";

  /** Where the walk was: what was handed out until then is of the snapshot `from`. */
  declare position: Position;
  /** The snapshot that was read; undefined where a position of another walk is all that is known of it. */
  declare readonly from: Snapshot | undefined;
  /** The snapshot that the host has now. */
  declare readonly to: Snapshot;

  constructor(url: string, position: Position, from: Snapshot | undefined, to: Snapshot) {
    const why = "is of another snapshot";
    super("changed", url, why, from?.id ?? `state ${position.state}`, to.id);
    Object.assign(this, { position, from, to });
  }
}

/** An error about what is not what it must be: the file is to be read again, or its publisher to be told. */
export function malformed(url: string, expected: string, received: unknown, cause?: unknown): ListingError {
  return new ListingError("malformed", url, "is malformed", expected, quoted(received), cause);
}

const LONGEST_SHOWN = 200;

/** Foreign text or another value for a message: one line, and not too long. */
export function quoted(value: unknown): string {
  return `${JSON.stringify(value)}`.slice(0, LONGEST_SHOWN);
}
