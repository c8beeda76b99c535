/** Reads a host's pages, all or some, and checks each, and then how they fit together. */
import { type RecordPattern, recordPattern } from "../../contract/record-text.js";
import type { Release } from "../../release/open.js";
import type { Client } from "../../remote/client.js";
import { headerOf, type RemoteResponse } from "../../remote/exchange.js";
import { promisedEnvelope, readAnswer } from "../../remote/listing.js";
import type { TransferError } from "../../remote/transfer.js";
import { type PageVisitor, RESTARTS, walkPages } from "../../remote/walk.js";
import type { VerifyEffects, VerifyOptions } from "../options.js";
import { AllUsersCheck, BatchCheck, type BatchUsers } from "../order.js";
import { checkPage } from "../page.js";
import type { ProbedSite } from "../probes/probe.js";
import { Findings } from "../verdict.js";
import { compareWith, type ReleaseComparison } from "./compare.js";
import { HEADERS } from "./headers.js";

export interface VerifySiteOptions
  extends Pick<VerifyOptions, "sample" | "allow" | "concurrency" | "rate" | "cacheControl">,
    Omit<VerifyEffects, "cwd"> {
  baseUrl: string;
  /** The release that the host should serve. */
  against?: Release | undefined;
  /** Why there is none. */
  whyNotAgainst?: string | undefined;
  /** Other releases, which a host may still serve. */
  known?: readonly Release[] | undefined;
  /** For one request and its answer, in milliseconds. */
  timeoutMs?: number;
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
export async function readPages(client: Client, options: VerifySiteOptions): Promise<ReadPages> {
  const { baseUrl, concurrency, against: release, cacheControl } = options;
  const { visitor, change } = await walkPages(client, baseUrl, {
    ...{ concurrency, headers: {}, trustsId: false },
    start: (first) => new SiteVisitor({ client, first, release, cacheControl }, options),
  });
  try {
    return visitor.finish(change, baseUrl);
  } finally {
    visitor.close();
  }
}

/** Checks the pages of one attempt to read a host. */
class SiteVisitor implements PageVisitor {
  readonly pages = this.#choose();
  readonly #findings = new Findings();
  readonly #users = new AllUsersCheck(this.#findings);
  readonly #comparison: ReleaseComparison | undefined;
  readonly #pattern: RecordPattern;
  /** How many pages are to be read. */
  readonly #planned: number;
  /** Page -> its place among those that are read, from 1 on. */
  readonly #places = new Map<number, number>();
  #read = 0;
  #failures = 0;
  #wrong = 0;

  constructor(
    readonly site: ProbedSite,
    readonly options: VerifySiteOptions,
  ) {
    const { pages, linkBase } = site.first.facts;
    const { sample = pages, known = [] } = options;
    this.#planned = Math.min(Math.max(1, sample), pages);
    this.#comparison = site.release && compareWith(site.release, known, this.#findings);
    this.#pattern = recordPattern(`${linkBase}/avatar.svg`);
  }

  take(page: number, answer: RemoteResponse, bytes: Buffer): void {
    const { snapshotId } = this.site.first.facts;
    const id = headerOf(answer, "Snapshot-Id");
    if (id !== undefined && snapshotId !== undefined && id !== snapshotId) {
      const expected = `${snapshotId}, as on page 1`;
      this.#findings.add({ check: "one-snapshot", page, url: answer.url, found: id, expected });
    }
    const keys = this.#check(page, answer, bytes);
    const users = new BatchCheck(this.#findings);
    if (keys) {
      this.#comparison?.take(page, answer.url, bytes);
      users.add(page, keys);
    } else this.#wrong++;
    this.#end(page, users.finish());
  }

  miss(page: number, url: string, error: TransferError): void {
    if (++this.#failures >= MOST_FAILURES) throw error;
    const found = `no page: it ${error.why}`;
    this.#findings.add({ check: "pages", page, url, found, expected: "200 with a page" });
    this.#end(page);
  }

  /** Adds what can be said of all pages together. */
  finish(change: string | undefined, baseUrl: string): ReadPages {
    const [site, findings] = [this.site, this.#findings];
    const { facts, answer } = site.first;
    const { pages, count, linkBase = baseUrl } = facts;
    this.#users.finish();
    const page1 = { page: 1, url: answer.url };
    if (change !== undefined) {
      const found = `a different one each of the ${RESTARTS + 1} times that its pages were read`;
      findings.add({ check: "one-snapshot", ...page1, found, expected: "one that does not change" });
    }
    if (linkBase !== baseUrl)
      findings.add({ check: "base-url", ...page1, found: `links to ${linkBase}`, expected: baseUrl });
    const users = this.#users.count;
    if (this.#planned === pages && users !== count && findings.of("pages").count === 0)
      findings.add({ check: "count", found: `${users} users on all pages`, expected: `${count}` });
    return { site, findings, read: this.#read, total: pages, note: this.#comparison?.note(facts) };
  }

  close(): void {
    this.#users.close();
  }

  /** All pages, or some, spread evenly from the first to the last: one by one, since a host says how many there are. */
  *#choose(): Generator<number, void> {
    const gap = this.#planned === 1 ? 0 : (this.site.first.facts.pages - 1) / (this.#planned - 1);
    for (let at = 0; at < this.#planned && this.#wrong < MOST_WRONG; at++) {
      const page = 1 + Math.round(at * gap);
      this.#places.set(page, at + 1);
      yield page;
    }
  }

  /** Undefined when the answer is no page, so that nothing is known of its users. */
  #check(page: number, answer: RemoteResponse, bytes: Buffer) {
    const [site, findings] = [this.site, this.#findings];
    const place = { page, url: answer.url };
    const body = readAnswer(answer, bytes);
    if ("why" in body) {
      findings.add({ check: "pages", ...place, found: body.received, expected: "200 with a page" });
      return undefined;
    }
    for (const { name, header, whyNot } of HEADERS) {
      const expected = whyNot(answer, site);
      if (expected === undefined) continue;
      findings.add({ check: name, ...place, found: headerOf(answer, header) ?? `no ${header}`, expected });
    }
    const expected = promisedEnvelope(site.first.facts, page);
    const context = { place, body, expected, formCheck: "canonical", warnings: {}, findings };
    return checkPage(bytes, { ...context, pattern: this.#pattern }).keys;
  }

  #end(page: number, users?: BatchUsers): void {
    this.#users.add(this.#places.get(page) ?? 0, 1, users);
    this.#places.delete(page);
    this.#read++;
    const { count, pageSize = count } = this.site.first.facts;
    const total = Math.min(count, this.#planned * pageSize);
    this.options.onProgress?.({ users: this.#users.count, total });
  }
}
