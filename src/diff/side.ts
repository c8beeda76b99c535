/** One of two snapshots to compare: a folder of pages, and the index of their users. */
import type { SideFacts } from "./change.js";

export interface Side {
  facts: SideFacts;
  /** Holds `api/users/pages/N.json`, each canonical. */
  folder: string;
  /** The path of a file in the form of users.sha256. */
  index: string;
  /** What the SHA-256 of the index must be, where the snapshot says it. */
  digest: string | undefined;
}
