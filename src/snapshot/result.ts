/** The result of a build. */
import type { ChangesReport } from "../artifacts/changes.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import { explorerPath } from "../release/layout.js";
import type { GateReport } from "./gates.js";
import type { LookupReport } from "./lookup-report.js";
import type { LargestPage } from "./page-writer.js";
import type { Job, MadePages } from "./pipeline.js";
import type { ProblemReport } from "./problems.js";
import type { Published, WrittenListing } from "./publish.js";

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
  /** The URL of the explorer; undefined without `explorer`. */
  explorer: string | undefined;
  /** What the release changes; undefined without gates, or if nothing was switched. */
  gates: GateReport | undefined;
}

/** For several listings, the figures are sums, and the rest is in `listings`. */
export interface BuildResult extends Omit<Published, "gates">, ListingResult {
  /** The path of the release, which is current now. */
  folder: string;
  problems: ProblemReport;
  /** The id of the key that signed the release, as minisign shows it; undefined if it is not signed. */
  signedWith: string | undefined;
  /** Sentences for the user: what the hosts of `adapt` cannot use or hold. */
  notes: string[];
  /** The results of several listings, by name; undefined without `listings`. */
  listings: Record<string, ListingResult> | undefined;
}

/**
 * Adds up the results of the listings of a release. One without a name is the whole result.
 * @param overview the URL of the overview of several listings, if there is one.
 */
export function totalOf(
  results: ReadonlyMap<string, ListingResult>,
  overview: string | undefined,
): ListingResult & Pick<BuildResult, "listings"> {
  const only = results.get("");
  if (only) return { ...only, listings: undefined };
  const all = [...results.values()];
  const sum = (key: "records" | "pages" | "bytes" | "linked" | "skipped" | "unreferenced") =>
    all.reduce((total, result) => total + result[key], 0);
  const largestPage = all.reduce(
    (largest, result) => (result.largestPage.bytes > largest.bytes ? result.largestPage : largest),
    { page: 1, bytes: 0 },
  );
  return {
    records: sum("records"),
    pages: sum("pages"),
    bytes: sum("bytes"),
    largestPage,
    linked: sum("linked"),
    skipped: sum("skipped"),
    unreferenced: sum("unreferenced"),
    warnings: {},
    changes: undefined,
    lookup: undefined,
    explorer: overview,
    gates: undefined,
    listings: Object.fromEntries(results),
  };
}

/** Describes a listing of a release. */
export function resultOf(
  { settings, totals, facts, changes, lookup }: WrittenListing,
  { largest, task }: MadePages,
  { source }: Job,
  gates: GateReport | undefined,
): ListingResult {
  const { contract, explorer, baseUrl } = settings;
  const { count, pages } = task.collection;
  return {
    records: count,
    pages,
    bytes: totals.bytes,
    largestPage: largest,
    linked: totals.linked,
    skipped: facts.skipped,
    unreferenced: source.unreferenced,
    warnings: facts.warnings,
    changes: changes?.report,
    lookup,
    explorer: explorer ? baseUrl + explorerPath(contract.listing.path) : undefined,
    gates,
  };
}
