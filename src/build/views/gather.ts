/** Makes pages of views from records that are in a file by number: in a worker thread, or inline. */
import { pagesFor } from "../../core/contract/links.js";
import { type Collection, pageFrame, RECORD_SEPARATOR } from "../../core/contract/page.js";
import { UserError } from "../../core/errors.js";
import { PagePaths, type Variant, VIEWS_FOLDER, type ViewPaths, viewPath } from "../../core/release/layout.js";
import { sha256 } from "../../core/release/plain-files.js";
import type { DigestBytes, PageDigests } from "../../core/release/sums.js";
import { PAGE_LIMIT, type PageBytes } from "../page-writer.js";
import { type RecordPlaces, RecordReader } from "./records-file.js";

/** What all pages have in common. It can be sent to another thread. */
export interface GatherData {
  records: RecordPlaces;
  collection: Collection;
}

/** A page of a view. */
export interface ViewPage {
  /** The path of its value as that of a listing: `/views/country/DE/`. */
  path: string;
  page: number;
  /** Pages and records of the value. */
  pages: number;
  count: number;
}

/** Consecutive pages of one view to make. */
export interface ViewJob {
  /** The number of the first one, of all pages of the view. */
  first: number;
  pages: ViewPage[];
  /** The numbers of their records, from 0, in the order of the pages. */
  numbers: Uint32Array;
  /** Digests of the pages by variant: those of the last release, or those to compare with. */
  known: DigestBytes;
}

/** Bytes of records that are read together, if one page has fewer. */
const READ_TOGETHER = 2 ** 22;

/** Makes pages, one after another. Close it in a `finally`. */
export class Gatherer {
  readonly #reader: RecordReader;

  constructor(private readonly data: GatherData) {
    this.#reader = new RecordReader(data.records);
  }

  close(): void {
    this.#reader.close();
  }

  /** Makes the pages of a job, in order. The next page overwrites the memory of the last one. @throws UserError for a page that is too large */
  *pages({ pages, numbers }: ViewJob): Generator<{ page: ViewPage; made: PageBytes }> {
    const { collection } = this.data;
    const { pageSize } = collection;
    let begin = 0;
    let readEnd = 0;
    let read: Buffer = Buffer.alloc(0);
    for (const page of pages) {
      const end = begin + Math.min(pageSize, page.count - (page.page - 1) * pageSize);
      const bytes = this.#reader.bytesOf(numbers.subarray(begin, end));
      if (bytes > PAGE_LIMIT) throw tooLarge(page, pageSize);
      if (end > readEnd) {
        readEnd = Math.max(end, begin + this.#reader.fitting(numbers.subarray(begin), READ_TOGETHER));
        read = this.#reader.read(numbers.subarray(begin, readEnd));
      }
      const isEmpty = end === begin;
      const { head, tail } = pageFrame({ ...collection, ...page }, isEmpty);
      const parts = [Buffer.from(head), read.subarray(0, bytes), Buffer.from(tail)] as const;
      yield { page, made: { parts, digest: sha256(...parts) } };
      if (!isEmpty) read = read.subarray(bytes + RECORD_SEPARATOR.length);
      begin = end;
    }
  }
}

function tooLarge({ path, page }: ViewPage, pageSize: number): UserError {
  return new UserError(
    `Page ${page} of ${path} would have more than ${Math.floor(PAGE_LIMIT / 1e6)} million characters; put fewer than ${pageSize} records on a page with --page-size.`,
  );
}

/** The file of a page in its release. */
export function fileOf({ path, page }: ViewPage, variant: Variant = "identity"): string {
  return new PagePaths(path).path(page, variant);
}

/** Minimum and maximum pages of a job, and the number of jobs that keep all threads busy. */
const FEWEST_PAGES = 16;
const MOST_PAGES = 256;
const FEWEST_JOBS = 8;
/** Records after which a job ends. */
const MOST_RECORDS = 16_000;

/**
 * Divides the pages of a view into jobs.
 * @param numbers of the records of all pages.
 * @param knownOf finds the digests that a job has, for consecutive pages of the view from page `first` on.
 */
export function* viewJobs(
  paths: ViewPaths,
  numbers: Uint32Array,
  pageSize: number,
  knownOf: (pages: readonly ViewPage[], first: number) => DigestBytes,
): Generator<ViewJob> {
  const most = Math.min(MOST_PAGES, Math.max(FEWEST_PAGES, Math.ceil(paths.pages / FEWEST_JOBS)));
  let pages: ViewPage[] = [];
  let first = 1;
  let records = 0;
  let before = 0;
  const take = (): ViewJob => {
    const job = { first, pages, numbers: numbers.slice(before, before + records), known: knownOf(pages, first) };
    first += pages.length;
    before += records;
    pages = [];
    records = 0;
    return job;
  };
  for (const { segment, records: count } of paths.values) {
    const path = viewPath(paths.view, segment);
    const all = pagesFor(count, pageSize);
    for (let page = 1; page <= all; page++) {
      pages.push({ path, page, pages: all, count });
      records += Math.min(pageSize, count - (page - 1) * pageSize);
      if (pages.length >= most || records >= MOST_RECORDS) yield take();
    }
  }
  if (pages.length > 0) yield take();
}

/** Copies digests of pages of another release, which may have other numbers there. */
export function copyDigests(
  pages: readonly ViewPage[],
  from: { paths: ViewPaths; pages: PageDigests } | undefined,
  to: PageDigests,
): DigestBytes {
  for (const [at, page] of pages.entries())
    for (const variant of to.variants) {
      const found = from?.paths.find(fileOf(page, variant).slice(VIEWS_FOLDER.length + 1));
      const digest = found && from?.pages.get(found.page, variant);
      if (digest !== undefined) to.set(at + 1, variant, digest);
    }
  return to.slice(1, pages.length);
}
