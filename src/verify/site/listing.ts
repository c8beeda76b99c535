/** A deployed listing: what its first page says, and what each page must say to belong to it. */
import { ListingError } from "../../client/errors.js";
import { promisedSnapshot } from "../../client/unproved.js";
import type { Contract } from "../../contract/contract.js";
import {
  type Envelope,
  envelopeDifferences,
  expectedEnvelope,
  type PageBody,
  readBody,
} from "../../contract/envelope.js";
import { LINK_STYLES, type ListingPlace, pageUrl, parsePageUrl } from "../../contract/links.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { UserError } from "../../errors.js";
import { sha256 } from "../../release/files.js";
import { type Client, isHostBusy } from "../../remote/client.js";
import { adviceFor, readHostContract, refuseListingUrl } from "../../remote/contract.js";
import { decodeBody, headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { TransferError } from "../../remote/transfer.js";

/** What is known of a listing before its first page. */
export interface KnownListing {
  /** The base URL of the requests, normalised. */
  baseUrl: string;
  /** What its records are. */
  contract: Contract;
}

/** The form of links is that of the listing's own or, where there are none, the one that was answered. */
export interface ListingFacts extends KnownListing, ListingPlace {
  count: number;
  pages: number;
  /** How many records there are on every page but the last. */
  pageSize: number;
  /** The base URL of the links, which may be another; undefined where there is one page only, so no link. */
  linkBase: string | undefined;
  snapshotId: string | undefined;
}

export interface FirstPage {
  facts: ListingFacts;
  /** What a reader can know of the snapshot from this page alone. */
  snapshot: Snapshot;
  answer: RemoteResponse;
  bytes: Buffer;
}

/** Enough for a host that switches while its first files are read. */
const MOST_SWITCHES = 3;

/**
 * Reads page 1 by the contract that the host has. A switch in between, after which another one is to be read, is followed.
 * @throws UserError naming the URL and what came.
 */
export async function readListing(client: Client, baseUrl: string): Promise<FirstPage> {
  for (let switches = 0; ; switches++) {
    const { contract, snapshotId, isGiven } = await readHostContract(client, baseUrl);
    const hasChanged = async () => (await readHostContract(client, baseUrl)).contract !== contract;
    try {
      const first = await readFirst(client, { baseUrl, contract });
      const isSame = snapshotId === undefined || snapshotId === first.facts.snapshotId;
      if (isSame || switches === MOST_SWITCHES || !(await hasChanged())) return first;
    } catch (error) {
      if (!(error instanceof UserError) || error instanceof TransferError) throw error;
      if (!isGiven) await refuseListingUrl(client, baseUrl);
      if (switches === MOST_SWITCHES || !(await hasChanged())) throw error;
    }
  }
}

/** Plain, by query, or by path as hosts that ignore queries need. @throws UserError naming the URL and what came. */
export async function readFirst(client: Client, listing: KnownListing): Promise<FirstPage> {
  const { baseUrl, contract } = listing;
  const refusals: UserError[] = [];
  const { path } = contract.listing;
  for (const links of LINK_STYLES) {
    const place = { baseUrl, path, links };
    const answer = await client.request(pageUrl(place, 1));
    const bytes = await decodeBody(answer, client.maxBytes);
    const read = readAnswer(answer, bytes);
    if ("envelope" in read)
      return { ...readFacts({ ...place, contract }, answer, bytes, read.envelope), answer, bytes };
    if (isHostBusy(answer)) throw new UserError(`${answer.url} ${read.why}. The host is busy; try again later.`);
    refusals.push(new UserError(`${answer.url} ${read.why}. ${adviceFor(answer, baseUrl)}`));
  }
  throw refusals[0];
}

/** The page of an answer, or what was received instead: as the end of a sentence, and by name. */
export function readAnswer(answer: RemoteResponse, bytes: Buffer): PageBody | { why: string; received: string } {
  const { status } = answer;
  const location = headerOf(answer, "Location");
  if (status >= 300 && status < 400 && location !== undefined) {
    const to = `(${status}) to ${show(location)}`;
    return { why: `redirects ${to}, where only a page is expected`, received: `a redirect ${to}` };
  }
  const type = headerOf(answer, "Content-Type") ?? "no Content-Type";
  const received = `${status} (${type})`;
  if (status !== 200) return { why: `answers ${received}, where a page (200) is expected`, received };
  const read = readBody(bytes);
  if ("envelope" in read) return read;
  const all = `${received} with a body that ${read.why}`;
  return { why: `answers ${all}`, received: all };
}

/** @throws UserError when page 1 contradicts itself, so that no listing can be read from it. */
function readFacts(listing: KnownListing & ListingPlace, answer: RemoteResponse, bytes: Buffer, envelope: Envelope) {
  const { baseUrl, path } = listing;
  const { url } = answer;
  const refuse = (why: string) => new UserError(`${why} Is ${baseUrl} the base URL?`);
  const { next, previous } = envelope;
  if (previous !== null) throw refuse(`${url} has a previous page, ${show(previous)}, where page 1 has none.`);
  const link = next === null ? undefined : parsePageUrl(next, path);
  if (next !== null && link?.page !== 2)
    throw refuse(`${url} says that the next page is ${show(next)}, which is no URL of page 2.`);
  try {
    const snapshot = promisedSnapshot(listing, envelope, sha256(bytes));
    const { count, pages, page_size: pageSize } = snapshot;
    const { links, baseUrl: linkBase } = link ?? { links: listing.links, baseUrl: undefined };
    const snapshotId = headerOf(answer, "Snapshot-Id");
    return { snapshot, facts: { ...listing, links, count, pages, pageSize, linkBase, snapshotId } };
  } catch (error) {
    if (error instanceof ListingError) throw refuse(error.message);
    throw error;
  }
}

/** The envelope that a page must have, as page 1 promises. */
export function promisedEnvelope(facts: ListingFacts, page: number): Envelope {
  const { baseUrl, linkBase = baseUrl } = facts;
  return expectedEnvelope({ ...facts, page, baseUrl: linkBase });
}

/** How a page contradicts page 1, as the end of a sentence; undefined when it does not. */
export function contradictionOf(facts: ListingFacts, page: number, envelope: Envelope): string | undefined {
  const expected = promisedEnvelope(facts, page);
  const [key] = envelopeDifferences(envelope, expected);
  return key && `has ${key} ${show(envelope[key])}, where page 1 promises ${show(expected[key])}`;
}

const LONGEST_SHOWN = 200;

function show(value: string | number | null): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
