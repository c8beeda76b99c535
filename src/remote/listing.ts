/** A deployed listing: what its first page tells, and what each page must say to be of the same listing. */
import { type Envelope, readEnvelope } from "../contract/envelope.js";
import { type LinkStyle, MAX_PAGES, PAGE_SIZE, pagesFor, pageUrl, parsePageUrl } from "../contract/links.js";
import { UserError } from "../errors.js";
import { headerOf, type RemoteResponse } from "./exchange.js";

/** What is known of a listing from its first page. */
export interface ListingFacts {
  /** The base URL that was asked, normalised. */
  baseUrl: string;
  /** Users. */
  count: number;
  pages: number;
  /** Users on every page but the last; undefined where there is one page only. */
  pageSize: number | undefined;
  /** Where links lead, which is not always where was asked; undefined where there is one page only, so no link. */
  linkBase: string | undefined;
  /** The form of links, or where there are none, the form of URL that was answered. */
  links: LinkStyle;
  /** What the header Snapshot-Id says, where the host sends it. */
  snapshotId: string | undefined;
}

/** The envelope of an answer that should be a page, or in words what came instead: as the end of a sentence, and by name. */
export function readPage(
  answer: RemoteResponse,
  bytes: Buffer,
): { envelope: Envelope } | { why: string; came: string } {
  const { status } = answer;
  const location = headerOf(answer, "Location");
  if (status >= 300 && status < 400 && location !== undefined) {
    const to = `(${status}) to ${show(location)}`;
    return { why: `redirects ${to}, where only a page is expected`, came: `a redirect ${to}` };
  }
  const type = headerOf(answer, "Content-Type") ?? "no Content-Type";
  const came = `${status} (${type})`;
  if (status !== 200) return { why: `answers ${came}, where a page (200) is expected`, came };
  const read = readEnvelope(bytes);
  if ("envelope" in read) return read;
  return {
    why: `answers ${came} with a body that ${read.why}`,
    came: `${came} with a body that ${read.why}`,
  };
}

/** @throws UserError when page 1 contradicts itself, so that no listing can be read from it. */
export function factsOf(
  baseUrl: string,
  asked: LinkStyle,
  answer: RemoteResponse,
  { count, next, previous, users }: Envelope,
): ListingFacts {
  const refuse = (why: string) => new UserError(`${answer.url} ${why}. Is ${baseUrl} the base URL?`);
  const base = { baseUrl, count, snapshotId: headerOf(answer, "Snapshot-Id") };
  if (previous !== null) throw refuse(`has a previous page, ${show(previous)}, where page 1 has none`);
  if (next === null) {
    if (users !== count) throw refuse(`says count ${count} and has no next page, but has ${users} users`);
    return { ...base, pages: 1, pageSize: undefined, linkBase: undefined, links: asked };
  }
  const link = parsePageUrl(next);
  if (link?.page !== 2) throw refuse(`says that the next page is ${show(next)}, which is no URL of page 2`);
  if (users < PAGE_SIZE.min || users > PAGE_SIZE.max)
    throw refuse(`has ${users} users, where ${PAGE_SIZE.min} to ${PAGE_SIZE.max} are allowed`);
  const pages = pagesFor(count, users);
  if (pages > MAX_PAGES)
    throw refuse(`says count ${count} and has ${users} users, so ${pages} pages, where ${MAX_PAGES} are allowed`);
  if (pages < 2) throw refuse(`says count ${count} and has ${users} users, but also a next page`);
  return { ...base, pages, pageSize: users, linkBase: link.baseUrl, links: link.links };
}

/** What the first page promises of another. */
export function expectedOf(facts: ListingFacts, page: number): Envelope {
  const { count, pages, pageSize = count, linkBase = facts.baseUrl, links } = facts;
  const link = (to: number) => (to < 1 || to > pages ? null : pageUrl(linkBase, links, to));
  const users = page < pages ? pageSize : count - (pages - 1) * pageSize;
  return { count, users, previous: link(page - 1), next: link(page + 1) };
}

/** In what a page contradicts the first one, in words; undefined when it does not. */
export function whyNotOf(facts: ListingFacts, page: number, envelope: Envelope): string | undefined {
  const expected = expectedOf(facts, page);
  for (const key of ["count", "users", "previous", "next"] as const) {
    if (envelope[key] === expected[key]) continue;
    return `has ${key} ${show(envelope[key])}, where page 1 promises ${show(expected[key])}`;
  }
  return undefined;
}

const LONGEST_SHOWN = 200;

function show(value: string | number | null): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
