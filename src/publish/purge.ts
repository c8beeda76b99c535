/** The list of URLs that a CDN has to forget, because their content is new, changed or gone. */
import { type ListingPlace, pageUrl } from "../contract/links.js";
import { EXPLORER, PagePaths } from "../release/layout.js";
import { AsideFile, joinLines } from "../release/write.js";
import { listingsOf, type Owned, ownedBetween, ownedBy, owns } from "./owned.js";
import type { Plan } from "./plan.js";
import { explainPut } from "./target.js";

export interface PurgeList {
  /** Writes the list and puts it in its place; returns how many lines it has. */
  write(plan: Plan): number;
  /** Removes a list that was not written to its end. */
  discard(): void;
}

/** Creates the file at once: after publishing it would be too late to learn that it cannot be written. */
export function openPurgeList(path: string): PurgeList {
  const attempt = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw explainPut(path, error);
    }
  };
  const file = attempt(() => new AsideFile(path));
  return {
    write(plan) {
      let lines = 0;
      const text = function* () {
        for (const url of changedUrls(plan)) {
          lines++;
          yield `${url}\n`;
        }
      };
      attempt(() => {
        for (const piece of joinLines(text())) file.write(piece);
        file.finish();
      });
      return lines;
    },
    discard: () => file.discard(),
  };
}

/**
 * One URL for each page and variant that was or will be put or removed, as the links have it, and one for each other
 * file; the page for people is also the base URL with a slash. After an incomplete run, nobody knows what a CDN has read: then all URLs.
 */
function* changedUrls(plan: Plan): Generator<string> {
  const { files, before } = plan;
  const { base_url: baseUrl, links } = files.snapshot;
  const isAll = before?.complete === false;
  const isChanged = (path: string): boolean => {
    const index = files.indexOf(path);
    if (index === undefined) return before !== undefined && owns(before, path);
    return isAll || plan.puts(index);
  };
  const listings = listingsOf(ownedBetween(before, ownedBy(files)));
  for (const { path, ...held } of listings) yield* pageUrls({ baseUrl, path, links }, held, isChanged);
  const others = new Set([...(before?.others ?? []), ...ownedBy(files).others]);
  if (others.has(EXPLORER) && isChanged(EXPLORER)) yield `${baseUrl}/`;
  for (const path of others)
    if (isChanged(path)) yield `${baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function* pageUrls(
  listing: ListingPlace,
  { pages, variants }: Pick<Owned, "pages" | "variants">,
  isChanged: (path: string) => boolean,
): Generator<string> {
  const { baseUrl } = listing;
  const names = new PagePaths(listing.path);
  for (let page = 1; page <= pages; page++) {
    const paths = variants.map((variant) => names.path(page, variant)).filter(isChanged);
    if (paths.length === 0) continue;
    const urls = [pageUrl(listing, page), ...paths.map((path) => `${baseUrl}/${path}`)];
    if (page === 1) urls.unshift(baseUrl + listing.path);
    yield* new Set(urls);
  }
}
