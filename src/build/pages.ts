/** What placing all pages of a collection comes to, whoever does it. */
import type { PagePosition } from "../contract/page.js";
import type { WarningCounts } from "../contract/warnings.js";
import type { PageDigests } from "../release/digests.js";
import type { Totals } from "./page-writer.js";

/** What every page of a collection has in common. */
export type Collection = Omit<PagePosition, "page"> & { pageSize: number };

/** Milliseconds that threads have spent on each part of placing pages, all threads added up. */
export interface Spent {
  /** SQLite: finding rows and writing their text. */
  read: number;
  /** Holding the text, or the users, against the contract. */
  check: number;
  digest: number;
  /** Writing, comparing, linking and compressing files. */
  write: number;
}

export interface WrittenPages {
  collection: Collection;
  digests: PageDigests;
  /** The digest of the users' index. */
  users: string;
  totals: Totals;
  warnings: WarningCounts;
  /** Threads that placed them; 0 when the building thread did. */
  workers: number;
  /** Only of several threads: one alone does not tell its parts apart. */
  spent: Spent | undefined;
}
