/** A source as a side of a diff: builds its release in a temporary folder. */
import { build } from "../../build/build.js";
import type { BuildOptions } from "../../build/options.js";
import type { ReadEffects } from "../../core/compare/side.js";
import { loadContract } from "../../core/contract/file/load.js";
import { openSiteRelease, type Site } from "../../core/release/site.js";
import { type Complete, type OptionsFor, withDefaults } from "../../core/settings/settings.js";
import { copySourceColumns } from "../../core/source/source-columns.js";

/** How to build a source. The base URL and the contract default to those of the other side. */
export type SourceSideOptions = Complete<
  Omit<
    OptionsFor<"diff">,
    "dist" | "listing" | "only" | "ignore" | "maxAdded" | "maxRemoved" | "maxChanged" | "maxField"
  >
>;

/**
 * Builds the release of `db` in `scratch`. @param dist of the last release, which notes on new columns refer to
 * @throws InvalidRecordsError and UserError as a build does.
 */
export async function buildSource(
  db: string,
  options: SourceSideOptions & Pick<BuildOptions, "baseUrl">,
  dist: string,
  scratch: string,
  { onProgress, onNote, signal }: ReadEffects,
): Promise<Site> {
  const { file: contract, listing } = await loadContract(options.contract);
  copySourceColumns(dist, scratch);
  // Compressed pages are never compared.
  const { folder, sourceNotes } = await build(
    withDefaults("build", {
      ...options,
      contract: options.listings ? undefined : contract,
      listings: options.listings && withoutViews(options.listings),
      db,
      dist: scratch,
      keep: 0,
      compress: [],
    }),
    { onProgress: (done) => onProgress({ ...done, words: done.words ?? listing.words }), signal },
  );
  for (const note of sourceNotes) onNote?.(note);
  return openSiteRelease(folder);
}

/** Views are not compared. */
function withoutViews(listings: NonNullable<SourceSideOptions["listings"]>) {
  const others = Object.entries(listings).map(([name, { views: _, ...own }]) => [name, own] as const);
  return Object.fromEntries(others);
}
