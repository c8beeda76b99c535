/** Reads pages of a deployed listing, all of them from one snapshot. */

import { parseBaseUrl } from "../contract/base-url.js";
import type { PageBody } from "../contract/envelope.js";
import { pageUrl } from "../contract/links.js";
import { UserError } from "../errors.js";
import { each } from "../workers/at-most.js";
import { type Client, type ClientOptions, CONCURRENCY, createClient } from "./client.js";
import { readHostContract, refuseListingUrl } from "./contract.js";
import { decodeBody, headerOf, type RemoteRequest, type RemoteResponse } from "./exchange.js";
import { contradictionOf, type FirstPage, type ListingFacts, readAnswer, readFirst } from "./listing.js";
import { TransferError } from "./transfer.js";

export interface WalkOptions extends ClientOptions {
  /** Called with what page 1 says, before any page; again after each restart. */
  onStart?(facts: ListingFacts): void | Promise<void>;
  /** Called with each page, decoded and read, in any order. What it returns is waited for before more is requested. */
  onPage?(page: number, bytes: Buffer, body: PageBody): void | Promise<void>;
  /** All pages so far are void, since the snapshot changed; says how that was seen. */
  onRestart?(why: string): void | Promise<void>;
}

const COMPRESSED = { "Accept-Encoding": "br, gzip" };

/** Reads all pages, by number: no link is followed. @throws UserError naming the URL, what came and what is expected. */
export async function walk(base: string, options: WalkOptions = {}): Promise<ListingFacts> {
  const { onStart, onPage } = options;
  const baseUrl = parseBaseUrl(base);
  const client = createClient(options);
  try {
    const { visitor, change } = await walkPages(client, baseUrl, {
      ...{ ...options, headers: COMPRESSED, trustsId: true },
      async start(first) {
        await onStart?.(first.facts);
        return {
          facts: first.facts,
          async take(page, answer, bytes) {
            const body = await readSame(client, first, page, answer, bytes);
            await onPage?.(page, bytes, body);
          },
        };
      },
    });
    if (change === undefined) return visitor.facts;
    throw new UserError(
      `${baseUrl} kept changing: it was read from the beginning ${RESTARTS + 1} times, and the last time ${change}. Try again when nothing is being deployed; if that does not help, its servers have different releases.`,
    );
  } finally {
    client.close();
  }
}

/** Takes the pages of one attempt. What it throws ends the walk. */
export interface PageVisitor {
  pages?: Generator<number>;
  take(page: number, answer: RemoteResponse, bytes: Buffer): void | Promise<void>;
  /** Called for an answer that did not come in full; without it, that ends the walk. */
  miss?(page: number, url: string, error: TransferError): void;
  /** Called when the walk begins again with another visitor, or fails. */
  close?(): void;
}

interface PageWalk<Visitor extends PageVisitor> extends Pick<WalkOptions, "concurrency" | "onRestart"> {
  headers: RemoteRequest["headers"];
  /** Whether `take` makes sure that all pages have one Snapshot-Id. Otherwise page 1 is requested again at the end. */
  trustsId: boolean;
  start(first: FirstPage): Visitor | Promise<Visitor>;
}

export const RESTARTS = 3;

/**
 * Hands pages to a visitor, and begins again when the listing changes. `change` says how it was seen that it did so the
 * last time, too. @throws UserError when page 1 is none; TransferError, unless the visitor takes it.
 */
export async function walkPages<Visitor extends PageVisitor>(
  client: Client,
  baseUrl: string,
  options: PageWalk<Visitor>,
): Promise<{ visitor: Visitor; change?: string }> {
  const { headers, start, onRestart } = options;
  for (let restarts = 0; ; restarts++) {
    const first = await begin(client, baseUrl, headers);
    const visitor = await start(first);
    try {
      await visit(client, first, visitor, options);
      return { visitor };
    } catch (error) {
      const hasChanged = error instanceof Changed;
      if (hasChanged && restarts === RESTARTS) return { visitor, change: error.message };
      visitor.close?.();
      if (!hasChanged) throw error;
      await onRestart?.(error.message);
    }
  }
}

/** Reads page 1 by the contract that the host has. A switch in between, after which another one is to be read, is followed. */
async function begin(client: Client, baseUrl: string, headers: RemoteRequest["headers"]): Promise<FirstPage> {
  for (let restarts = 0; ; restarts++) {
    const { contract, snapshotId, isGiven } = await readHostContract(client, baseUrl);
    const hasChanged = async () => (await readHostContract(client, baseUrl)).contract !== contract;
    try {
      const first = await readFirst(client, { baseUrl, contract }, headers);
      const isSame = snapshotId === undefined || snapshotId === first.facts.snapshotId;
      if (isSame || restarts === RESTARTS || !(await hasChanged())) return first;
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof TransferError) throw error;
      if (!isGiven) await refuseListingUrl(client, baseUrl);
      if (restarts === RESTARTS || !(await hasChanged())) throw error;
    }
  }
}

/** The listing changed during the walk; the message says how that was seen. */
class Changed extends Error {}

async function visit(
  client: Client,
  first: FirstPage,
  visitor: PageVisitor,
  { concurrency = CONCURRENCY, headers, trustsId }: PageWalk<PageVisitor>,
): Promise<void> {
  const { pages, snapshotId } = first.facts;
  // It ends when nothing is under way any more, so that no page of an older snapshot comes after a restart.
  await each(visitor.pages ?? upTo(pages), concurrency, async (page): Promise<void> => {
    if (page === 1) return visitor.take(page, first.answer, first.bytes);
    const url = pageUrl(first.facts, page);
    try {
      const answer = await client.request(url, { headers });
      await visitor.take(page, answer, await decodeBody(answer, client.maxBytes));
    } catch (error) {
      if (!visitor.miss || !(error instanceof TransferError)) throw error;
      visitor.miss(page, url, error);
    }
  });
  if (!trustsId || snapshotId === undefined) await requireUnchanged(client, first, headers);
}

function* upTo(pages: number): Generator<number> {
  for (let page = 1; page <= pages; page++) yield page;
}

/** Reads a page that must be of the same snapshot as page 1, and say what that promises. */
async function readSame(
  client: Client,
  first: FirstPage,
  page: number,
  answer: RemoteResponse,
  bytes: Buffer,
): Promise<PageBody> {
  const [here, there] = [headerOf(answer, "Snapshot-Id"), first.facts.snapshotId];
  const mixed = new Changed(`page ${page} was of snapshot ${here ?? "unknown"}, page 1 of ${there ?? "unknown"}`);
  if (here !== undefined && here !== there) throw mixed;
  const read = readAnswer(answer, bytes);
  const why = "why" in read ? read.why : contradictionOf(first.facts, page, read.envelope);
  if (why !== undefined || "why" in read) {
    await requireUnchanged(client, first, COMPRESSED);
    throw new UserError(`${answer.url} ${why}.`);
  }
  if (here !== there) throw mixed;
  return read;
}

/** A host that sends no Snapshot-Id shows a change by its page 1 alone. */
async function requireUnchanged(client: Client, first: FirstPage, headers: RemoteRequest["headers"]): Promise<void> {
  const again = await readFirst(client, first.facts, headers);
  if (!again.bytes.equals(first.bytes)) throw new Changed("page 1 was no longer the same as at the beginning");
}
