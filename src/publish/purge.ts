/** The list of URLs that a CDN has to forget, because what they lead to is new, changed or gone. */
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LISTING_PATH, pageUrl } from "../contract/links.js";
import { pagePath, type Variant } from "../release/layout.js";
import { ownedBy, owns } from "./owned.js";
import type { Work } from "./publish.js";
import { explainPut } from "./refusals.js";

export interface PurgeList {
  /** Writes it whole; returns how many lines it has. */
  write(work: Work): Promise<number>;
  /** Leaves nothing of a list that was not written. */
  discard(): Promise<void>;
}

/**
 * @returns undefined without a path.
 * @throws UserError at once when the file cannot be written: after the publish it would be too late.
 */
export async function openPurgeList(path: string | undefined): Promise<PurgeList | undefined> {
  if (path === undefined) return undefined;
  const aside = `${path}.part`;
  const attempt = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      throw explainPut(path, error);
    });
  await attempt(rm(aside, { force: true }));
  await attempt(open(aside, "wx").then((file) => file.close()));
  return {
    async write(work) {
      let lines = 0;
      const text = function* () {
        for (const url of changedUrls(work)) {
          lines++;
          yield `${url}\n`;
        }
      };
      await attempt(pipeline(Readable.from(text()), createWriteStream(aside)));
      await attempt(rename(aside, path));
      return lines;
    },
    discard: () => rm(aside, { force: true }),
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
