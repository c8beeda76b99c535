/** Checks the pages of one attempt to read a host, and then how they fit together. */
import { SnapshotChangedError } from "../../client/errors.js";
import type { PageSource, Walked } from "../../client/walk.js";
import { AVATAR_PATH, type LinkStyle, pageUrl } from "../../contract/links.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { decodeBody, type RemoteResponse } from "../../remote/exchange.js";
import { TransferError } from "../../remote/transfer.js";
import { AllRecordsCheck, BatchCheck, type BatchRecords } from "../order.js";
import { checkPage } from "../page.js";
import { type RecordChecker, type Records, recordChecker } from "../records.js";
import { foundOnPages, wordingOf } from "../rules.js";
import type { SignatureResult } from "../signature.js";
import { type Attempt, MOST_WRONG } from "./attempt.js";
import type { PartsOfSite } from "./bulk.js";
import type { StepsOfSite } from "./changes.js";
import type { PageComparison } from "./compare.js";
import { promisedEnvelope, readAnswer, readFirst } from "./listing.js";
import type { LookupOfSite } from "./lookup.js";
import type { Ways } from "./ways.js";

/** So often a host is read from its beginning at most, where its snapshot changes meanwhile. */
export const MOST_READINGS = 4;

interface VisitorOptions {
  comparison: PageComparison;
  parts: PartsOfSite;
  steps: StepsOfSite;
  lookup: LookupOfSite;
  ways: Ways;
  planned: number;
  /** How many pages are requested at once. */
  concurrency: number;
  links: LinkStyle[];
  files: number;
  /** Why there is nothing to compare the pages with. */
  whyNoRelease: string | undefined;
  signature: SignatureResult;
  /** Called when all that there is to request of a page has been. */
  onPage(): void;
}

/** What the walk of readers goes over here: the places of the chosen pages, from 1 on. What is wrong with one is a finding. */
export class SiteVisitor implements Walked, PageSource<never, void> {
  readonly atOnce: number;
  readonly snapshot: Snapshot;
  readonly state: string;
  readonly #records: AllRecordsCheck;
  readonly #checker: RecordChecker;
  readonly #underway = new Set<Promise<void>>();
  /** Settled once page 1 has been requested in every way. */
  #opened: Promise<void> | undefined;
  /** How many pages have been read. */
  visited = 0;
  #wrong = 0;

  constructor(
    readonly attempt: Attempt,
    readonly options: VisitorOptions,
  ) {
    const { facts, snapshot } = attempt.site.first;
    const { contract, linkBase } = facts;
    this.atOnce = options.concurrency;
    this.snapshot = snapshot;
    this.state = snapshot.id;
    this.#records = new AllRecordsCheck(contract, attempt.findings);
    this.#checker = recordChecker(contract, `${linkBase}/${AVATAR_PATH}`);
  }

  first(): number {
    return 1;
  }

  /** A host says how many pages there are: after too many that are none, the rest is not requested. */
  get last(): number {
    return this.#wrong < MOST_WRONG ? this.options.planned : 0;
  }

  read(place: number): Promise<void> {
    const visit = this.#visit(place).finally(() => this.#underway.delete(visit));
    this.#underway.add(visit);
    return visit;
  }

  /** Nothing is handed out. */
  items(): Iterator<never> {
    return [].values();
  }

  /** @throws SnapshotChangedError when page 1 is no longer what it was at the beginning. */
  async requireCurrent(): Promise<void> {
    await this.#settle();
    const { client, first } = this.attempt.site;
    const again = await readFirst(client, first.facts);
    const isSame = again.bytes.equals(first.bytes) && again.facts.snapshotId === first.facts.snapshotId;
    if (isSame) return;
    const { snapshot, state } = this;
    throw new SnapshotChangedError(first.answer.url, { state, page: 1, index: 0 }, snapshot, again.snapshot);
  }

  async #visit(place: number): Promise<void> {
    const { first, client } = this.attempt.site;
    const page = this.#pageAt(place);
    if (page === 1) return this.#take(place, page, first.answer, first.bytes);
    const url = pageUrl(first.facts, page);
    try {
      const answer = await client.request(url);
      await this.#take(place, page, answer, await decodeBody(answer, client.maxBytes));
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      this.attempt.miss({ check: "pages", page, url }, error);
      this.#end(place);
    }
  }

  async #take(place: number, page: number, answer: RemoteResponse, bytes: Buffer): Promise<void> {
    const { comparison, parts, steps, lookup, ways, onPage } = this.options;
    const checked = this.#check(page, answer, bytes);
    const records = new BatchCheck(this.attempt.site.first.facts.contract, this.attempt.findings);
    if (checked) {
      comparison.take(page, answer.url, bytes);
      parts.compare(page, answer.url, bytes);
      steps.compare(bytes);
      if (checked.flaws.length === 0) lookup.add(page, bytes);
      records.add(page, checked.keys);
    } else this.#wrong++;
    this.#end(place, records.finish());
    const opened = this.#opened;
    if (opened) await opened;
    const asked = checked && ways.ask(page, bytes);
    this.#opened ??= asked;
    await asked;
    onPage();
  }

  /** @param hasMoved whether the listing changed at every reading. */
  async finish(hasMoved: boolean): Promise<void> {
    const { site, findings } = this.attempt;
    const { facts, answer } = site.first;
    const { contract, pages, count, baseUrl, linkBase = baseUrl } = facts;
    this.#records.finish();
    const page1 = { page: 1, url: answer.url };
    if (hasMoved) {
      const found = `a different one each of the ${MOST_READINGS} times that its pages were read`;
      findings.add({ check: "one-snapshot", ...page1, found, expected: "one that does not change" });
    }
    if (linkBase !== baseUrl)
      findings.add({ check: "base-url", ...page1, found: `links to ${linkBase}`, expected: baseUrl });
    const records = this.#records.count;
    const isWhole = this.options.planned === pages && findings.of("pages").count === 0;
    if (isWhole && records !== count)
      findings.add({ check: "count", found: foundOnPages(records, wordingOf(contract)), expected: `${count}` });
    if (!hasMoved) this.options.steps.finish(isWhole);
    const isUsable = !hasMoved && isWhole && records === count && findings.of("page-size").count === 0;
    await this.options.lookup.finish(isUsable);
  }

  /** Waits for what is still under way. */
  async close(): Promise<void> {
    await this.#settle();
    this.#records.close();
    this.options.steps.close();
    this.options.lookup.close();
  }

  async #settle(): Promise<void> {
    await Promise.allSettled(this.#underway);
  }

  /** Of all pages, or of some that are spread evenly from the first to the last. */
  #pageAt(place: number): number {
    const { planned } = this.options;
    const gap = planned === 1 ? 0 : (this.attempt.site.first.facts.pages - 1) / (planned - 1);
    return 1 + Math.round((place - 1) * gap);
  }

  /** Undefined when the answer is no page, so that nothing is known of its records. */
  #check(page: number, answer: RemoteResponse, bytes: Buffer): Records | undefined {
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
    return checkPage(bytes, { ...context, checker: this.#checker });
  }

  #end(place: number, records?: BatchRecords): void {
    this.#records.add(place, 1, records);
    this.visited++;
  }
}
