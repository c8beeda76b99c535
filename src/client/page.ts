/** Bytes as the page that its snapshot promises. */
import { LINK_STYLES, type ListingPlace, neighbours, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { type AnyObject, isPlainObject, objectOf } from "./checked.js";
import { malformed } from "./errors.js";
import type { SnapshotView } from "./proof/view.js";
import type { Bytes } from "./transfer.js";

/** The page that such bytes are. Without proof, its links may be written in other ways. @throws ListingError (malformed) */
export function parsePage<T>(
  { proof, path, snapshot }: Pick<SnapshotView, "proof" | "path" | "snapshot">,
  number: number,
  bytes: Bytes,
): Page<T> {
  const { base_url: baseUrl, links } = snapshot;
  const place = { baseUrl, path, links };
  const url = pageUrl(place, number);
  const page = objectOf(bytes, url);
  const plain = (link: unknown, to: number) =>
    proof === "none" && isPage(link, place, to) ? pageUrl(place, to) : link;
  const [next, previous] = [plain(page["next"], number + 1), plain(page["previous"], number - 1)];
  requirePage({ ...page, next, previous }, url, number, path, snapshot);
  return page as unknown as Page<T>;
}

/** Whether a page is as its snapshot promises. @throws ListingError (malformed) unless it is */
function requirePage(page: AnyObject, url: string, number: number, path: string, snapshot: Snapshot): void {
  const { count, page_size, pages, links, base_url: baseUrl } = snapshot;
  const { results } = page;
  const promised = {
    ...{ count, ...neighbours({ baseUrl, path, links, page: number, pages }) },
    ...{ results: Math.max(0, Math.min(page_size, count - (number - 1) * page_size)) },
  };
  const found = { ...page, results: Array.isArray(results) && results.every(isPlainObject) && results.length };
  for (const [name, expected] of Object.entries(promised)) {
    const received = (found as AnyObject)[name];
    if (received !== expected) throw malformed(url, `${name} ${expected}`, received);
  }
}

/** Whether a link is of this page, at the same origin and path. Frameworks write page 1 without its number. */
function isPage(link: unknown, place: ListingPlace, number: number): boolean {
  if (typeof link !== "string") return false;
  let url: URL;
  try {
    // URL.canParse is not asked, for the reason that canParse of links.ts gives.
    url = new URL(link);
  } catch {
    return false;
  }
  const page = url.searchParams.getAll("page").join() || 1;
  return LINK_STYLES.some((links) => {
    url.search = links === "query" ? `format=api&page=${page}` : "";
    return url.href === new URL(pageUrl({ ...place, links }, number)).href;
  });
}
