/** A host without digests, such as any listing in the same form: what it says is checked against itself, but not proved. */
import { MAX_CONTRACT } from "../contract/file/form.js";
import { type LinkStyle, type ListingPlace, MAX_PAGES, PAGE_SIZE, pagesFor, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { hexDigest } from "./digests.js";
import { ListingError, malformed, SnapshotChangedError } from "./errors.js";
import { parsePage } from "./page.js";
import { type Bytes, requireOk } from "./requests.js";
import type { Host, SnapshotView } from "./snapshot.js";
import { type AnyObject, objectOf } from "./utf8.js";

const USUAL_PATH = "/api/users/";

/** Reads from page 1 what the listing is: by query, or by path on a host that ignores queries. */
export async function unprovedView(host: Host, signal?: AbortSignal): Promise<SnapshotView> {
  const { baseUrl, options, pageBytes, requests } = host;
  const proof = "none";
  const readOk = async (url: string, maxBytes: number, signal?: AbortSignal): Promise<Bytes> => {
    const { status, bytes } = await requests.get(url, { maxBytes, signal });
    requireOk(url, status);
    return bytes;
  };
  /** A JSON object and its bytes; or the error where the host has nothing there, which is not asked for again. */
  const readObject = (url: string, maxBytes: number, signal?: AbortSignal) =>
    requests.retry(signal, async () => {
      try {
        const bytes = await readOk(url, maxBytes, signal);
        return { bytes, said: objectOf(bytes, url) };
      } catch (error) {
        if (error instanceof ListingError && isNothing(error)) return { error };
        throw error;
      }
    });
  const readPath = async () => {
    const { said } = await readObject(`${baseUrl}/contract.json`, MAX_CONTRACT, signal);
    const listing = said?.["x-listing"] as AnyObject | null | undefined;
    return /^\/([^/?#\s]+\/)+$/.exec(`${listing?.["path"]}`)?.[0] ?? USUAL_PATH;
  };
  const path = options.path ?? (await readPath());
  /** What page 1 promises, or why there is none at this URL. */
  const readFirst = async (links: LinkStyle, signal?: AbortSignal): Promise<Snapshot | ListingError> => {
    const place = { baseUrl, path, links };
    const { bytes, said, error } = await readObject(pageUrl(place, 1), pageBytes, signal);
    if (error) return error;
    const { count, next, results } = said as unknown as Page<unknown>;
    const records = Array.isArray(results) ? results.length : 0;
    const snapshot = promisedSnapshot(place, { count, next, records }, await hexDigest(bytes));
    parsePage({ proof, path, snapshot }, 1, bytes);
    return snapshot;
  };
  const byQuery = await readFirst("query", signal);
  const byPath = byQuery instanceof ListingError ? await readFirst("path", signal) : byQuery;
  const snapshot = byPath instanceof ListingError ? byQuery : byPath;
  if (snapshot instanceof ListingError) throw snapshot;
  const { links, state } = snapshot;
  const urlOf = (page: number) => pageUrl({ baseUrl, path, links }, page);
  const requireCurrent = async (signal?: AbortSignal) => {
    const now = await readFirst(links, signal);
    if (now instanceof ListingError) throw now;
    if (now.state === state) return;
    host.gone = snapshot;
    throw new SnapshotChangedError(urlOf(1), { state, page: 1, index: 0 }, snapshot, now);
  };
  return {
    ...{ proof, path, state, snapshot, urlOf, requireCurrent },
    readPage: (page, signal) =>
      requests.retry(
        signal,
        async () => {
          const bytes = await readOk(urlOf(page), pageBytes, signal);
          parsePage({ proof, path, snapshot }, page, bytes);
          return bytes;
        },
        // A page that does not fit may be of another snapshot, which page 1 tells.
        () => requireCurrent(signal),
      ),
    readFile: (file, maxBytes, signal) => readOk(`${baseUrl}/${file}`, maxBytes, signal),
  };
}

/** Whether an answer says that the host has nothing there, rather than that it fails. */
function isNothing({ code, received }: ListingError): boolean {
  return code === "malformed" || code === "redirect" || (code === "status" && Number(received) < 500);
}

/**
 * What page 1 promises about all pages, in the form of a release's snapshot.json.
 * @param first with the number of its records.
 * @param state names the snapshot: the SHA-256 of its page 1.
 * @throws ListingError (malformed) when the page contradicts itself.
 */
export function promisedSnapshot(
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
    ...{ id: state.slice(0, 12), contract: 1, count, pages, page_size: pageSize, base_url: baseUrl },
    ...{ links, encodings: [], skipped: 0, state, warnings: {} },
  };
}
