/** Writes pages of views in a worker thread, or inline. */
import type { Encoding } from "../../core/contract/headers.js";
import type { Variant } from "../../core/release/layout.js";
import { type DigestBytes, PageDigests } from "../../core/release/sums.js";
import { type LargestPage, PageWriter, type Totals } from "../page-writer.js";
import { fileOf, type GatherData, Gatherer, type ViewJob, type ViewPage } from "./gather.js";

/** What all jobs of a build have in common. It can be sent to another thread. */
export interface WriteData extends GatherData {
  compress: readonly Encoding[];
  /** Where pages are written. */
  folder: string;
  /** The folder of the release to link unchanged pages from. */
  previous: string | undefined;
}

export interface WrittenPages {
  digests: DigestBytes;
  totals: Totals;
  /** The number of the page is the one in its job. */
  largest: LargestPage;
}

/** Makes the function that writes the pages of jobs. Call `close` at the end. */
export function startWriting(data: WriteData) {
  const gatherer = new Gatherer(data);
  const variants: readonly Variant[] = ["identity", ...data.compress];
  const write = async (job: ViewJob): Promise<WrittenPages> => {
    const count = job.pages.length;
    const known = new PageDigests(count, variants);
    known.fill(1, job.known);
    const digests = new PageDigests(count, variants);
    const path = (at: number, variant?: Variant) => fileOf(job.pages[at - 1] as ViewPage, variant);
    const writer = new PageWriter({ ...data, paths: { path } });
    try {
      let at = 0;
      for (const { made } of gatherer.pages(job)) {
        at++;
        for (const [variant, digest] of writer.write(at, made, (of) => known.get(at, of)))
          digests.set(at, variant, digest);
      }
    } finally {
      await writer.finish();
    }
    return { digests: digests.slice(1, count), totals: writer.totals, largest: writer.largest };
  };
  return { write, close: () => gatherer.close() };
}
