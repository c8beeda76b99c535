/** Makes pages from rows of the copy, and collects the data that artifacts need: in a worker thread, or inline. */
import { type Contract, contractOf } from "../core/contract/contract.js";
import { type Collection, encodePage, pageFrame } from "../core/contract/page.js";
import { recordEncoder } from "../core/contract/record/encode.js";
import type { WarningCounts } from "../core/contract/record/warnings.js";
import { UserError } from "../core/errors.js";
import { PagePaths } from "../core/release/layout.js";
import { sha256 } from "../core/release/plain-files.js";
import { type DigestBytes, PageDigests } from "../core/release/sums.js";
import type { DataSettings } from "../core/settings/settings.js";
import { type PageRange, pagesOf, rowsOfPages } from "../core/shards.js";
import type { RowRange } from "../core/source/copy.js";
import { type Copy, PageReader } from "../core/source/reader.js";
import type { Collector } from "./artifacts/artifact.js";
import { artifactsOf } from "./artifacts/artifacts.js";
import { type LargestPage, PAGE_LIMIT, type PageBytes, PageWriter, type Totals } from "./page-writer.js";
import { PiecesFile } from "./pieces.js";
import type { Problem } from "./problems.js";
import { validator } from "./validator.js";

/** What the batches of one run of a listing have in common. It can be sent to another thread. */
export interface PageData {
  settings: DataSettings;
  copy: Copy;
  collection: Collection;
  /** Where pages are written. */
  folder: string;
  /** The folder of the release to link unchanged pages from. */
  previous: string | undefined;
}

/** A batch of pages to make. */
export interface PageJob {
  data: PageData;
  /** The number of the run among all runs of the build. */
  run: number;
  range: PageRange;
  /** The digests of these pages in the previous release. */
  known: DigestBytes;
  /** False if records are only checked. */
  isWritten: boolean;
}

/** The result of a batch. */
export interface PageBatch {
  digests: DigestBytes;
  totals: Totals;
  largest: LargestPage;
  warnings: WarningCounts;
  /** One piece for each artifact's merger, in the order of the artifacts; empty if a record is invalid. */
  pieces: Uint8Array<ArrayBuffer>[];
  /** A file with one piece per invalid record: its problems. In a file, because their values may have any length. */
  problems: { path: string; digest: string } | undefined;
  /** The numbers of invalid rows, from 0. */
  invalid: number[];
}

/** A page. `text` is its records with one character per byte. */
type MadePage = PageBytes & { text: string };

/** Makes the pages of batches of any run of a build, one batch after another. Close it in a `finally`. */
export class PageMakers {
  #run = 0;
  #maker: PageMaker | undefined;

  /** Makes the pages of one batch. @throws as `PageMaker` does */
  make(job: PageJob): Promise<PageBatch> {
    if (this.#maker === undefined || this.#run !== job.run) {
      this.close();
      this.#maker = new PageMaker(job.data);
      this.#run = job.run;
    }
    return this.#maker.make(job);
  }

  close(): void {
    this.#maker?.close();
    this.#maker = undefined;
  }
}

/** Makes the pages of batches of one run of a listing. */
class PageMaker {
  readonly #contract: Contract;
  readonly #validate: ReturnType<typeof validator>;
  readonly #encode: ReturnType<typeof recordEncoder>;
  readonly #reader: PageReader;
  #collectors: readonly Collector[] | undefined;

  constructor(private readonly data: PageData) {
    const { settings, copy } = data;
    this.#contract = contractOf(settings.contract);
    this.#validate = validator(this.#contract, copy.isOfText);
    this.#encode = recordEncoder(this.#contract);
    this.#reader = new PageReader(copy, settings);
  }

