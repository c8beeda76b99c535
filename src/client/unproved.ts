/** Reads a host without SHA256SUMS. Pages are checked for consistency, but not verified. */
import { MAX_CONTRACT } from "../core/contract/file/form.js";
import {
  CONTRACT,
  DEFAULT_PATH,
  LINK_STYLES,
  type LinkStyle,
  type ListingPlace,
  MAX_PAGES,
  PAGE_SIZE,
  pagesFor,
  pageUrl,
} from "../core/contract/links.js";
import type { Page } from "../core/contract/page.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import { hexDigest } from "./digests.js";
import { ListingError, malformed, SnapshotChangedError } from "./errors.js";
import { parsePage } from "./page.js";
import { type Limit, requireOk } from "./requests.js";
import { isPlainObject, objectOf } from "./utf8.js";
import type { Host, View } from "./view.js";

const USUAL_PATH = "/api/users/";

/** Derives the snapshot from page 1, by query or, on a host that ignores queries, by path. */
export async function unprovedView(host: Host, signal?: AbortSignal): Promise<View> {
  const { baseUrl, options, pages, requests } = host;
  const read = async (url: string, limit: Limit, signal?: AbortSignal) => {
    const { status, bytes } = await requests.get(url, { ...limit, signal });
    requireOk(url, status);
    return bytes;
  };
  /** Reads a JSON object; returns the error, without a retry, if the host does not have it. */
  const readObject = (url: string, limit: Limit, signal?: AbortSignal) =>
    requests.retry(signal, async () => {
      try {
        const bytes = await read(url, limit, signal);
        return { bytes, said: objectOf(bytes, url) };
      } catch (error) {
        if (isNotFound(error)) return { error };
        throw error;
      }
    });
  const readPath = async () => {
    const { said } = await readObject(`${baseUrl}/${CONTRACT}`, { maxBytes: MAX_CONTRACT }, signal);
    const listing = said?.["x-listing"];
    const { path = DEFAULT_PATH } = isPlainObject(listing) ? listing : { path: USUAL_PATH };
    return /^\/([^/?#\s]+\/)*$/.test(`${path}`) ? `${path}` : USUAL_PATH;
  };
  const path = options.path ?? (await readPath());
  /** Reads the snapshot from page 1; the error if this URL has no page. */
  const readFirst = async (links: LinkStyle, signal?: AbortSignal): Promise<Snapshot | ListingError> => {
    const place = { baseUrl, path, links };
    const { bytes, said, error } = await readObject(pageUrl(place, 1), pages, signal);
    if (error) return error;
    const { count, next, results } = said as unknown as Page<unknown>;
    const records = Array.isArray(results) ? results.length : 0;
    const snapshot = promisedSnapshot(place, { count, next, records }, await hexDigest(bytes));
    parsePage({ path, snapshot, readLink: linkReader(place) }, 1, bytes);
    return snapshot;
  };
  const byQuery = await readFirst("query", signal);
  const byPath = byQuery instanceof ListingError ? await readFirst("path", signal) : byQuery;
  const snapshot = byPath instanceof ListingError ? byQuery : byPath;
  if (snapshot instanceof ListingError) throw snapshot;
  const { links, state } = snapshot;
  const urlOf = (page: number) => pageUrl({ baseUrl, path, links }, page);
  const readLink = linkReader({ baseUrl, path, links });
  const requireCurrent = async (signal?: AbortSignal) => {
    const now = await readFirst(links, signal);
    if (now instanceof ListingError) throw now;
    if (now.state === state) return;
    host.gone = snapshot;
    throw new SnapshotChangedError(urlOf(1), { state, page: 1, index: 0 }, snapshot, now);
  };
  return {
    proof: "none",
    path,
    state,
    snapshot,
    urlOf,
    readLink,
    requireCurrent,
    readPage: (page, signal) =>
      requests.retry(
        signal,
        async () => {
          const bytes = await read(urlOf(page), pages, signal);
          parsePage({ path, snapshot, readLink }, page, bytes);
          return bytes;
        },
        // A wrong page may be of another snapshot. Page 1 shows that.
        () => requireCurrent(signal),
      ),
    readFile: (file, limit, signal) => read(`${baseUrl}/${file}`, limit, signal),
    fileAt: (file) => ({ url: `${baseUrl}/${file}`, digest: "" }),
  };
}

/** Makes the reader of links, which frameworks write in other forms. */
function linkReader(place: ListingPlace): NonNullable<View["readLink"]> {
  return (link, to) => (isPage(link, place, to) ? pageUrl(place, to) : link);
}

/** Whether a link leads to this page. Frameworks write page 1 without its number. */
function isPage(link: unknown, place: ListingPlace, number: number): boolean {
  if (typeof link !== "string") return false;
  let url: URL;
  try {
    // Not URL.canParse: see canParse in core/contract/links.ts.
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

/** Whether the host has no such file: a status below 500, or a web page or a redirect, with which many hosts answer. */
export function isNotFound(error: unknown): error is ListingError {
  if (!(error instanceof ListingError)) return false;
  const { code, received } = error;
  return code === "malformed" || code === "redirect" || (code === "status" && Number(received) < 500);
}

/**
 * Derives a snapshot from page 1.
 * @param first page 1, with the number of its records.
 * @param state the SHA-256 of page 1, by which the snapshot is identified.
 * @throws ListingError (malformed) if the page contradicts itself.
 */
function promisedSnapshot(
  place: ListingPlace,
  { count, next, records }: { count: number; next: string | null; records: number },
  state: string,
): Snapshot {
  const { baseUrl, links } = place;
  const pageSize = Math.max(PAGE_SIZE.min, records);
  const pages = next === null ? 1 : pagesFor(count, pageSize);
  const isWhole = next === null ? records === count : records > 0 && pages > 1 && pages <= MAX_PAGES;
  if (!isWhole || records > PAGE_SIZE.max || !Number.isSafeInteger(count))
    throw malformed(pageUrl(place, 1), `a count that fits ${records} results and next`, [count, next]);
  return {
    id: state.slice(0, 12),
    contract: 1,
    count,
    pages,
    page_size: pageSize,
    base_url: baseUrl,
    links,
    encodings: [],
    skipped: 0,
    state,
    warnings: {},
  };
}
