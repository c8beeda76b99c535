/** What a build tells its threads, and what they answer. */
import type { BulkMember } from "../../bulk/members.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import type { DigestBytes } from "../../release/digests.js";
import type { PageStart } from "../../source/order.js";
import type { Share } from "../../source/reader.js";
import type { Gathered } from "../gather.js";
import type { Collection, Destination, Spent, Totals } from "../page-writer.js";
import type { KeyRange } from "./order.js";

export interface ThreadData {
  db: string;
  destination: Destination;
}

export type PageJob =
  | { kind: "begin" }
  | { kind: "rest" }
  | { kind: "read"; share: Share }
  | {
      kind: "write";
      collection: Collection;
      first: number;
      starts: PageStart[];
      known: DigestBytes;
      memory: ArrayBuffer | undefined;
    }
  /** There are no more pages. */
  | { kind: "finish" };

export type PageResult =
  /** False when a lock was in the way. */
  | { kind: "begun"; isBegun: boolean }
  | { kind: "ready" }
  | {
      kind: "written";
      totals: Totals;
      warnings: WarningCounts;
      spent: Spent;
      digests: DigestBytes;
      lines: Uint8Array;
      /** None where they are not wanted. */
      members: BulkMember[];
      range: KeyRange;
      /** Where so much was gathered that it is handed over. */
      gathered: Gathered | undefined;
    }
  | { kind: "finished"; gathered: Gathered | undefined }
  /** A record is invalid, or a row is missing or out of order: the single-threaded build finds out which. */
  | { kind: "doubtful" };
