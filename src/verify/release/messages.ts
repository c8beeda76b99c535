/** What the check of a release and the threads that read its pages say to each other. */
import type { WarningCounts } from "../../contract/warnings.js";
import type { DigestBytes } from "../../release/digests.js";
import type { Variant } from "../../release/layout.js";
import type { Snapshot } from "../../release/snapshot.js";
import type { CheckFindings } from "../findings.js";
import type { Edges, PageIds } from "./order.js";

/** What all pages of a release have in common. */
export interface Outline {
  folder: string;
  variants: readonly Variant[];
  /** Undefined when it cannot be read: then what it says of pages is not checked. */
  snapshot: Snapshot | undefined;
  /** Whether users.sha256 is there to be held against the users. */
  hasIndex: boolean;
}

/** Pages in a row. */
export interface Batch {
  first: number;
  pages: number;
  /** Undefined when SHA256SUMS cannot be read. */
  digests: DigestBytes | undefined;
}

/** What a stretch turned out to hold. */
export interface Checked {
  users: number;
  ids: PageIds[];
  /** Its first and last users, for the order between stretches. */
  edges: Edges | undefined;
  warnings: WarningCounts;
  findings: Record<string, CheckFindings>;
}
