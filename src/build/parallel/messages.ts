/** What a build tells its threads, and what they answer. */
import type { BulkMember } from "../../bulk/members.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import type { DigestBytes } from "../../release/digests.js";
import type { PageRange } from "../../shards/cut.js";
import type { Share } from "../../source/reader.js";
import type { Gathered } from "../gather.js";
import type { Collection, Destination, Spent, Totals } from "../page-writer.js";

export interface ThreadData {
  share: Share;
  destination: Destination;
}

export type PageJob =
  | {
      kind: "write";
      collection: Collection;
      /** Page numbers, at most. */
      range: PageRange;
      known: DigestBytes;
      memory: ArrayBuffer | undefined;
    }
  /** There are no more pages. */
  | { kind: "finish" };

export type PageResult =
  | {
      kind: "written";
      totals: Totals;
      warnings: WarningCounts;
      spent: Spent;
      digests: DigestBytes;
      lines: Uint8Array;
      /** None where they are not wanted. */
      members: BulkMember[];
      /** Where so much was gathered that it is handed over. */
      gathered: Gathered | undefined;
    }
  | { kind: "finished"; gathered: Gathered | undefined }
  /** A record is invalid: the single-threaded build finds out which, and all others. */
  | { kind: "invalid" };
