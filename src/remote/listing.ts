/** A deployed listing: what its first page says, and what each page must say to belong to it. */
import type { Contract } from "../contract/contract.js";
import { type Envelope, envelopeDifferences, expectedEnvelope, type PageBody, readBody } from "../contract/envelope.js";
import {
  LINK_STYLES,
  type ListingPlace,
  MAX_PAGES,
  PAGE_SIZE,
  pagesFor,
  pageUrl,
  parsePageUrl,
} from "../contract/links.js";
import { UserError } from "../errors.js";
import { type Client, isHostBusy } from "./client.js";
import { decodeBody, headerOf, type RemoteRequest, type RemoteResponse } from "./exchange.js";

type Headers = RemoteRequest["headers"];

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
  /** How many records there are on every page but the last; undefined where there is one page only. */
  pageSize: number | undefined;
  /** The base URL of the links, which may be another; undefined where there is one page only, so no link. */
  linkBase: string | undefined;
  snapshotId: string | undefined;
}

export interface FirstPage {
  facts: ListingFacts;
  answer: RemoteResponse;
  bytes: Buffer;
}

/** By query, or by path as hosts that ignore queries need. @throws UserError naming the URL and what came. */
export async function readFirst(client: Client, listing: KnownListing, headers: Headers): Promise<FirstPage> {
  const { baseUrl, contract } = listing;
  const refusals: UserError[] = [];
  const { path } = contract.listing;
  for (const links of LINK_STYLES) {
    const place = { baseUrl, path, links };
    const answer = await client.request(pageUrl(place, 1), { headers });
    const bytes = await decodeBody(answer, client.maxBytes);
    const read = readAnswer(answer, bytes);
    if ("envelope" in read) return { facts: factsOf({ ...place, contract }, answer, read.envelope), answer, bytes };
    if (isHostBusy(answer)) throw new UserError(`${answer.url} ${read.why}. The host is busy; try again later.`);
    refusals.push(new UserError(`${answer.url} ${read.why}. ${adviceFor(answer, baseUrl)}`));
  }
  throw refusals[0];
}

/** What is likely, and how to see it. */
export function adviceFor({ status }: RemoteResponse, baseUrl: string): string {
  if (status !== 500 && status !== 403) return `Is ${baseUrl} the base URL?`;
  return "Most likely the server's user cannot read the release: there, \"rollcall verify\" says what stops other users, and the server's error log what it was.";
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
function factsOf(listing: KnownListing & ListingPlace, answer: RemoteResponse, envelope: Envelope): ListingFacts {
  const { baseUrl, path } = listing;
  const { count, next, previous, records } = envelope;
  const held = `${records} records`;
  const refuse = (why: string) => new UserError(`${answer.url} ${why}. Is ${baseUrl} the base URL?`);
  const base = { ...listing, count, snapshotId: headerOf(answer, "Snapshot-Id") };
  if (previous !== null) throw refuse(`has a previous page, ${show(previous)}, where page 1 has none`);
  if (next === null) {
    if (records !== count) throw refuse(`says count ${count} and has no next page, but has ${held}`);
    return { ...base, pages: 1, pageSize: undefined, linkBase: undefined };
  }
  const link = parsePageUrl(next, path);
  if (link?.page !== 2) throw refuse(`says that the next page is ${show(next)}, which is no URL of page 2`);
  if (records < PAGE_SIZE.min || records > PAGE_SIZE.max)
    throw refuse(`has ${held}, where ${PAGE_SIZE.min} to ${PAGE_SIZE.max} are allowed`);
  const pages = pagesFor(count, records);
  if (pages > MAX_PAGES)
    throw refuse(`says count ${count} and has ${held}, so ${pages} pages, where ${MAX_PAGES} are allowed`);
  if (pages < 2) throw refuse(`says count ${count} and has ${held}, but also a next page`);
  return { ...base, pages, pageSize: records, linkBase: link.baseUrl, links: link.links };
}

/** The envelope that a page must have, as page 1 promises. */
export function promisedEnvelope(facts: ListingFacts, page: number): Envelope {
  const { count, pageSize = count, baseUrl, linkBase = baseUrl } = facts;
  return expectedEnvelope({ ...facts, page, pageSize, baseUrl: linkBase });
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
