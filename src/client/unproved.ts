/** A host without digests, such as any listing in the same form: what it says is checked against itself, and proved by nothing. */
import { MAX_CONTRACT } from "../contract/file/form.js";
import { LINK_STYLES, type ListingPlace, MAX_PAGES, PAGE_SIZE, pagesFor, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { hexDigest, isPlainObject, objectOf, requireOk } from "./checked.js";
import { ListingError, quoted, SnapshotChangedError } from "./errors.js";
import type { Host } from "./proof/files.js";
import type { Ground } from "./proof/ground.js";
import type { Bytes } from "./transfer.js";

const USUAL_PATH = "/api/users/";
const PAGE_BYTES = 64 * 2 ** 20;

/**
 * A listing as its page 1 says that it is: by query, or by path on a host that ignores queries.
 * @param given the path of the listing, where the host does not say it.
 */
export async function unprovedGround(host: Host, given: string | undefined, signal?: AbortSignal): Promise<Ground> {
  const { baseUrl, requests } = host;
  const readOk = async (url: string, maxBytes: number, how?: AbortSignal): Promise<Bytes> => {
    const { status, bytes } = await requests.get(url, { maxBytes, signal: how });
    requireOk(url, status);
    return bytes;
  };
  const path = given ?? (await pathOfHost(baseUrl, (url) => readOk(url, MAX_CONTRACT, signal)));
  /** Page 1, or why there is none at this URL: then it is not asked for again. */
  const readFirst = (place: ListingPlace, how?: AbortSignal) => {
    const url = pageUrl(place, 1);
    return requests.insist(how, async () => {
      try {
        const bytes = await readOk(url, PAGE_BYTES, how);
        objectOf(bytes, url);
        return { place, bytes, state: await hexDigest(bytes) };
      } catch (error) {
        if (isNothing(error)) return error;
        throw error;
      }
    });
  };
  const byQuery = await readFirst({ baseUrl, path, links: "query" }, signal);
  const byPath = "code" in byQuery ? await readFirst({ baseUrl, path, links: "path" }, signal) : byQuery;
  if ("code" in byPath) throw byQuery;
  const { place, bytes: first, state } = byPath;
  const snapshot = factsOf(first, place, state);
  const parsePage = <T>(page: number, bytes: Bytes) => {
    const read = selfConsistent(bytes, place, page);
    requirePromised(read, pageUrl(place, page), page, snapshot);
    return read as Page<T>;
  };
  const requireCurrent = async (how?: AbortSignal) => {
    const now = await readFirst(place, how);
    if ("code" in now) throw now;
    if (now.state === state) return;
    const to = factsOf(now.bytes, place, now.state);
    throw new SnapshotChangedError(pageUrl(place, 1), { state, page: 1, index: 0 }, snapshot, to);
  };
  return {
    ...{ proof: "none", state, snapshot, parsePage, requireCurrent },
    readPage: (page, how) =>
      requests.insist(
        how,
        async () => {
          const bytes = await readOk(pageUrl(place, page), PAGE_BYTES, how);
          parsePage(page, bytes);
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
  if (!(error instanceof ListingError)) return false;
  const { code, received } = error;
  return code === "malformed" || code === "redirect" || (code === "status" && Number(received) < 500);
}

/** What the host's contract.json says; the usual one where it has none. */
async function pathOfHost(baseUrl: string, read: (url: string) => Promise<Bytes>): Promise<string> {
  const url = `${baseUrl}/contract.json`;
  try {
    const listing = objectOf(await read(url), url)["x-listing"];
    const path = isPlainObject(listing) ? listing["path"] : undefined;
    return typeof path === "string" && /^\/([^/?#\s]+\/)+$/.test(path) ? path : USUAL_PATH;
  } catch (error) {
    if (isNothing(error)) return USUAL_PATH;
    throw error;
  }
}

function factsOf(first: Bytes, place: ListingPlace, state: string): Snapshot {
  const { count, next, results } = selfConsistent(first, place, 1);
  return promisedSnapshot(place, { count, next, records: results.length }, state);
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
  if (!isWhole) {
    const expected = `${count} records${next === null ? "" : ` on 2 to ${MAX_PAGES} pages`}`;
    const received = `${records} on page 1, and ${next === null ? "no" : "a"} next page`;
    throw new ListingError("malformed", pageUrl(place, 1), "contradicts itself", expected, received);
  }
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

function requirePromised({ count, next, results }: Page<unknown>, url: string, page: number, promised: Snapshot): void {
  const { page_size, pages } = promised;
  const records = Math.max(0, Math.min(page_size, promised.count - (page - 1) * page_size));
  const facts = [
    ["count", promised.count, count],
    ["number of results", records, results.length],
    ["next page", page < pages ? "one" : "none", next === null ? "none" : "one"],
  ] as const;
  for (const [name, expected, received] of facts) {
    if (expected === received) continue;
    throw new ListingError("malformed", url, `has another ${name} than page 1 promises`, `${expected}`, `${received}`);
  }
}

/** A page whose links lead to the pages beside it, and nowhere else. */
function selfConsistent(bytes: Bytes, place: ListingPlace, number: number): Page<unknown> {
  const url = pageUrl(place, number);
  const page = objectOf(bytes, url);
  const { count, next, previous, results } = page;
  const isList = Array.isArray(results) && results.length <= PAGE_SIZE.max && results.every(isPlainObject);
  const rules: [name: string, isRight: boolean, expected: string][] = [
    ["count", Number.isSafeInteger(count) && (count as number) >= 0, "a number of records"],
    ["results", isList, `at most ${PAGE_SIZE.max} objects`],
    ["next", next === null || isPage(next, place, number + 1), `a URL of page ${number + 1} of this listing, or null`],
    [
      "previous",
      number === 1 ? previous === null : isPage(previous, place, number - 1),
      number === 1 ? "null" : `a URL of page ${number - 1} of this listing`,
    ],
  ];
  for (const [name, isRight, expected] of rules) {
    if (isRight) continue;
    const why = `is no page ${number} of a listing by its ${name}`;
    throw new ListingError("malformed", url, why, expected, quoted(page[name]));
  }
  return page as unknown as Page<unknown>;
}

/** Whether a link is of this page, at the same origin and path. Frameworks write page 1 without its number. */
function isPage(link: unknown, place: ListingPlace, number: number): boolean {
  if (typeof link !== "string" || !URL.canParse(link)) return false;
  const to = new URL(link);
  const [page = "1", ...more] = to.searchParams.getAll("page");
  const isNumber = page === `${number}` && more.length === 0;
  return LINK_STYLES.some((links) => {
    const { origin, pathname } = new URL(pageUrl({ ...place, links }, number));
    return to.origin === origin && to.pathname === pathname && (links === "path" || isNumber);
  });
}
