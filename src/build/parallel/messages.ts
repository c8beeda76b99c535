/** What a build and its workers say to each other. */
import type { WarningCounts } from "../../contract/warnings.js";
import type { DigestBytes } from "../../release/digests.js";
import type { PageStart } from "../../source/order.js";
import type { Share } from "../../source/reader.js";
import type { Span } from "../in-order.js";
import type { Placing, Totals } from "../page-writer.js";
import type { Collection, Spent } from "../pages.js";

/** All that a worker is told when it starts. */
export interface PoolOrders {
  /** The SQLite file. */
  db: string;
  placing: Placing;
  /**
   * Whether a page of the last release's bytes needs no second check: its users were valid by this very contract, and
   * gave no warnings that would have to be counted again.
   */
  trustsKnown: boolean;
  /** Whether the last release's index of users is intact and of pages of the same size. */
  hasIndex: boolean;
}

export type Order =
  /** Open the file and begin at the present point in time. */
  | { kind: "begin" }
  /** Close it: that point in time was not that of others. */
  | { kind: "rest" }
  /** Read these rows from now on. */
  | { kind: "read"; share: Share }
  /** Place some pages in a row. */
  | { kind: "place"; collection: Collection; first: number; starts: PageStart[]; known: DigestBytes };

export type Reply =
  /** False when a lock was in the way. */
  | { kind: "begun"; isBegun: boolean }
  | { kind: "ready" }
  | {
      kind: "placed";
      digests: DigestBytes;
      users: Uint8Array;
      /** Of all users, in published order. */
      span: Span;
      totals: Totals;
      warnings: WarningCounts;
      spent: Spent;
    }
  /** There is an invalid user, a missing row or one out of order: which, the plain path has to tell. */
  | { kind: "doubtful" };
