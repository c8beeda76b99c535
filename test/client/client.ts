import { checkConditions, checkRanges, checkTag } from "./caching.js";
import { checkOrder, checkSizes, type Seen } from "./collection.js";
import { checkEncodings, decoded } from "./encodings.js";
import { readPage } from "./envelope.js";
import { same } from "./known.js";
import { checkMessages } from "./messages.js";
import { checkMethods } from "./methods.js";
import { checkPageNumbers } from "./numbers.js";
import { checkPaths, head } from "./paths.js";
import { type Answer, header } from "./raw.js";
import { Session } from "./session.js";

export interface Expected {
  pageSize: number;
  cacheControl?: string;
  /** How many lines of one kind are too many to print. */
  linesPerRule?: number;
}

const MOST_PAGES = 20_000;

/** Reads the API knowing only its contract. Returns a line for each difference. */
export async function report(baseUrl: string, expected?: Expected): Promise<string[]> {
  const session = new Session(baseUrl);
  const pages = await walk(session);
  const [first] = pages;
  if (first === undefined) return session.lines(expected?.linesPerRule);
  session.vary = header(first.answer, "vary")?.replace(/\s*,\s*/g, ", ") ?? "none";
  const known = { first: first.answer, second: (pages[1] ?? first).answer, last: pages.length };
  for (const { answer } of pages) checkHeaders(session, answer, expected?.cacheControl ?? "public, max-age=60");
  checkSizes(session, pages, expected?.pageSize);
  checkOrder(session, pages);
  await walkBack(session, pages);
  await Promise.all(pages.map((page, at) => revisit(session, page, at + 1)));
  await checkPageNumbers(session, known);
  await checkMethods(session, known);
  await checkPaths(session, known);
  await checkMessages(session, known);
  await checkEncodings(session, known);
  await checkImage(session, pages);
  const targets = [`${session.listing}?format=api&page=1`];
  if (first.next?.endsWith(".json") === true) targets.push(`${session.listing}pages/1.json`);
  for (const target of targets) {
    for (const coding of ["identity", "gzip", "br"]) {
      const fields: [string, string][] = [["Accept-Encoding", coding]];
      const answer = await session.ask({ method: "GET", target, headers: fields });
      await checkConditions(session, answer, target, fields);
      await checkRanges(session, answer, target, fields);
    }
  }
  return session.lines(expected?.linesPerRule);
}

function address(session: Session, page: number, byPath: boolean): string {
  return `${session.base}/api/users/${byPath ? `pages/${page}.json` : `?format=api&page=${page}`}`;
}

async function walk(session: Session): Promise<Seen[]> {
  const pages: Seen[] = [];
  for (let target = `${session.listing}?format=api&page=1`; pages.length < MOST_PAGES; ) {
    const answer = await session.ask({ method: "GET", target });
    const page = session.status(answer, 200) ? readPage(session, answer.name, answer.body) : undefined;
    if (page === undefined) return pages;
    pages.push({ ...page, answer });
    const number = pages.length;
    const byPath = pages[0]?.next?.endsWith(".json") === true;
    const before = number === 1 ? null : address(session, number - 1, byPath);
    session.check(page.previous === before, "links", `${answer.name}: previous is ${page.previous}, not ${before}`);
    if (page.next === null) return pages;
    const after = address(session, number + 1, byPath);
    session.check(page.next === after, "links", `${answer.name}: next is ${page.next}, not ${after}`);
    target = follow(session, page.next);
    if (target === "" || pages.some(({ answer }) => answer.name === `GET ${target}`)) return pages;
  }
  return pages;
}

/** The request target of a link; empty when it leads to another server, where this client does not go. */
function follow(session: Session, link: string): string {
  return link.startsWith(`${session.origin.origin}/`) ? link.slice(session.origin.origin.length) : "";
}

async function walkBack(session: Session, pages: Seen[]): Promise<void> {
  let link = pages.at(-1)?.previous ?? null;
  let number = pages.length;
  while (link !== null && number > 1) {
    number -= 1;
    const target = follow(session, link);
    const page = pages[number - 1];
    if (target === "" || page === undefined) return;
    const answer = await session.ask({ method: "GET", target });
    same(session, answer, page.answer);
    link = page.previous;
  }
  session.check(number === 1, "links", `the walk back ends on page ${number}`);
}

function checkHeaders(session: Session, answer: Answer, cacheControl: string): void {
  session.expect(answer, "allow", "GET, HEAD, OPTIONS");
  session.expect(answer, "content-type", "application/json");
  session.expect(answer, "cache-control", cacheControl);
  session.expect(answer, "vary", ...["Accept", "Accept, Accept-Encoding"].filter((value) => value === session.vary));
  session.check(header(answer, "content-encoding") === undefined, "encoding", `${answer.name}: none was asked for`);
  checkTag(session, answer);
}

/** The first image that the API itself is said to have. */
async function checkImage(session: Session, pages: Seen[]): Promise<void> {
  const images = pages.flatMap(({ rows }) => rows.map(({ image }) => image));
  const own = images.find((image) => follow(session, image) !== "");
  if (own === undefined) return;
  const target = follow(session, own);
  session.status(await session.ask({ method: "GET", target }), 200);
  await head(session, target);
}

/** A page again: by the query whatever its links say, without a body, and in each encoding. */
async function revisit(session: Session, page: Seen, number: number): Promise<void> {
  const query = `?format=api&page=${number}`;
  same(session, await session.get(query), page.answer);
  await head(session, `${session.listing}${query}`);
  for (const coding of ["gzip", "br"]) {
    decoded(session, await session.get(query, ["Accept-Encoding", coding]), page.answer);
    await head(session, `${session.listing}${query}`, [["Accept-Encoding", coding]]);
  }
}
