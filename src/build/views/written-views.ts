/** Writes the views of a listing into its staging folder, or links those of the last release. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../../core/contract/contract.js";
import type { Encoding } from "../../core/contract/headers.js";
import type { Collection } from "../../core/contract/page.js";
import { beforeViews, requireFew, type View } from "../../core/contract/views.js";
import { UserError } from "../../core/errors.js";
import { packageFile } from "../../core/package.js";
import {
  RECORDS,
  VIEWS,
  VIEWS_FOLDER,
  type ViewPaths,
  viewIndexPath,
  viewSumsPath,
} from "../../core/release/layout.js";
import { findAltered, type Release } from "../../core/release/open.js";
import { makeFolder } from "../../core/release/sharing.js";
import type { StagedFiles } from "../../core/release/staging.js";
import { listFiles, PageDigests } from "../../core/release/sums.js";
import { carryFile } from "../../core/release/times.js";
import { describeTwins, findCaseTwins, makingOf, type ReleaseView } from "../../core/release/views.js";
import { ThreadPool, threadsFor } from "../../core/workers/pool.js";
import { readIntact, type SortedView, type ViewPages } from "../artifacts/artifact.js";
import type { Totals } from "../page-writer.js";
import { copyDigests, fileOf, type ViewJob, type ViewPage, viewJobs } from "./gather.js";
import { copyRecords, type RecordsFile, removeRecords } from "./records-file.js";
import { startWriting, type WriteData, type WrittenPages } from "./write.js";

/** A view whose pages are in the staging folder. */
export interface WrittenView {
  view: View;
  sums: ReleaseView["sums"];
  /** Number of values; undefined for a view without values. */
  values: number | undefined;
  totals: Totals;
  largest: LargestFile;
}

/** The largest page of a view: its path in the release, and its uncompressed bytes. */
interface LargestFile {
  path: string;
  bytes: number;
}

interface Options {
  /** The name of the listing in its site; empty for a plain release. */
  name: string;
  contract: Contract;
  collection: Collection;
  encodings: readonly Encoding[];
  files: StagedFiles;
  /** The release to link unchanged pages from. */
  previous: Release | undefined;
  /** The number of threads; by default, one per core for many records. */
  workers: number | undefined;
}

export class WrittenViews implements ViewPages {
  readonly views: WrittenView[] = [];
  #records: RecordsFile | undefined;
  #pool: ThreadPool<WriteData, ViewJob, WrittenPages> | undefined;
  #closeInline = () => {};

  constructor(private readonly options: Options) {}

  get listing(): string {
    return this.options.name;
  }

  get state(): string {
    return this.options.files.digestOf(RECORDS) ?? "";
  }

