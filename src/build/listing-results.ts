/** Makes the results of the listings of a build, and their sum. */
import { explorerPath } from "../core/release/layout.js";
import type { WrittenListing } from "./finish.js";
import type { GateReport } from "./gates.js";
import type { Job, MadePages } from "./pipeline.js";
import type { BuildResult, ListingResult, ViewReport } from "./result.js";
import type { WrittenView } from "./views/written-views.js";

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
    views: undefined,
    explorer: overview,
    gates: undefined,
    listings: Object.fromEntries(results),
  };
}

/** Describes a listing of a release. */
export function resultOf(
  { settings, totals, facts, changes, lookup, views }: WrittenListing,
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
    views: views.length > 0 ? views.map(reportOf) : undefined,
    explorer: explorer ? baseUrl + explorerPath(contract.listing.path) : undefined,
    gates,
  };
}

function reportOf({ view, sums, values, totals: { bytes, linked }, largest }: WrittenView): ViewReport {
  return { name: view.name, values, pages: sums.pages.pages, bytes, linked, largest };
}
