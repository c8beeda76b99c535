/** What a listing's reader may meet, in errors that say which URL, what was expected and what came. */
import type { Snapshot } from "../contract/snapshot.js";
import type { Position } from "./position.js";

/**
 * - `unproved`: the host has no snapshot.json or SHA256SUMS, so that nothing it says can be proved
 * - `signature`: SHA256SUMS is not signed as it must be
 * - `mismatch`: bytes came that are not those that were proved, again and again
 * - `malformed`: what came is not what it must be: no JSON, no page, no line of SHA256SUMS
 * - `too-large`: more bytes came than are allowed; no more of them were read
 * - `redirect`: the host sends its reader elsewhere, where nobody follows
 * - `status`: another status than 200
 * - `busy`: the host asked to wait (429 or 503) too long, or too often
 * - `timeout`: the answer did not come in full in time
 * - `network`: no answer, or one that broke off
 * - `changed`: the listing is of another snapshot now, see `SnapshotChangedError`
 * - `usage`: an argument is wrong, or the runtime lacks what is needed
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

/** What an error tells beside its message. */
export interface ListingErrorFacts {
  expected?: string | undefined;
  received?: string | undefined;
  cause?: unknown;
}

/** Why nothing was handed out. The message is one line that names the URL, what was expected and what came. */
export class ListingError extends Error {
  override readonly name: string = "ListingError";
  /** What was expected, where that can be said: a digest, a status. */
  readonly expected: string | undefined;
  /** What came instead. */
  readonly received: string | undefined;

  /** @param why the rest of a sentence that begins with the URL, without its full stop. */
  constructor(
    /** The kind of error, for programs. */
    readonly code: ListingErrorCode,
    /** The URL that it is about. */
    readonly url: string,
    why: string,
    { expected, received, cause }: ListingErrorFacts = {},
  ) {
    const differs = expected === undefined ? "" : `: expected ${expected}, received ${received}`;
    super(`${url} ${why}${differs}.`, { cause });
    this.expected = expected;
    this.received = received;
  }
}

/** The listing moved to another snapshot while it was read. What was handed out before is all of the one before. */
export class SnapshotChangedError extends ListingError {
  override readonly name: string = "SnapshotChangedError";

  constructor(
    url: string,
    /** Where the walk was: what was handed out until then is of the snapshot `from`. */
    public position: Position,
    /** The snapshot that was read; undefined where a position of another walk is all that is known of it. */
    readonly from: Snapshot | undefined,
    /** The snapshot that the host has now. */
    readonly to: Snapshot,
  ) {
    const expected = from ? `snapshot ${from.id}` : `state ${position.state}`;
    super("changed", url, "is of another snapshot now; read from the beginning, or let { restart: true } do it", {
      expected,
      received: `snapshot ${to.id}`,
    });
  }
}
