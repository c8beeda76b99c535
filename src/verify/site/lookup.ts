/** Proves a host's look-up, and what its page for people works by: they are what the records of its pages make. */
import { readFrame } from "../../contract/envelope.js";
import { etagOf } from "../../contract/headers.js";
import { sha256 } from "../../release/files.js";
import { MAX_PACKED } from "../../release/layout.js";
import { checkExplorer, MAX_EXPLORER } from "../lookup/explorer.js";
import { RecordCollector, Remaker } from "../lookup/gather.js";
import { type HeldFiles, MadeFiles, type NoteMade } from "../lookup/made.js";
import { checkOf, HEADS, LOOKUP_CHECKS, type LookupCheck, missingParts, UNUSABLE } from "../lookup/needs.js";
import type { Attempt } from "./attempt.js";
import type { ExpectedRelease } from "./compare.js";

const SAMPLED = "some of the pages do not tell what all of them make; ask for all, without --sample";
/** So many files that differ are asked for once more, to say what differs in them. */
const MOST_SHOWN = 20;

/** Call `close` in the end. */
export class LookupOfSite implements HeldFiles {
  /** Why nothing is proved, of which check. */
  readonly unproved = new Map<string, string>();
  readonly #release: ExpectedRelease | undefined;
  #made: { collector: RecordCollector; remaker: Remaker } | undefined;
  #shown = 0;

  /** @param isSample whether only some pages will be read. */
  constructor(
    readonly attempt: Attempt,
    private readonly isSample: boolean,
  ) {
    this.#release = attempt.site.release;
  }

  /** Finds out what there is to prove, and checks what needs no pages. */
  begin(): void {
    for (const [path, difference] of missingParts((path) => this.has(path))) this.#note("explorer", path, difference);
    for (const check of LOOKUP_CHECKS) {
      const why = this.#whyUnproved(check);
      if (why !== undefined) this.unproved.set(check, why);
    }
    const checks = LOOKUP_CHECKS.filter((check) => !this.unproved.has(check));
    if (checks.length === 0) return;
    const { contract, links = "query", ...facts } = this.attempt.site.first.facts;
    const wanted = { checks, contract: contract.file, collection: { ...facts, path: contract.listing.path, links } };
    this.#made = { collector: new RecordCollector(wanted), remaker: new Remaker(wanted) };
  }

  /** Collects what the records of a page make. They are valid. Pages may come in any order, and each comes once. */
  add(page: number, bytes: Buffer): void {
    const records = this.#made && readFrame(bytes)?.records;
    if (!this.#made || !records) return;
    const { collector, remaker } = this.#made;
    collector.add(page, bytes.subarray(records[0]?.[0] ?? 0, records.at(-1)?.[1] ?? 0));
    remaker.take(1, collector.take());
  }

  /** @param isWhole whether all pages were read, and are as they should be. */
  async finish(isWhole: boolean): Promise<void> {
    if (!this.#made) return;
    const { remaker } = this.#made;
    const { checks } = remaker.wanted;
    const { contract, pages } = this.attempt.site.first.facts;
    if (!isWhole || remaker.pages !== pages) {
      for (const check of checks) this.unproved.set(check, UNUSABLE);
      return;
    }
    const made = new MadeFiles(this, checks, this.#note);
    const summary = await remaker.finish((path, bytes) => made.take(path, bytes), undefined);
    made.finish();
    if (!summary || !this.#release) return;
    const read = (path: string) => this.attempt.askWhole(path, MAX_EXPLORER);
    const paths = () => this.paths();
    const { snapshot } = this.#release;
    await checkExplorer({ contract, snapshot, summary, paths, read, note: this.#note });
  }

  close(): void {
    this.#made?.remaker.close();
    this.#made = undefined;
  }

  has(path: string): boolean {
    return this.#release?.sums.others.has(path) ?? false;
  }

  paths(): Iterable<string> {
    return this.#release?.sums.others.keys() ?? [];
  }

  /** Every file has been asked for, and compared with its digest in SHA256SUMS. */
  async read(path: string, made: Buffer): Promise<Buffer | undefined> {
    const [listed, own] = [this.#release?.sums.others.get(path) ?? "", sha256(made)];
    if (listed === own) return made;
    if (++this.#shown <= MOST_SHOWN) return this.attempt.askWhole(path, MAX_PACKED);
    this.#note(checkOf(path) ?? "lookup", path, { found: `other bytes, ${etagOf(listed)}`, expected: etagOf(own) });
    return undefined;
  }

  #whyUnproved(check: LookupCheck): string | undefined {
    const others = this.#release?.sums.others;
    if (!others) return "no release is known";
    const head = HEADS[check];
    if (![...others.keys()].some((path) => checkOf(path) === check)) return `the release has no ${head}`;
    return this.isSample ? SAMPLED : undefined;
  }

  readonly #note: NoteMade = (check, path, difference) =>
    this.attempt.findings.add({ check, url: `${this.attempt.site.first.facts.baseUrl}/${path}`, ...difference });
}
