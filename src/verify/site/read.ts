/** Reads a host's pages, all or some, and checks each, and then how they fit together. */
import { recordPattern } from "../../contract/record-text.js";
import type { Release } from "../../release/open.js";
import { IdTable } from "../../release/repeated-ids.js";
import type { Client } from "../../remote/client.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { promisedEnvelope, readAnswer } from "../../remote/listing.js";
import type { TransferError } from "../../remote/transfer.js";
import { type PageVisitor, RESTARTS, walkPages } from "../../remote/walk.js";
import { checkIds, Seams, Users } from "../order.js";
import { checkPage } from "../page.js";
import type { ProbedSite } from "../probes/probe.js";
import { Findings } from "../verdict.js";
import { compareWith } from "./compare.js";
import { HEADERS } from "./headers.js";

export interface ReadOptions {
  /** Normalised. */
  baseUrl: string;
  sample?: number | undefined;
  against?: Release | undefined;
  known?: readonly Release[] | undefined;
  cacheControl?: string | undefined;
  concurrency?: number | undefined;
  onProgress?: ((done: { users: number; total: number }) => void) | undefined;
}

export interface ReadPages {
  site: ProbedSite;
  findings: Findings;
  /** How many pages were read, and how many there are. */
  read: number;
  total: number;
  /** What the differences from the release mean. */
  note: string | undefined;
}

/** A host that fails this often to answer in full is given up. */
export const MOST_FAILURES = 20;
/** After so many answers that are no pages the rest is not requested: a count may promise millions that are not there. */
const MOST_WRONG = 100;

/**
 * Reads the pages from one snapshot: where it changes meanwhile, all is read again.
 * @throws UserError when the host cannot be reached, or page 1 is none; TransferError when it fails again and again.
 */
export async function readPages(client: Client, options: ReadOptions): Promise<ReadPages> {
  const { baseUrl, concurrency, against: release, cacheControl } = options;
  const readings: SiteReading[] = [];
  try {
    const change = await walkPages(client, baseUrl, {
      ...{ concurrency, headers: {}, trustsId: false },
      start(first) {
        readings.pop()?.close();
        const reading = new SiteReading({ client, first, release, cacheControl }, options);
        readings.push(reading);
        return reading;
      },
    });
    return finish(readings[0] as SiteReading, change, options);
  } finally {
    readings[0]?.close();
  }
}

/** Checks the pages of one attempt to read a host. */
class SiteReading implements PageVisitor {
  readonly findings = new Findings();
  readonly pages = this.#choose();
  readonly comparison: ReturnType<typeof compareWith> | undefined;
  readonly ids = new IdTable();
  /** How many pages are to be read. */
  readonly planned: number;
  done = 0;
  users = 0;
  readonly #seams = new Seams(this.findings);
  readonly #pattern: ReturnType<typeof recordPattern>;
  readonly #onProgress: NonNullable<ReadOptions["onProgress"]>;
  /** Page -> its place among those that are read, from 1 on. */
  readonly #places = new Map<number, number>();
  #failures = 0;
  #wrong = 0;

  constructor(
    readonly site: ProbedSite,
    { sample, known = [], onProgress = () => {} }: ReadOptions,
  ) {
    const { facts } = site.first;
    this.planned = Math.min(Math.max(1, sample ?? facts.pages), facts.pages);
    this.comparison = site.release && compareWith(site.release, known, this.findings);
    this.#pattern = recordPattern(`${facts.linkBase}/avatar.svg`);
    this.#onProgress = onProgress;
  }

  take(page: number, answer: RemoteResponse, bytes: Buffer): void {
    const { snapshotId } = this.site.first.facts;
    const id = headerOf(answer, "Snapshot-Id");
    if (id !== undefined && snapshotId !== undefined && id !== snapshotId) {
      const expected = `${snapshotId}, as on page 1`;
      this.findings.add({ check: "one-snapshot", page, url: answer.url, found: id, expected });
    }
    const users = new Users(this.findings);
    const keys = this.#check(page, answer, bytes);
    if (keys) {
      this.comparison?.take(page, answer.url, bytes);
      users.add(page, keys);
      this.users += users.count;
      for (const { ids } of users.ids) this.ids.add(page, ids);
    } else this.#wrong++;
    this.#end(page, users);
  }

  miss(page: number, url: string, error: TransferError): void {
    if (++this.#failures >= MOST_FAILURES) throw error;
    const found = `no page: it ${error.why}`;
    this.findings.add({ check: "pages", page, url, found, expected: "200 with a page" });
    this.#end(page);
  }

  close(): void {
    this.ids.close();
  }

  /** All pages, or some, spread evenly from the first to the last: one by one, since a host says how many there are. */
  *#choose(): Generator<number, void> {
    const { pages } = this.site.first.facts;
    const gap = this.planned === 1 ? 0 : (pages - 1) / (this.planned - 1);
    for (let at = 0; at < this.planned && this.#wrong < MOST_WRONG; at++) {
      const page = 1 + Math.round(at * gap);
      this.#places.set(page, at + 1);
      yield page;
    }
  }

  /** Undefined when the answer is no page, so that nothing is known of its users. */
  #check(page: number, answer: RemoteResponse, bytes: Buffer) {
    const { site, findings } = this;
    const place = { page, url: answer.url };
    const read = readAnswer(answer, bytes);
    if ("why" in read) {
      findings.add({ check: "pages", ...place, found: read.received, expected: "200 with a page" });
      return undefined;
    }
    for (const { name, header, whyNot } of HEADERS) {
      const expected = whyNot(answer, site);
      if (expected === undefined) continue;
      findings.add({ check: name, ...place, found: headerOf(answer, header) ?? `no ${header}`, expected });
    }
    const expected = promisedEnvelope(site.first.facts, page);
    const context = { place, envelope: read.envelope, expected, formCheck: "canonical", warnings: {}, findings };
    return checkPage(bytes, { ...context, pattern: this.#pattern }).keys;
  }

  #end(page: number, users?: Users): void {
    this.#seams.add(this.#places.get(page) ?? 0, 1, users?.edges);
    this.#places.delete(page);
    this.done++;
    const { count, pageSize = count } = this.site.first.facts;
    this.#onProgress({ users: this.users, total: Math.min(count, this.planned * pageSize) });
  }
}

/** Adds what can be said of all pages together. */
function finish(reading: SiteReading, change: string | undefined, { baseUrl }: ReadOptions): ReadPages {
  const { site, findings, ids, planned, users, done: read, comparison } = reading;
  const { facts, answer } = site.first;
  const page1 = { page: 1, url: answer.url };
  checkIds(ids, findings);
  if (change !== undefined) {
    const found = `another one each of ${RESTARTS + 1} times that its pages were read`;
    findings.add({ check: "one-snapshot", ...page1, found, expected: "one that stays" });
  }
  if (facts.linkBase !== undefined && facts.linkBase !== baseUrl)
    findings.add({ check: "base-url", ...page1, found: `links to ${facts.linkBase}`, expected: baseUrl });
  if (planned === facts.pages && users !== facts.count && findings.of("pages").count === 0)
    findings.add({ check: "count", found: `${users} users on all pages`, expected: `${facts.count}` });
  return { site, findings, read, total: facts.pages, note: comparison?.note(facts) };
}
