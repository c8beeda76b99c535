/** The result of a build: types only, since those of the library must not lead to types of better-sqlite3. */
import type { WarningCounts } from "../core/contract/record/warnings.js";
import type { ChangesReport } from "./artifacts/changes.js";
import type { MadeCurrent } from "./finish.js";
import type { GateReport } from "./gates.js";
import type { LookupReport } from "./lookup-report.js";
import type { LargestPage } from "./page-writer.js";
import type { ProblemReport } from "./problems.js";

/** What a build says of a view. */
export interface ViewReport {
  name: string;
  /** Number of values; undefined for a view without values. */
  values: number | undefined;
  pages: number;
  /** Bytes of all page files, and those that were linked from the previous release. */
  bytes: number;
  linked: number;
  /** The path of the largest page, and its uncompressed bytes. */
  largest: { path: string; bytes: number };
}

/** What a build says of each listing. */
export interface ListingResult {
  records: number;
  pages: number;
  /** Bytes of all page files. */
  bytes: number;
  largestPage: LargestPage;
  /** Page files that were linked from the previous release instead of written. */
  linked: number;
  /** Records that were left out, invalid or unreferenced. */
  skipped: number;
  /** Records that were left out only because they refer to a record that was. */
  unreferenced: number;
  warnings: WarningCounts;
  /** The steps for readers who keep a copy; undefined if `changes` is 0. */
  changes: ChangesReport | undefined;
  /** The lookup that was made; undefined without `lookup`. */
  lookup: LookupReport | undefined;
  /** The views that were made; undefined without `views`. */
  views: readonly ViewReport[] | undefined;
  /** The URL of the explorer; undefined without `explorer`. */
  explorer: string | undefined;
  /** What the release changes; undefined without gates, or if nothing was switched. */
  gates: GateReport | undefined;
}

/** For several listings, the figures are sums, and the rest is in `listings`. */
export interface BuildResult extends Omit<MadeCurrent, "gates">, ListingResult {
  /** The path of the release, which is current now. */
  folder: string;
  problems: ProblemReport;
  /** The id of the key that signed the release, as minisign shows it; undefined if it is not signed. */
  signedWith: string | undefined;
  /** Sentences for the user about how the source was read: which rows were left out. */
  sourceNotes: readonly string[];
  /** Sentences for the user: what the hosts of `adapt` cannot use or hold. */
  notes: string[];
  /** The results of several listings, by name; undefined without `listings`. */
  listings: Record<string, ListingResult> | undefined;
}
