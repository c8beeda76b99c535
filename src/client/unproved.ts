/** A host without digests, such as any listing in the same form: what it says is checked against itself, and proved by nothing. */
import { MAX_CONTRACT } from "../contract/file/form.js";
import { type LinkStyle, type ListingPlace, MAX_PAGES, PAGE_SIZE, pagesFor, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { type AnyObject, hexDigest, objectOf, requireOk } from "./checked.js";
import { type ListingError, malformed, SnapshotChangedError } from "./errors.js";
import { parsePage } from "./page.js";
import type { Host, SnapshotView } from "./proof/view.js";
import type { Bytes } from "./transfer.js";

const USUAL_PATH = "/api/users/";

/**
 * A listing as its page 1 says that it is: by query, or by path on a host that ignores queries.
 * @param given the path of the listing, where the host does not say it.
 */
export async function unprovedView(host: Host, given: string | undefined, signal?: AbortSignal): Promise<SnapshotView> {
  const { baseUrl, requests } = host;
  const proof = "none";
  const readOk = async (url: string, maxBytes: number, how?: AbortSignal): Promise<Bytes> => {
    const { status, bytes } = await requests.get(url, { maxBytes, signal: how });
    requireOk(url, status);
    return bytes;
  };
  const readObject = (url: string, maxBytes: number, how?: AbortSignal) =>
    requests.insist(how, async () => {
      try {
        const bytes = await readOk(url, maxBytes, how);
        return { bytes, said: objectOf(bytes, url) };
      } catch (error) {
        if (isNothing(error)) return error;
        throw error;
      }
    });
  const path = given ?? pathIn(await readObject(`${baseUrl}/contract.json`, MAX_CONTRACT, signal));
  /** What page 1 promises, or why there is none at this URL: then it is not asked for again. */
  const readFirst = async (links: LinkStyle, how?: AbortSignal): Promise<Snapshot | ListingError> => {
    const place = { baseUrl, path, links };
    const first = await readObject(pageUrl(place, 1), host.pageBytes, how);
    if ("code" in first) return first;
    const { count, next, results } = first.said as unknown as Page<unknown>;
    const records = Array.isArray(results) ? results.length : 0;
    const promised = promisedSnapshot(place, { count, next, records }, await hexDigest(first.bytes));
    parsePage({ proof, path, snapshot: promised }, 1, first.bytes);
    return promised;
  };
  const byQuery = await readFirst("query", signal);
  const byPath = "code" in byQuery ? await readFirst("path", signal) : byQuery;
  const snapshot = "code" in byPath ? byQuery : byPath;
  if ("code" in snapshot) throw snapshot;
  const { links, state = "" } = snapshot;
  const urlOf = (page: number) => pageUrl({ baseUrl, path, links }, page);
  const requireCurrent = async (how?: AbortSignal) => {
    const now = await readFirst(links, how);
    if ("code" in now) throw now;
    if (now.state === state) return;
    host.gone = snapshot;
    throw new SnapshotChangedError(urlOf(1), { state, page: 1, index: 0 }, snapshot, now);
  };
  return {
    ...{ proof, path, state, snapshot, urlOf, requireCurrent },
    readPage: (page, how) =>
      requests.insist(
        how,
        async () => {
          const bytes = await readOk(urlOf(page), host.pageBytes, how);
          parsePage({ proof, path, snapshot }, page, bytes);
          return bytes;
        },
        // What does not fit may be of another snapshot, which page 1 tells.
        () => requireCurrent(how),
      ),
    readFile: (file, maxBytes, how) => readOk(`${baseUrl}/${file}`, maxBytes, how),
  };
}

/** Whether a host says by an answer that it has nothing there, rather than that it fails. */
function isNothing(error: unknown): error is ListingError {
  const { code, received } = error as Partial<ListingError>;
  return code === "malformed" || code === "redirect" || (code === "status" && Number(received) < 500);
}

/** What the host's contract.json says; the usual one where it has none. */
function pathIn(contract: { said: AnyObject } | ListingError): string {
  const listing = "said" in contract && (contract.said["x-listing"] as AnyObject | null | undefined);
  return /^\/([^/?#\s]+\/)+$/.exec(`${listing ? listing["path"] : ""}`)?.[0] ?? USUAL_PATH;
}

/**
 * What page 1 promises of all pages, in the form of a release's snapshot.json.
 * @param state what the snapshot is called: the SHA-256 of its page 1.
 * @throws ListingError (malformed) when the page contradicts itself.
 */
export function promisedSnapshot(
  place: ListingPlace,
  { count, next, records }: FirstPageFacts,
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

/** `records`: how many are on it. */
interface FirstPageFacts {
  count: number;
  next: string | null;
  records: number;
}
