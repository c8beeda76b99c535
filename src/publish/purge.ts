/** The purge list: the URLs whose content is new, changed or removed, for a CDN to purge. */
import { basename } from "node:path";
import { type ListingPlace, pageUrl } from "../core/contract/links.js";
import { EXPLORER, PagePaths } from "../core/release/layout.js";
import { explainWrite } from "../core/release/refusals.js";
import { AsideFile } from "../core/release/writer.js";
import { inBatches } from "../core/workers/at-most.js";
import type { ReleaseFiles } from "./order.js";
import { type Owned, ownedBetween, ownedBy, ownership } from "./owned.js";
import type { Plan } from "./plan.js";
import { PUBLISH_WORDS } from "./target.js";

export interface PurgeList {
  /** Writes the list and renames it to its final name. @returns the number of lines. */
  write(plan: Plan): number;
  /** Removes an incomplete list. */
  discard(): void;
}

const LINES_AT_ONCE = 1000;

/** Creates the file before publishing begins, to fail early if it cannot be written. */
export function openPurgeList(path: string): PurgeList {
  const attempt = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw explainWrite(path, error, PUBLISH_WORDS);
    }
  };
  const file = attempt(() => new AsideFile(path));
  return {
    write(plan) {
      let lines = 0;
      attempt(() => {
        // A write for each line would be slow, and all lines together may exceed the maximum string length.
        for (const urls of inBatches(changedUrls(plan), LINES_AT_ONCE)) {
          file.write(`${urls.join("\n")}\n`);
          lines += urls.length;
        }
        file.finish();
      });
      return lines;
    },
    discard: () => file.discard(),
  };
}

/** The URLs of all files to put or remove; all URLs after an incomplete run, when it is unknown what a CDN has read. */
function changedUrls(plan: Plan): Iterable<string> {
  const { files, before } = plan;
  const isAll = before?.complete === false;
  const wasOwned = before ? ownership(before) : () => false;
  return urlsWhere(files, ownedBetween(before, ownedBy(files)), (path) => {
    const index = files.indexOf(path);
    if (index === undefined) return wasOwned(path);
    return isAll || plan.puts(index);
  });
}

/**
 * The URLs of owned files that `isSelected` selects: pages, in all variants and as links have them, and other files. The URL of a
 * folder is its explorer's, too; on hosts by path, also if a listing is there.
 */
export function* urlsWhere(
  { location: { baseUrl }, links }: Pick<ReleaseFiles, "location" | "links">,
  { listings, others }: Owned,
  isSelected: (path: string) => boolean,
): Generator<string> {
  const yielded = new Set<string>();
  for (const { path, ...held } of listings)
    for (const url of pageUrls({ baseUrl, path, links }, held, isSelected)) {
      if (url === baseUrl + path) yielded.add(url);
      yield url;
    }
  for (const path of others) {
    if (!isSelected(path)) continue;
    const url = `${baseUrl}/${path.split("/").map(encodeURIComponent).join("/")}`;
    const folder = url.slice(0, -EXPLORER.length);
    if (basename(path) === EXPLORER && !yielded.has(folder)) yield folder;
    yield url;
  }
}

function* pageUrls(
  listing: ListingPlace,
  { pages, variants }: Pick<Owned["listings"][number], "pages" | "variants">,
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
