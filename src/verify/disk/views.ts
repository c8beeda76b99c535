/** Checks the views of a release: that each has exactly the records of the listing, by its values and order. */
import { join } from "node:path";
import type { SortedView, ViewPages } from "../../build/artifacts/artifact.js";
import { copyDigests, type ViewJob, type ViewPage, viewJobs } from "../../build/views/gather.js";
import { copyRecords, type RecordsFile, removeRecords } from "../../build/views/records-file.js";
import { readAs } from "../../core/contract/json.js";
import type { Collection } from "../../core/contract/page.js";
import { MOST_VALUES, type ViewForms, viewsOf } from "../../core/contract/views.js";
import { packageFile } from "../../core/package.js";
import { VIEWS, viewIndexPath } from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { PageDigests } from "../../core/release/sums.js";
import { viewsSchema } from "../../core/release/views.js";
import { ThreadPool, threadsFor } from "../../core/workers/pool.js";
import type { Findings } from "../verdict.js";
import { readPageFile } from "./page-check.js";
import { type CheckedViewPages, startViewChecks, type ViewsToCheck } from "./view-check.js";

/** The views that a release should have. @returns undefined, after a finding, if its views.json is unusable */
export function wantedViews({ folder, contract, sums }: Release, findings: Findings): ViewForms | undefined {
  if (!sums.others.has(VIEWS)) return {};
  const bytes = readPageFile(join(folder, VIEWS));
  const list = Buffer.isBuffer(bytes) ? readAs(viewsSchema, String(bytes)) : { why: "" };
  // `inspect` reports a list that cannot be read.
  if ("why" in list) return undefined;
  const forms: ViewForms = {};
  for (const { name, by, part, order } of list.views)
    forms[name] = { by, part, order, ...(by !== undefined && { most: MOST_VALUES.max }) };
  const read = viewsOf(contract, forms);
  if ("views" in read) return forms;
  for (const found of read.mistakes)
    findings.add({ check: "views", path: VIEWS, found, expected: "views that fit the contract" });
  return undefined;
}

/** The paths of the files that the views of a release are named by, which its records make again. */
export function isNamingViews(path: string, forms: ViewForms): boolean {
  return path === VIEWS || Object.entries(forms).some(([name, { by }]) => by && path === viewIndexPath(name));
}

interface Options {
  collection: Collection;
  workers: number | undefined;
  findings: Findings;
}

/** Compares the pages of views with those that the records make. */
export class CheckedViews implements ViewPages {
  readonly state: string;
  readonly listing = "";
  #records: RecordsFile | undefined;
  #pool: ThreadPool<ViewsToCheck, ViewJob, CheckedViewPages> | undefined;
  #closeInline = () => {};

  constructor(
    private readonly release: Release,
    private readonly options: Options,
  ) {
    this.state = release.snapshot.state;
  }

  async reuse(): Promise<boolean> {
    return false;
  }

  /** Adds a finding for each page that differs. @returns undefined, since digests of compressed pages depend on the compressor */
  async make({ view, paths, numbers }: SortedView, signal: AbortSignal | undefined): Promise<undefined> {
    const { collection, findings } = this.options;
    const { variants } = this.release.sums.pages;
    const listed = this.release.views.find(({ entry }) => entry.name === view.name)?.sums;
    const knownOf = (pages: readonly ViewPage[]) => copyDigests(pages, listed, new PageDigests(pages.length, variants));
    this.#pool ??= await this.#start(signal);
    await this.#pool.run(viewJobs(paths, numbers, collection.pageSize, knownOf), (checked) => {
      findings.merge(checked);
    });
  }

  async close(): Promise<void> {
    this.#closeInline();
    await this.#pool?.end();
    if (this.#records) removeRecords(this.#records);
    this.#records = undefined;
  }

  async #start(signal: AbortSignal | undefined) {
    const { collection, workers } = this.options;
    const { folder, sums, snapshot } = this.release;
    this.#records = await copyRecords(folder, collection, "verify", signal);
    const { path, begins } = this.#records;
    const data: ViewsToCheck = { records: { path, begins }, collection, folder, variants: sums.pages.variants };
    return new ThreadPool<ViewsToCheck, ViewJob, CheckedViewPages>({
      size: snapshot.encodings.length > 0 ? threadsFor(collection.count, workers) : 0,
      file: packageFile("lib/verify/disk/view-worker.js"),
      data,
      start: () => {
        const { check, close } = startViewChecks(data);
        this.#closeInline = close;
        return check;
      },
      signal,
    });
  }
}