  /** Links all pages, if the last release has the same views of the same records, and they are intact. */
  async reuse(views: readonly View[], signal: AbortSignal | undefined): Promise<boolean> {
    const { files, previous } = this.options;
    if (!previous || !this.#hasSame(previous, views)) return false;
    for (const [at, { values }] of previous.views.entries())
      requireFew(views[at] as View, values?.length ?? 0, this.listing);
    const texts = readTexts(previous);
    if (!texts) return false;
    for (const { sums } of previous.views)
      if ((await findAltered(join(previous.folder, VIEWS_FOLDER), listFiles(sums), signal)) !== undefined) return false;
    for (const [at, { sums, values }] of previous.views.entries()) {
      makePageFolders(files.folder, sums.paths, this.listing);
      const linked = linkPages(previous.folder, files.folder, sums);
      this.views.push({ view: views[at] as View, sums, values: values?.length, ...linked });
    }
    for (const [path, text] of texts) files.put(path, text);
    return true;
  }

  /** Writes the pages of a view. Links those that the last release has. */
  async make({ view, values, paths, numbers }: SortedView, signal: AbortSignal | undefined): Promise<PageDigests> {
    const { collection, encodings, files, previous } = this.options;
    makePageFolders(files.folder, paths, this.listing);
    const digests = new PageDigests(paths.pages, ["identity", ...encodings]);
    const before = previous?.views.find(({ entry }) => entry.name === view.name)?.sums;
    const knownOf = (pages: readonly ViewPage[]) =>
      copyDigests(pages, before, new PageDigests(pages.length, digests.variants));
    const totals: Totals = { bytes: 0, linked: 0, changed: 0 };
    let largest: LargestFile = { path: "", bytes: 0 };
    this.#pool ??= await this.#start(signal);
    await this.#pool.run(viewJobs(paths, numbers, collection.pageSize, knownOf), (written, { first, pages }) => {
      digests.fill(first, written.digests);
      for (const key of ["bytes", "linked", "changed"] as const) totals[key] += written.totals[key];
      const page = pages[written.largest.page - 1];
      const { bytes } = written.largest;
      if (page && bytes > largest.bytes) largest = { path: fileOf(page), bytes };
    });
    const sums = { paths, pages: digests, others: new Map() };
    this.views.push({ view, sums, values: values?.length, totals, largest });
    return digests;
  }

  async close(): Promise<void> {
    this.#closeInline();
    await this.#pool?.end();
    if (this.#records) removeRecords(this.#records);
    this.#records = undefined;
  }

  /** Whether the pages of a release are those that this build would make. */
  #hasSame({ snapshot, contract, sums, views: before }: Release, views: readonly View[]): boolean {
    const { collection, encodings } = this.options;
    const { page_size, base_url, links } = snapshot;
    return (
      before.length === views.length &&
      sums.others.get(RECORDS) === this.state &&
      contract.text === this.options.contract.text &&
      page_size === collection.pageSize &&
      base_url === collection.baseUrl &&
      links === collection.links &&
      snapshot.encodings.join() === encodings.join() &&
      before.every(({ entry }, at) => isMadeAlike(entry, views[at] as View))
    );
  }

  async #start(signal: AbortSignal | undefined) {
    const { collection, encodings, files, previous, workers } = this.options;
    this.#records = await copyRecords(files.folder, collection, "build", signal);
    const { path, begins } = this.#records;
    const data: WriteData = {
      records: { path, begins },
      collection,
      compress: encodings,
      folder: files.folder,
      previous: previous?.folder,
    };
    return new ThreadPool<WriteData, ViewJob, WrittenPages>({
      // Copying records takes less time than starting threads does; compressing them does not.
      size: encodings.length > 0 ? threadsFor(collection.count, workers) : 0,
      file: packageFile("lib/build/views/worker.js"),
      data,
      start: () => {
        const { write, close } = startWriting(data);
        this.#closeInline = close;
        return write;
      },
      signal,
    });
  }
}

function isMadeAlike(entry: ReleaseView["entry"], view: View): boolean {
  const { name, by, part, order } = entry;
  const making = { name, ...(by !== undefined && { by }), ...(part && { part }), ...(order && { order }) };
  return stringify(making) === stringify(makingOf(view));
}

/** The files that name the pages of views; undefined if one of them is damaged. */
function readTexts(release: Release): [path: string, text: string][] | undefined {
  const paths = release.views.flatMap(({ entry: { name, by } }) => {
    return by === undefined ? [viewSumsPath(name)] : [viewIndexPath(name), viewSumsPath(name)];
  });
  const texts = [...paths, VIEWS].map((path) => [path, readIntact(release, path)] as const);
  const known = texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as [string, string]]));
  return known.length === texts.length ? known : undefined;
}

/** Links pages of another release, which are intact. */
function linkPages(from: string, to: string, sums: ReleaseView["sums"]): Pick<WrittenView, "totals" | "largest"> {
  const totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  let largest: LargestFile = { path: "", bytes: 0 };
  for (const [inside] of listFiles(sums)) {
    const path = `${VIEWS_FOLDER}/${inside}`;
    if (carryFile(join(from, path), join(to, path))) totals.linked++;
    const bytes = lstatSync(join(to, path)).size;
    totals.bytes += bytes;
    if (inside.endsWith(".json") && bytes > largest.bytes) largest = { path, bytes };
  }
  return { totals, largest };
}

/** Makes the folders of a view's pages. @throws UserError if two of them are one, since the file system ignores case */
function makePageFolders(release: string, paths: ViewPaths, listing: string): void {
  const twins = findCaseTwins(paths.values);
  const top = makeFolder(makeFolder(release, VIEWS_FOLDER), paths.view);
  for (const { segment } of paths.values) {
    const other = twins.get(segment);
    if (other !== undefined && lstatSync(join(top, segment), { throwIfNoEntry: false }))
      throw new UserError(
        `${beforeViews(listing)}${describeTwins(paths.view, [segment, other])}, and the file system of ${release} ignores case. Build on one that does not, or make the values alike.`,
      );
    makeFolder(segment === "" ? top : makeFolder(top, segment), "pages");
  }
}
