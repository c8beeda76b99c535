/** A host without digests, such as any listing in the same form: what it says is checked against itself, and proved by nothing. */
import { MAX_PAGES, PAGE_SIZE, pagesFor, pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { isPlainObject, objectOf } from "./checked.js";
import { ListingError, quoted, SnapshotChangedError } from "./errors.js";
import { BEGINNING } from "./position.js";
import { hexDigest } from "./proof/digests.js";
import { type Host, requireOk } from "./proof/files.js";
import type { Ground } from "./proof/ground.js";
import type { Bytes } from "./transfer.js";

const USUAL_PATH = "/api/users/";
const PAGE_BYTES = 64 * 2 ** 20;
const CONTRACT_BYTES = 1_000_000;

/** A listing as its page 1 says that it is. @param path of the listing, where the host does not say it */
export async function unprovedGround(host: Host, given: string | undefined, signal?: AbortSignal): Promise<Ground> {
  const { baseUrl, requests } = host;
  const path = given ?? (await pathOfHost(host, signal));
  const urlOf = (page: number) => pageUrl({ baseUrl, path, links: "query" }, page);
  const readOk = async (url: string, maxBytes: number, how?: AbortSignal): Promise<Bytes> => {
    const { status, bytes } = await requests.get(url, { maxBytes, signal: how });
    requireOk(url, status);
    return bytes;
  };
  const readPage = (page: number, how?: AbortSignal) =>
    requests.insist(how, () => readOk(urlOf(page), PAGE_BYTES, how));
  const first = await readPage(1, signal);
  const state = await hexDigest(first);
  const snapshot = factsOf(first, urlOf(1), baseUrl, state);
  return {
    ...{ proof: "none", state, snapshot, readPage },
    parsePage<T>(page: number, bytes: Bytes) {
      const read = selfConsistent(bytes, urlOf(page), page);
      requirePromised(read, urlOf(page), page, snapshot);
      return read as Page<T>;
    },
    readFile: (file, maxBytes, how) => readOk(`${baseUrl}/${file}`, maxBytes, how),
    async requireCurrent(how) {
      const now = await readPage(1, how);
      const digest = await hexDigest(now);
      if (digest === state) return;
      const to = factsOf(now, urlOf(1), baseUrl, digest);
      throw new SnapshotChangedError(urlOf(1), { ...BEGINNING, state }, snapshot, to);
    },
  };
}

/** What the host's contract.json says; the usual one where it has none. */
async function pathOfHost({ baseUrl, requests }: Host, signal?: AbortSignal): Promise<string> {
  const url = `${baseUrl}/contract.json`;
  const { status, bytes } = await requests.get(url, { maxBytes: CONTRACT_BYTES, signal });
  try {
    const listing = status === 200 ? objectOf(bytes, url)["x-listing"] : undefined;
    const path = isPlainObject(listing) ? listing["path"] : undefined;
    return typeof path === "string" && /^\/([^/?#\s]+\/)+$/.test(path) ? path : USUAL_PATH;
  } catch (error) {
    if (error instanceof ListingError) return USUAL_PATH;
    throw error;
  }
}

/** What page 1 promises of all pages, in the form of a release's snapshot.json. */
function factsOf(first: Bytes, url: string, baseUrl: string, state: string): Snapshot {
  const { count, next, results } = selfConsistent(first, url, 1);
  const pageSize = Math.max(PAGE_SIZE.min, results.length);
  const pages = next === null ? 1 : pagesFor(count, pageSize);
  const isWhole = next === null ? results.length === count : results.length > 0 && pages > 1 && pages <= MAX_PAGES;
  if (!isWhole) {
    const received = `${results.length} on page 1, and ${next === null ? "no" : "a"} next page`;
    throw new ListingError("malformed", url, "contradicts itself", `${count} records in all`, received);
  }
  return {
    ...{ id: state.slice(0, 12), contract: 1, count, pages, page_size: pageSize, base_url: baseUrl },
    ...{ links: "query", encodings: [], skipped: 0, state, warnings: {} },
  };
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
function selfConsistent(bytes: Bytes, url: string, number: number): Page<unknown> {
  const page = objectOf(bytes, url);
  const { count, next, previous, results } = page;
  const isList = Array.isArray(results) && results.length <= PAGE_SIZE.max && results.every(isPlainObject);
  const rules: [name: string, isRight: boolean, expected: string][] = [
    ["count", Number.isSafeInteger(count) && (count as number) >= 0, "a number of records"],
    ["results", isList, `at most ${PAGE_SIZE.max} objects`],
    ["next", next === null || isPage(next, url, number + 1), `a URL of page ${number + 1} of this listing, or null`],
    [
      "previous",
      number === 1 ? previous === null : isPage(previous, url, number - 1),
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
function isPage(link: unknown, url: string, number: number): boolean {
  if (typeof link !== "string" || !URL.canParse(link)) return false;
  const [to, from] = [new URL(link), new URL(url)];
  const [page = "1", ...more] = to.searchParams.getAll("page");
  return to.origin === from.origin && to.pathname === from.pathname && page === `${number}` && more.length === 0;
}
