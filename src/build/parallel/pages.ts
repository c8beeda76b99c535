/** Makes pages of a share of the rows, read on a connection of its own: in a thread, or in the calling one where that is enough. */
import { BulkMembers } from "../../bulk/members.js";
import { type Contract, contractOf } from "../../contract/contract.js";
import { encodePage, type PagePosition, pageFrame } from "../../contract/page.js";
import { recordEncoder } from "../../contract/record/encode.js";
import { isBehind } from "../../contract/record/key.js";
import { recordFinder } from "../../contract/record/locate.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { PageDigests } from "../../release/digests.js";
import { sha256 } from "../../release/files.js";
import { recordLine } from "../../release/record/list.js";
import type { Candidate } from "../../source/candidates.js";
import type { PageStart } from "../../source/order.js";
import { beginReading, PageReader } from "../../source/reader.js";
import type { PageGatherer } from "../gather.js";
import { type Known, type PageBytes, PageWriter, type Spent, toPageBytes } from "../page-writer.js";
import { validator } from "../records.js";
import { PAGE_LIMIT } from "../single-threaded.js";
import { loadGathering } from "../task.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";
import { type KeyRange, rangeOf } from "./order.js";

/** Makes what answers the jobs of a build. Its files are open until it has answered `rest`. */
export function startPages(data: ThreadData): (job: PageJob) => Promise<PageResult> {
  const maker = new PageMaker(data);
  return async (job) => {
    switch (job.kind) {
      case "begin":
        return { kind: "begun", isBegun: maker.begin() };
      case "rest":
        maker.rest();
        return { kind: "ready" };
      case "read":
        await maker.read(job);
        return { kind: "ready" };
      case "write":
        return maker.write(job);
      case "finish":
        return { kind: "finished", gathered: maker.gatherer?.finish() };
    }
  };
}

/** A page, and its records with a character for each byte. */
type MadePage = PageBytes & { text: string };

type Job<Kind extends PageJob["kind"]> = Extract<PageJob, { kind: Kind }>;

const NOTHING: Readonly<Spent> = { read: 0, check: 0, digest: 0, write: 0 };

class PageMaker {
  gatherer: PageGatherer | undefined;
  readonly #data: ThreadData;
  readonly #contract: Contract;
  readonly #finder: ReturnType<typeof recordFinder>;
  readonly #validate: ReturnType<typeof validator>;
  readonly #encode: ReturnType<typeof recordEncoder>;
  #connection: ReturnType<typeof beginReading>;
  #reader: PageReader | undefined;
  #spent: Spent = { ...NOTHING };

  constructor(data: ThreadData) {
    this.#data = data;
    this.#contract = contractOf(data.destination.contract);
    this.#finder = recordFinder(this.#contract);
    this.#validate = validator(this.#contract);
    this.#encode = recordEncoder(this.#contract);
  }

  /** @returns false when a lock was in the way. */
  begin(): boolean {
    this.#connection = beginReading(this.#data.db);
    return this.#connection !== undefined;
  }

  rest(): void {
    this.#connection?.close();
    this.#connection = this.#reader = undefined;
  }

  async read({ share }: Job<"read">): Promise<void> {
    const { destination } = this.#data;
    const gathering = await loadGathering(destination);
    this.gatherer = gathering && new gathering.PageGatherer(destination);
    if (this.#connection) this.#reader = new PageReader(this.#connection, share);
  }

  async write(job: Job<"write">): Promise<PageResult> {
    const writer = new PageWriter(this.#data.destination);
    this.#spent = { ...NOTHING };
    try {
      return this.#writeWith(writer, job);
    } finally {
      const began = performance.now();
      await writer.finish();
      this.#spent.write += performance.now() - began;
    }
  }

  #writeWith(writer: PageWriter, { collection, first, starts, known: before, memory }: Job<"write">): PageResult {
    const { destination } = this.#data;
    const { gatherer } = this;
    const variants = ["identity", ...destination.encodings] as const;
    const warnings: WarningCounts = {};
    const known = new PageDigests(starts.length, variants);
    const digests = new PageDigests(starts.length, variants);
    known.fill(1, before);
    const list: Uint8Array[] = [];
    const bulk = new BulkMembers(memory);
    let range: KeyRange | undefined;
    for (const [index, start] of starts.entries()) {
      const knownOf: Known = (variant) => known.find(index + 1, variant);
      const rows = Math.min(collection.pageSize, collection.count - start.offset);
      const page = this.#make({ ...collection, page: first + index }, { start, rows }, warnings);
      if (!page) return { kind: "doubtful" };
      const written = this.#timed("write", () => writer.write(first + index, page, knownOf));
      for (const [variant, digest] of written) digests.set(index + 1, variant, digest);
      const listed = this.#timed("digest", () => this.#list(page));
      range = this.#joined(range, listed.range);
      if (!range) return { kind: "doubtful" };
      list.push(listed.lines);
      const [, records] = page.parts;
      if (destination.bulk) this.#timed("write", () => bulk.add(records));
      if (gatherer) this.#timed("gather", () => gatherer.add(start.offset, records, page.text));
    }
    if (!range) throw new Error("A batch of no pages");
    const made = { digests: digests.slice(1, starts.length), lines: Uint8Array.from(Buffer.concat(list)), range };
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

  /** A page's bytes, checked; undefined when a record is invalid or a row is missing. */
  #make(
    position: PagePosition,
    { start, rows }: { start: PageStart; rows: number },
    warnings: WarningCounts,
  ): MadePage | undefined {
    const reader = this.#reader;
    if (!reader) throw new Error("A page is wanted before anything can be read.");
    const found = this.#timed("read", () => reader.readText(start, rows));
    // A page that is too large has to be refused in words that name it, which the single-threaded build finds.
    if (found.records.length > PAGE_LIMIT) return undefined;
    const text = found.records.toString("latin1");
    const { head, tail } = pageFrame(position);
    const parts = [Buffer.from(head), found.records, Buffer.from(tail)] as const;
    const digest = this.#timed("digest", () => sha256(...parts));
    if (this.#timed("check", () => found.isPlain(text))) return { parts, digest, text };
    const exact = this.#timed("check", () => this.#makeExact(position, reader.candidates(start, rows), rows, warnings));
    return exact && { ...exact, text: exact.parts[1].toString("latin1") };
  }

  #makeExact(
    position: PagePosition,
    candidates: Iterable<Candidate>,
    rows: number,
    warnings: WarningCounts,
  ): PageBytes | undefined {
    const records: string[] = [];
    let length = 0;
    for (const candidate of candidates) {
      if (this.#validate(candidate, warnings).length > 0) return undefined;
      const record = this.#encode(candidate.record);
      records.push(record);
      length += record.length;
      if (length > PAGE_LIMIT) return undefined;
    }
    return records.length === rows ? toPageBytes(encodePage(position, records)) : undefined;
  }

  /** The lines of a page's records in the list, and the range of their keys. */
  #list({ parts: [, records], text }: MadePage) {
    let lines = "";
    const range = rangeOf(this.#contract, this.#finder, text, (record) => {
      lines += recordLine(records, record);
    });
    return { lines: Buffer.from(lines, "latin1"), range };
  }

  /** The range of all pages so far; undefined when a record is out of order. */
  #joined(before: KeyRange | undefined, range: KeyRange | undefined): KeyRange | undefined {
    if (!before || !range) return range;
    return isBehind(this.#contract, range.first, before.last) ? { first: before.first, last: range.last } : undefined;
  }
}
