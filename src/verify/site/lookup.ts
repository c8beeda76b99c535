/** Proves a host's look-up, and what its page for people works by: they are what the records of its pages make. */
import { readFrame } from "../../contract/envelope.js";
import { etagOf } from "../../contract/headers.js";
import { sha256 } from "../../release/files.js";
import { MAX_PACKED } from "../../release/layout.js";
import { checkExplorer, MAX_EXPLORER } from "../lookup/explorer.js";
import { RecordGatherer, Remaker } from "../lookup/gather.js";
import { type HeldFiles, MadeFiles, type NoteMade } from "../lookup/made.js";
import { checkOf, HEADS, LOOKUP_CHECKS, type LookupCheck, missingParts, UNUSABLE } from "../lookup/needs.js";
import type { Attempt } from "./attempt.js";
import type { ExpectedRelease } from "./compare.js";

const SAMPLED = "some of the pages do not tell what all of them make; ask for all, without --sample";
/** Pages that wait for pages before them: more than are asked for at once by most. */
const MOST_EARLY = 16;
/** So many files that differ are asked for once more, to say what differs in them. */
const MOST_SHOWN = 20;

/** Call `close` in the end. */
export class LookupOfSite implements HeldFiles {
  /** Why nothing is proved, of which check. */
  readonly unproved = new Map<string, string>();
  readonly #release: ExpectedRelease | undefined;
  #made: { gatherer: RecordGatherer; remaker: Remaker } | undefined;
  #shown = 0;
  /** The records of pages that have come before their turn. */
  readonly #early = new Map<number, Buffer>();
  #last = 0;

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
    const { contract, count, pageSize } = this.attempt.site.first.facts;
    const wanted = { checks, contract: contract.file, count, pageSize };
    this.#made = { gatherer: new RecordGatherer(wanted), remaker: new Remaker(wanted) };
  }

  /** Gathers what the records of a page make. They are valid. Pages may come in any order, and each comes once. */
  add(page: number, bytes: Buffer): void {
    const records = this.#made && readFrame(bytes)?.records;
    if (!records) return;
    this.#early.set(page, bytes.subarray(records[0]?.[0] ?? 0, records.at(-1)?.[1] ?? 0));
    while (this.#early.has(this.#last + 1) || this.#early.size > MOST_EARLY)
      this.#gather(Math.min(...this.#early.keys()));
  }

  #gather(page: number): void {
    const records = this.#early.get(page);
    this.#early.delete(page);
    if (!this.#made || !records) return;
    const { gatherer, remaker } = this.#made;
    // The records of a gatherer go up.
    const before = page < this.#last ? gatherer.finish() : undefined;
    gatherer.add(page, records);
    remaker.take(0, before);
    remaker.take(1, gatherer.isFull ? gatherer.finish() : undefined);
    this.#last = page;
  }

  /** @param isWhole whether all pages were read, and are as they should be. */
  async finish(isWhole: boolean): Promise<void> {
    if (!this.#made) return;
    const { gatherer, remaker } = this.#made;
    const { checks } = remaker.wanted;
    const { contract, pages } = this.attempt.site.first.facts;
    for (const page of [...this.#early.keys()].sort((one, other) => one - other)) this.#gather(page);
    if (!isWhole || remaker.pages !== pages) {
      for (const check of checks) this.unproved.set(check, UNUSABLE);
      return;
    }
    remaker.take(0, gatherer.finish());
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
    this.#early.clear();
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
