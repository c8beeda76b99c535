/** Parses pages, and checks them against their snapshot. */
import { LINK_STYLES, type ListingPlace, neighbours, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import { malformed } from "./errors.js";
import type { Bytes } from "./requests.js";
import type { SnapshotView } from "./snapshot.js";
import { type AnyObject, isPlainObject, objectOf } from "./utf8.js";

/** Parses a page. Without proof, links may have other forms. @throws ListingError (malformed) if it does not fit the snapshot */
export function parsePage<T>(
  { proof, path, snapshot }: Pick<SnapshotView, "proof" | "path" | "snapshot">,
  number: number,
  bytes: Bytes,
): Page<T> {
  const { base_url: baseUrl, links, count, page_size, pages } = snapshot;
  const place = { baseUrl, path, links };
  const url = pageUrl(place, number);
  const page = objectOf(bytes, url);
  const { results } = page;
  const linkTo = (link: unknown, to: number) =>
    proof === "none" && isPage(link, place, to) ? pageUrl(place, to) : link;
  const found: AnyObject = {
    count: page["count"],
    next: linkTo(page["next"], number + 1),
    previous: linkTo(page["previous"], number - 1),
    results: Array.isArray(results) && results.every(isPlainObject) && results.length,
  };
  const promised = {
    count,
    ...neighbours({ ...place, page: number, pages }),
    results: Math.max(0, Math.min(page_size, count - (number - 1) * page_size)),
  };
  for (const [name, expected] of Object.entries(promised))
    if (found[name] !== expected) throw malformed(url, `${name} ${expected}`, found[name]);
  return page as unknown as Page<T>;
}

/** Whether a link leads to this page. Frameworks write page 1 without its number. */
function isPage(link: unknown, place: ListingPlace, number: number): boolean {
  if (typeof link !== "string") return false;
  let url: URL;
  try {
    // Not URL.canParse: see canParse in contract/links.ts.
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
