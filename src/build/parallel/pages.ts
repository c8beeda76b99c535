/** Makes pages of some rows of the copy: in a thread, or in the calling one where that is enough. */
import { BulkMembers } from "../../bulk/members.js";
import { type Contract, contractOf } from "../../contract/contract.js";
import { encodePage, type PagePosition, pageFrame } from "../../contract/page.js";
import { recordEncoder } from "../../contract/record/encode.js";
import { recordFinder } from "../../contract/record/locate.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { PageDigests } from "../../release/digests.js";
import { sha256 } from "../../release/files.js";
import { recordLines } from "../../release/record/list.js";
import { pagesOf, rowsOfPages } from "../../shards/cut.js";
import type { RowRange } from "../../source/copy.js";
import { PageReader } from "../../source/reader.js";
import type { PageGatherer } from "../gather.js";
import { type Known, type PageBytes, PageWriter, type Spent, toPageBytes } from "../page-writer.js";
import { validator } from "../records.js";
import { PAGE_LIMIT } from "../single-threaded.js";
import { loadGathering } from "../task.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";

/** Makes what answers the jobs of a build. The copy is open until it has answered `finish`. */
export function startPages(data: ThreadData): (job: PageJob) => Promise<PageResult> {
  const maker = new PageMaker(data);
  return (job) => (job.kind === "write" ? maker.write(job) : maker.finish());
}

/** A page, and its records with a character for each byte. */
type MadePage = PageBytes & { text: string };

type WriteJob = Extract<PageJob, { kind: "write" }>;

const NOTHING: Readonly<Spent> = { read: 0, check: 0, digest: 0, write: 0 };

class PageMaker {
  readonly #data: ThreadData;
  readonly #contract: Contract;
  readonly #finder: ReturnType<typeof recordFinder>;
  readonly #validate: ReturnType<typeof validator>;
  readonly #encode: ReturnType<typeof recordEncoder>;
  readonly #reader: PageReader;
  #gatherer: PageGatherer | undefined;
  #spent: Spent = { ...NOTHING };

  constructor(data: ThreadData) {
    this.#data = data;
    this.#contract = contractOf(data.destination.contract);
    this.#finder = recordFinder(this.#contract);
    this.#validate = validator(this.#contract);
    this.#encode = recordEncoder(this.#contract);
    this.#reader = new PageReader(data.share);
  }

  async write(job: WriteJob): Promise<PageResult> {
    const { destination } = this.#data;
    const gathering = await loadGathering(destination);
    this.#gatherer ??= gathering && new gathering.PageGatherer(destination);
    const writer = new PageWriter(destination);
    this.#spent = { ...NOTHING };
    try {
      return this.#writeWith(writer, job);
    } finally {
      const began = performance.now();
      await writer.finish();
      this.#spent.write += performance.now() - began;
    }
  }

  async finish(): Promise<PageResult> {
    this.#reader.close();
    return { kind: "finished", gathered: this.#gatherer?.finish() };
  }

  #writeWith(writer: PageWriter, { collection, range, known: before, memory }: WriteJob): PageResult {
    const { destination } = this.#data;
    const gatherer = this.#gatherer;
    const variants = ["identity", ...destination.encodings] as const;
    const warnings: WarningCounts = {};
    const pages = pagesOf(range);
    const known = new PageDigests(pages, variants);
    const digests = new PageDigests(pages, variants);
    known.fill(1, before);
    const list: Buffer[] = [];
    const bulk = new BulkMembers(memory);
    for (let page = range.first; page <= range.last; page++) {
      const at = page - range.first + 1;
      const knownOf: Known = (variant) => known.find(at, variant);
      const rows = rowsOfPages({ first: page, last: page }, collection);
      const made = this.#make({ ...collection, page }, rows, warnings);
      if (!made) return { kind: "invalid" };
      const written = this.#timed("write", () => writer.write(page, made, knownOf));
      for (const [variant, digest] of written) digests.set(at, variant, digest);
      const [, records] = made.parts;
      const lines = this.#timed("digest", () => recordLines(this.#finder, records, made.text));
      if (!lines) throw new Error(`Page ${page} has a record without a key.`);
      list.push(lines);
      if (destination.bulk) this.#timed("write", () => bulk.add(records));
      if (gatherer) this.#timed("gather", () => gatherer.add(rows.before, records, made.text));
    }
    const made = { digests: digests.slice(1, pages), lines: Uint8Array.from(Buffer.concat(list)) };
    const members = this.#timed("write", () => bulk.finish());
    const gathered = gatherer && this.#timed("gather", () => gatherer.takeMuch());
    return { kind: "written", ...made, members, gathered, totals: writer.totals, warnings, spent: this.#spent };
  }

  #timed<T>(part: keyof Spent, step: () => T): T {
    const began = performance.now();
    const result = step();
    this.#spent[part] = (this.#spent[part] ?? 0) + performance.now() - began;
    return result;
  }

  /** A page's bytes, checked; undefined when a record is invalid, or a row is missing. */
  #make(position: PagePosition, range: RowRange, warnings: WarningCounts): MadePage | undefined {
    const found = this.#timed("read", () => this.#reader.readText(range));
    // A page that is too large has to be refused in words that name it, which the single-threaded build finds.
    if (found.records.length > PAGE_LIMIT) return undefined;
    const text = found.records.toString("latin1");
    const { head, tail } = pageFrame(position);
    const parts = [Buffer.from(head), found.records, Buffer.from(tail)] as const;
    if (this.#timed("check", () => found.isPlain(text)))
      return { parts, digest: this.#timed("digest", () => sha256(...parts)), text };
    const exact = this.#timed("check", () => this.#makeExact(position, range, warnings));
    return exact && { ...exact, text: exact.parts[1].toString("latin1") };
  }

  #makeExact(position: PagePosition, range: RowRange, warnings: WarningCounts): PageBytes | undefined {
    const records: string[] = [];
    let length = 0;
    for (const candidate of this.#reader.candidates(range)) {
      if (this.#validate(candidate, warnings).length > 0) return undefined;
      const record = this.#encode(candidate.record);
      records.push(record);
      length += record.length;
      if (length > PAGE_LIMIT) return undefined;
    }
    return records.length === range.rows ? toPageBytes(encodePage(position, records)) : undefined;
  }
}