  /** Makes the pages of one batch. @throws UserError for a page that is too large, and for a full disk; the system's errors */
  async make(job: PageJob): Promise<PageBatch> {
    const { settings } = this.data;
    this.#collectors ??= (await artifactsOf(settings)).map((artifact) =>
      artifact.collector(this.#contract, settings.pageSize),
    );
    const batch = new Batch(this.data, job);
    try {
      for (let page = job.range.first; page <= job.range.last; page++) {
        const made = this.#read(page, batch);
        if (!made || !batch.isGood) continue;
        batch.write(page, made);
        const [, bytes] = made.parts;
        const first = (page - 1) * settings.pageSize;
        for (const collector of this.#collectors) collector.collect({ first, bytes, text: made.text });
      }
    } finally {
      await batch.flush();
    }
    return batch.result(this.#collectors.map((collector) => collector.take()));
  }

  close(): void {
    this.#reader.close();
  }

  /** Reads and checks a page. @returns undefined if a record is invalid */
  #read(page: number, batch: Batch): MadePage | undefined {
    const { collection } = this.data;
    const rows = rowsOfPages({ first: page, last: page }, collection);
    const found = this.#reader.readText(rows);
    const text = found.records.length > PAGE_LIMIT ? "" : found.records.toString("latin1");
    if (!found.isPlain(text)) {
      const bytes = this.#readExactly(page, rows, batch);
      return bytes && { ...bytes, text: bytes.parts[1].toString("latin1") };
    }
    const { head, tail } = pageFrame({ ...collection, page }, rows.rows === 0);
    const parts = [Buffer.from(head), found.records, Buffer.from(tail)] as const;
    return { parts, digest: sha256(...parts), text };
  }

  /** Does the same row by row with the schema: accepts values that the pattern does not know, and finds every problem. */
  #readExactly(page: number, range: RowRange, batch: Batch): PageBytes | undefined {
    const { collection } = this.data;
    const records: string[] = [];
    let read = 0;
    let invalid = 0;
    let length = 0;
    for (const candidate of this.#reader.candidates(range)) {
      const problems = this.#validate(candidate, batch.warnings);
      if (problems.length > 0) {
        batch.addInvalid(range.before + read, problems);
        invalid++;
      } else {
        const record = this.#encode(candidate.record);
        records.push(record);
        length += record.length;
        if (length > PAGE_LIMIT) throw this.#tooLarge(page);
      }
      read++;
    }
    if (read !== range.rows) throw new Error(`Page ${page} has ${read} rows instead of ${range.rows}.`);
    if (invalid > 0) return undefined;
    const [head, text, tail] = encodePage({ ...collection, page }, records);
    const parts = [Buffer.from(head), Buffer.from(text), Buffer.from(tail)] as const;
    return { parts, digest: sha256(...parts) };
  }

  #tooLarge(page: number): UserError {
    const { pageSize } = this.data.settings;
    const [, many] = this.#contract.listing.words;
    return new UserError(
      `Page ${page} would have more than ${Math.floor(PAGE_LIMIT / 1e6)} million characters; put fewer than ${pageSize} ${many} on a page with --page-size.`,
    );
  }
}

/** A batch while it is being made. */
class Batch {
  readonly warnings: WarningCounts = {};
  readonly #invalid: number[] = [];
  #problems: PiecesFile | undefined;
  #digest = "";
  readonly #known: PageDigests;
  readonly #digests: PageDigests;
  readonly #writer: PageWriter;

  constructor(
    private readonly data: PageData,
    private readonly job: PageJob,
  ) {
    const variants = ["identity", ...data.settings.compress] as const;
    this.#known = new PageDigests(pagesOf(job.range), variants);
    this.#known.fill(1, job.known);
    this.#digests = new PageDigests(pagesOf(job.range), variants);
    this.#writer = new PageWriter({
      ...data,
      compress: data.settings.compress,
      paths: new PagePaths(data.collection.path),
    });
  }

  /** Whether its pages are written. */
  get isGood(): boolean {
    return this.job.isWritten && this.#invalid.length === 0;
  }

  get #problemsPath(): string {
    return `${this.data.copy.path}-problems-${this.job.range.first}`;
  }

  addInvalid(row: number, problems: readonly Problem[]): void {
    this.#problems ??= new PiecesFile(this.#problemsPath);
    this.#problems.add(Buffer.from(JSON.stringify(problems)));
    this.#invalid.push(row);
  }

  write(page: number, made: PageBytes): void {
    const at = page - this.job.range.first + 1;
    const digests = this.#writer.write(page, made, (variant) => this.#known.get(at, variant));
    for (const [variant, digest] of digests) this.#digests.set(at, variant, digest);
  }

  async flush(): Promise<void> {
    this.#digest = this.#problems?.finish() ?? "";
    await this.#writer.finish();
  }

  result(pieces: Uint8Array<ArrayBuffer>[]): PageBatch {
    const digests = this.#digests.slice(1, pagesOf(this.job.range));
    const problems = this.#problems && { path: this.#problemsPath, digest: this.#digest };
    return {
      digests,
      totals: this.#writer.totals,
      largest: this.#writer.largest,
      warnings: this.warnings,
      pieces: this.isGood ? pieces : [],
      problems,
      invalid: this.#invalid,
    };
  }
}
