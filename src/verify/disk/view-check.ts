/** Checks pages of views: makes them again from the records of the listing's pages, in a worker thread, or inline. */
import { join } from "node:path";
import { fileOf, type GatherData, Gatherer, type ViewJob } from "../../build/views/gather.js";
import type { Variant } from "../../core/release/layout.js";
import { PageDigests } from "../../core/release/sums.js";
import { Findings } from "../verdict.js";
import { checkVariants, readPageFile } from "./page-check.js";

/** What all jobs of a release have in common. It can be sent to another thread. */
export interface ViewsToCheck extends GatherData {
  folder: string;
  variants: readonly Variant[];
}

/** The findings of a job. */
export type CheckedViewPages = ReturnType<Findings["toData"]>;

/** Makes the function that checks the pages of jobs. Call `close` at the end. */
export function startViewChecks({ folder, variants, ...data }: ViewsToCheck) {
  const gatherer = new Gatherer(data);
  const check = (job: ViewJob): CheckedViewPages => {
    const findings = new Findings();
    const digests = new PageDigests(job.pages.length, variants);
    digests.fill(1, job.known);
    let at = 0;
    for (const { page, made } of gatherer.pages(job)) {
      at++;
      const note = (check: string, found: string, expected: string, variant: Variant = "identity") =>
        findings.add({ check, path: fileOf(page, variant), found, expected });
      const open = (variant: Variant) => readPageFile(join(folder, fileOf(page, variant)));
      const { plain } = checkVariants(variants, open, (variant) => digests.get(at, variant), note);
      if (!plain) continue;
      if (!plain.equals(Buffer.concat(made.parts)))
        note("views", `${plain.length} other bytes`, `the ${page.count} records of this view, and its links`);
    }
    return findings.toData();
  };
  return { check, close: () => gatherer.close() };
}
