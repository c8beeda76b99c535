/** Parses pages, and checks them against their snapshot. */
import { type ListingPlace, neighbours, pageUrl } from "../core/contract/links.js";
import type { Page } from "../core/contract/page.js";
import { malformed } from "./errors.js";
import type { Bytes } from "./requests.js";
import { type AnyObject, isPlainObject, objectOf } from "./utf8.js";
import type { View } from "./view.js";

/** Parses a page. @throws ListingError (malformed) if it does not fit the snapshot */
export function parsePage<T>(
  { path, snapshot, readLink = (link) => link }: Pick<View, "path" | "snapshot" | "readLink">,
  number: number,
  bytes: Bytes,
): Page<T> {
  const { base_url: baseUrl, links, count, page_size, pages } = snapshot;
  const place: ListingPlace = { baseUrl, path, links };
  const url = pageUrl(place, number);
  const page = objectOf(bytes, url);
  const { results } = page;
  const found: AnyObject = {
    count: page["count"],
    next: readLink(page["next"], number + 1),
    previous: readLink(page["previous"], number - 1),
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
