/** Checks the pages of one attempt to read a host, and then how they fit together. */
import { AVATAR_PATH, type LinkStyle } from "../../contract/links.js";
import type { RemoteResponse } from "../../remote/exchange.js";
import { promisedEnvelope, readAnswer } from "../../remote/listing.js";
import type { TransferError } from "../../remote/transfer.js";
import { type PageVisitor, RESTARTS } from "../../remote/walk.js";
import { AllRecordsCheck, BatchCheck, type BatchRecords } from "../order.js";
import { checkPage } from "../page.js";
import { type RecordChecker, recordChecker } from "../records.js";
import { foundOnPages, wordingOf } from "../rules.js";
import type { SignatureResult } from "../signature.js";
import { type Attempt, MOST_WRONG } from "./attempt.js";
import type { PartsOfSite } from "./bulk.js";
import type { PageComparison } from "./compare.js";
import type { Ways } from "./ways.js";

interface VisitorOptions {
  comparison: PageComparison;
  parts: PartsOfSite;
  ways: Ways;
  planned: number;
  links: LinkStyle[];
  files: number;
  /** Why there is nothing to compare the pages with. */
  whyNoRelease: string | undefined;
  signature: SignatureResult;
  /** Called when all that there is to request of a page has been. */
  onPage(): void;
}

export class SiteVisitor implements PageVisitor {
  readonly pages = this.#choose();
  readonly #records: AllRecordsCheck;
  readonly #checker: RecordChecker;
  /** Page -> its place among those that are read, from 1 on. */
  readonly #places = new Map<number, number>();
  /** Settled once page 1 has been requested in every way. */
  #opened: Promise<void> | undefined;
  /** How many pages have been read. */
  read = 0;
  #wrong = 0;

  constructor(
    readonly attempt: Attempt,
    readonly options: VisitorOptions,
  ) {
    const { contract, linkBase } = attempt.site.first.facts;
    this.#records = new AllRecordsCheck(contract, attempt.findings);
    this.#checker = recordChecker(contract, `${linkBase}/${AVATAR_PATH}`);
  }

  async take(page: number, answer: RemoteResponse, bytes: Buffer): Promise<void> {
    const { comparison, parts, ways, onPage } = this.options;
    const keys = this.#check(page, answer, bytes);
    const records = new BatchCheck(this.attempt.site.first.facts.contract, this.attempt.findings);
    if (keys) {
      comparison.take(page, answer.url, bytes);
      parts.compare(page, answer.url, bytes);
      records.add(page, keys);
    } else this.#wrong++;
    this.#end(page, records.finish());
    const opened = this.#opened;
    if (opened) await opened;
    const asked = keys && ways.ask(page, bytes);
    this.#opened ??= asked;
    await asked;
    onPage();
  }

  miss(page: number, url: string, error: TransferError): void {
    this.attempt.miss({ check: "pages", page, url }, error);
    this.#end(page);
  }

  /** @param change how it was seen that the listing changed at every attempt, if it did. */
  finish(change: string | undefined): void {
    const { site, findings } = this.attempt;
    const { facts, answer } = site.first;
    const { contract, pages, count, baseUrl, linkBase = baseUrl } = facts;
    this.#records.finish();
    const page1 = { page: 1, url: answer.url };
    if (change !== undefined) {
      const found = `a different one each of the ${RESTARTS + 1} times that its pages were read`;
      findings.add({ check: "one-snapshot", ...page1, found, expected: "one that does not change" });
    }
    if (linkBase !== baseUrl)
      findings.add({ check: "base-url", ...page1, found: `links to ${linkBase}`, expected: baseUrl });
    const records = this.#records.count;
    if (this.options.planned === pages && records !== count && findings.of("pages").count === 0)
      findings.add({ check: "count", found: foundOnPages(records, wordingOf(contract)), expected: `${count}` });
  }

  close(): void {
    this.#records.close();
  }

  /** All pages, or some, spread evenly from the first to the last: one by one, since a host says how many there are. */
  *#choose(): Generator<number, void> {
    const { planned } = this.options;
    const gap = planned === 1 ? 0 : (this.attempt.site.first.facts.pages - 1) / (planned - 1);
    for (let at = 0; at < planned && this.#wrong < MOST_WRONG; at++) {
      const page = 1 + Math.round(at * gap);
      this.#places.set(page, at + 1);
      yield page;
    }
  }

  /** Undefined when the answer is no page, so that nothing is known of its records. */
  #check(page: number, answer: RemoteResponse, bytes: Buffer) {
    const { site, findings } = this.attempt;
    const place = { page, url: answer.url };
    const body = readAnswer(answer, bytes);
    if ("why" in body) {
      findings.add({ check: "pages", ...place, found: body.received, expected: "200 with a page" });
      return undefined;
    }
    this.attempt.checkHeaders(answer, "plain", place);
    const expected = promisedEnvelope(site.first.facts, page);
    const context = { place, body, expected, formCheck: "canonical", warnings: {}, findings };
    return checkPage(bytes, { ...context, checker: this.#checker }).keys;
  }

  #end(page: number, records?: BatchRecords): void {
    this.#records.add(this.#places.get(page) ?? 0, 1, records);
    this.#places.delete(page);
    this.read++;
  }
}
