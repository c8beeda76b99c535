/** The list of URLs that a CDN has to forget, because what they lead to is new, changed or gone. */
import { LISTING_PATH, pageUrl } from "../contract/links.js";
import { pagePath, type Variant } from "../release/layout.js";
import { AsideFile, joinLines } from "../release/write.js";
import { ownedBy, owns } from "./owned.js";
import type { Work } from "./publish.js";
import { explainPut } from "./refusals.js";

export interface PurgeList {
  /** Writes the list and puts it in its place; returns how many lines it has. */
  write(work: Work): number;
  /** Removes a list that was not written to its end. */
  discard(): void;
}

/**
 * @returns undefined without a path.
 * @throws UserError at once when the file cannot be written: after the publish it would be too late.
 */
export function openPurgeList(path: string | undefined): PurgeList | undefined {
  if (path === undefined) return undefined;
  const attempt = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw explainPut(path, error);
    }
  };
  const file = attempt(() => new AsideFile(path));
  return {
    write(work) {
      let lines = 0;
      const text = function* () {
        for (const url of changedUrls(work)) {
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
 * One URL for each page and variant that was or will be put or removed, in the form of the links, and one for each
 * other file. After a run that did not come to its end nobody knows what was read meanwhile: then all of them.
 */
function* changedUrls({ files, plan, before }: Work): Generator<string> {
  const { base_url: base, links, pages } = files.snapshot;
  const isAll = before?.complete === false;
  const isChanged = (path: string): boolean => {
    const index = files.indexOf(path);
    if (index === undefined) return before !== undefined && owns(before, path);
    return isAll || plan.puts(index);
  };
  const variants = new Set<Variant>(["identity", ...files.snapshot.encodings, ...(before?.variants ?? [])]);
  for (let page = 1; page <= Math.max(pages, before?.pages ?? 0); page++) {
    const paths = [...variants].map((variant) => pagePath(page, variant)).filter(isChanged);
    if (paths.length === 0) continue;
    const urls = [pageUrl(base, links, page), ...paths.map((path) => `${base}/${path}`)];
    if (page === 1) urls.unshift(base + LISTING_PATH);
    yield* new Set(urls);
  }
  const others = new Set([...(before?.others ?? []), ...ownedBy(files).others]);
  for (const path of others) if (isChanged(path)) yield `${base}/${path.split("/").map(encodeURIComponent).join("/")}`;
}
