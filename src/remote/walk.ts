/** Reads a deployed listing to its last page, all of it from one snapshot. */
import { pageUrl, parseBaseUrl } from "../contract/links.js";
import { UserError } from "../errors.js";
import { each } from "../workers/at-most.js";
import { type Client, type ClientOptions, CONCURRENCY, createClient } from "./client.js";
import { decodeBody } from "./decode.js";
import { headerOf } from "./exchange.js";
import { type FirstPage, readFirst } from "./first.js";
import { type ListingFacts, readPage, whyNotOf } from "./listing.js";

export interface WalkOptions extends ClientOptions {
  /** Accepts links that lead to another base URL, as of a release that is not yet where it will be; see `linkBase`. */
  allowOtherBase?: boolean;
  /** What page 1 tells, before any page; again after each restart. */
  onStart?(facts: ListingFacts): void | Promise<void>;
  /** The bytes of a page, decoded; pages come in any order. What it returns is waited for before more is asked. */
  onPage?(page: number, bytes: Buffer): void | Promise<void>;
  /** All pages so far are void, since the snapshot changed; says how that was seen. */
  onRestart?(why: string): void | Promise<void>;
}

/** How often a listing that changes is begun anew. */
const RESTARTS = 3;

/**
 * Walks all pages, `concurrency` (8) at once. Pages are asked for by number: no link is followed. Memory does not grow
 * with the collection.
 * @throws UserError naming the URL, what came and what is expected: when the host cannot be reached, hangs, contradicts
 *   itself, or changes again and again.
 */
export async function walk(base: string, options: WalkOptions = {}): Promise<ListingFacts> {
  const baseUrl = parseBaseUrl(base);
  const client = createClient(options);
  try {
    for (let restarts = 0; ; restarts++) {
      try {
        return await walkOnce(client, baseUrl, options);
      } catch (error) {
        if (!(error instanceof Changed)) throw error;
        if (restarts === RESTARTS) throw tooRestless(baseUrl, error);
        await options.onRestart?.(error.message);
      }
    }
  } finally {
    client.close();
  }
}

/** The listing changed under the walk; the message says how that was seen. */
class Changed extends Error {}

function tooRestless(baseUrl: string, { message }: Changed): UserError {
  return new UserError(
    `${baseUrl} did not keep still: it was begun ${RESTARTS + 1} times, and at last ${message}. Try again when nothing is being deployed; if that does not help, its servers are of different releases.`,
  );
}

/** Compressed bodies are a tenth of the way's load. */
const HEADERS = { "Accept-Encoding": "br, gzip" };

async function walkOnce(client: Client, baseUrl: string, options: WalkOptions): Promise<ListingFacts> {
  const { concurrency = CONCURRENCY, maxBytes, allowOtherBase = false, onStart, onPage } = options;
  const first = await readFirst(client, baseUrl, HEADERS, maxBytes);
  const { facts } = first;
  if (!allowOtherBase) requireOwnLinks(first);
  await onStart?.(facts);
  await onPage?.(1, first.bytes);

  // It ends when nothing is under way any more, so that no page of an older snapshot comes after a restart.
  await each(pagesFrom(2, facts.pages), concurrency, async (page) => {
    const bytes = await readSame(client, first, page, maxBytes);
    await onPage?.(page, bytes);
  });
  if (facts.snapshotId === undefined) await requireUnchanged(client, first, maxBytes);
  return facts;
}

function* pagesFrom(first: number, last: number): Generator<number> {
  for (let page = first; page <= last; page++) yield page;
}

function requireOwnLinks({ facts: { baseUrl, linkBase = baseUrl }, answer }: FirstPage): void {
  if (linkBase === baseUrl) return;
  throw new UserError(
    `${answer.url} links to ${linkBase}, not to ${baseUrl}: its release was built for another base URL.`,
  );
}

/** The bytes of a page that is of one snapshot with the first. */
async function readSame(client: Client, first: FirstPage, page: number, maxBytes?: number): Promise<Buffer> {
  const { facts } = first;
  const answer = await client.ask(pageUrl(facts.baseUrl, facts.links, page), { headers: HEADERS });
  const bytes = await decodeBody(answer, maxBytes);
  const [here, there] = [headerOf(answer, "Snapshot-Id"), facts.snapshotId];
  const mixed = new Changed(`page ${page} was of snapshot ${here ?? "unknown"}, page 1 of ${there ?? "unknown"}`);
  if (here !== undefined && here !== there) throw mixed;
  const read = readPage(answer, bytes);
  const why = "why" in read ? read.why : whyNotOf(facts, page, read.envelope);
  if (why !== undefined) {
    await requireUnchanged(client, first, maxBytes);
    throw new UserError(`${answer.url} ${why}.`);
  }
  if (here !== there) throw mixed;
  return bytes;
}

/** Asks for page 1 again: a host that sends no Snapshot-Id tells a change by it alone. */
async function requireUnchanged(client: Client, first: FirstPage, maxBytes?: number): Promise<void> {
  const again = await readFirst(client, first.facts.baseUrl, HEADERS, maxBytes);
  if (!again.bytes.equals(first.bytes)) throw new Changed("page 1 was not what it had been at the beginning");
}
