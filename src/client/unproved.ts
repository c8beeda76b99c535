/** A host without digests, such as any listing in the same form: what it says is checked against itself, and proved by nothing. */
import { isObject } from "../contract/json.js";
import { MAX_PAGES, PAGE_SIZE, pagesFor } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { jsonOf } from "./checked.js";
import { digestOf } from "./digests.js";
import { ListingError, SnapshotChangedError } from "./errors.js";
import { type Host, requireOk } from "./files.js";
import { CONTRACT_BYTES, pathIn } from "./find-ground.js";
import type { Ground } from "./ground.js";
import { positionAt } from "./position.js";
import { type Bytes, shown } from "./requests.js";

const USUAL_PATH = "/api/users/";
const PAGE_BYTES = 64 * 2 ** 20;

/** A listing as its page 1 says that it is. */
export async function findUnproved(host: Host, path: string | undefined, signal?: AbortSignal): Promise<Ground> {
  return UnprovedGround.read(host, path ?? (await pathOfHost(host, signal)) ?? USUAL_PATH, signal);
}

/** Undefined where the host has no contract.json. */
async function pathOfHost({ baseUrl, requests }: Host, signal?: AbortSignal): Promise<string | undefined> {
  const url = `${baseUrl}/contract.json`;
  const { status, bytes } = await requests.get(url, { maxBytes: CONTRACT_BYTES, signal });
  try {
    return status === 200 ? pathIn(bytes, url) : undefined;
  } catch (error) {
    if (error instanceof ListingError) return undefined;
    throw error;
  }
}

class UnprovedGround implements Ground {
  readonly proof = "none";

  private constructor(
    private readonly host: Host,
    private readonly path: string,
    readonly state: string,
    readonly snapshot: Snapshot,
  ) {}

  static async read(host: Host, path: string, signal?: AbortSignal): Promise<UnprovedGround> {
    const url = urlOf(host, path, 1);
    const bytes = await readUnproved(host, url, signal);
    const state = await digestOf(bytes);
    const { count, next, results } = unprovedPage(bytes, url, 1);
    const pageSize = Math.max(PAGE_SIZE.min, results.length);
    const pages = next === null ? 1 : pagesFor(count, pageSize);
    const isWhole = next === null ? results.length === count : results.length > 0 && pages > 1 && pages <= MAX_PAGES;
    if (!isWhole) {
      throw new ListingError("malformed", url, "contradicts itself", {
        expected: `${count} records in all`,
        received: `${results.length} on page 1, and ${next === null ? "no" : "a"} next page`,
      });
    }
    const snapshot: Snapshot = {
      ...{ id: state.slice(0, 12), contract: 1, count, pages, page_size: pageSize, base_url: host.baseUrl },
      ...{ links: "query", encodings: [], skipped: 0, state, warnings: {} },
    };
    return new UnprovedGround(host, path, state, snapshot);
  }

  readPage(page: number, signal?: AbortSignal): Promise<Bytes> {
    return readUnproved(this.host, urlOf(this.host, this.path, page), signal);
  }

  parsePage<T>(page: number, bytes: Bytes): Page<T> {
    const url = urlOf(this.host, this.path, page);
    const read = unprovedPage(bytes, url, page);
    const { count, page_size, pages } = this.snapshot;
    const records = Math.max(0, Math.min(page_size, count - (page - 1) * page_size));
    const facts = [
      ["count", count, read.count],
      ["number of results", records, read.results.length],
      ["next page", page < pages, read.next !== null],
    ] as const;
    for (const [name, expected, received] of facts) {
      if (expected === received) continue;
      const why = `has another ${name} than page 1 promises`;
      throw new ListingError("malformed", url, why, { expected: String(expected), received: String(received) });
    }
    return read as Page<T>;
  }

  async readFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<Bytes> {
    const url = `${this.host.baseUrl}/${file}`;
    return requireOk(url, await this.host.requests.get(url, { maxBytes, signal })).bytes;
  }

  async requireCurrent(signal?: AbortSignal): Promise<void> {
    const now = await UnprovedGround.read(this.host, this.path, signal);
    if (now.state === this.state) return;
    const { snapshot, state, path, host } = this;
    throw new SnapshotChangedError(urlOf(host, path, 1), positionAt(0, state, snapshot), snapshot, now.snapshot);
  }
}

function urlOf({ baseUrl }: Host, path: string, page: number): string {
  return `${baseUrl}${path}?format=api&page=${page}`;
}

function readUnproved({ requests }: Host, url: string, signal?: AbortSignal): Promise<Bytes> {
  return requests.insist(
    async () => requireOk(url, await requests.get(url, { maxBytes: PAGE_BYTES, signal })).bytes,
    signal,
  );
}

/** A page whose links lead to the pages beside it, and nowhere else. */
function unprovedPage(bytes: Bytes, url: string, number: number): Page<unknown> {
  const value = jsonOf(bytes, url, PAGE_SIZE.max);
  const page = isObject(value) ? value : {};
  const { count, next, previous, results } = page;
  const checks: [name: string, isRight: boolean][] = [
    ["count", Number.isSafeInteger(count) && (count as number) >= 0],
    ["results", Array.isArray(results) && results.length <= PAGE_SIZE.max && results.every(isObject)],
    ["next", next === null || isPage(next, url, number + 1)],
    ["previous", number === 1 ? previous === null : isPage(previous, url, number - 1)],
  ];
  const [wrong] = checks.find(([, isRight]) => !isRight) ?? [];
  if (wrong === undefined) return value as Page<unknown>;
  throw new ListingError("malformed", url, `is no page ${number} of a listing by its ${wrong}`, {
    expected:
      wrong === "count" ? "a number" : wrong === "results" ? "objects" : `the URL of the page beside it, or null`,
    received: shown(JSON.stringify(page[wrong]) ?? "none"),
  });
}

/** Whether a link is of this page, below the same origin and path. Frameworks write page 1 without its number. */
function isPage(link: unknown, url: string, number: number): boolean {
  if (typeof link !== "string" || !URL.canParse(link)) return false;
  const [to, from] = [new URL(link), new URL(url)];
  const page = to.searchParams.getAll("page");
  const isNumber = page.length === 1 ? page[0] === String(number) : page.length === 0 && number === 1;
  return to.origin === from.origin && to.pathname === from.pathname && isNumber;
}
