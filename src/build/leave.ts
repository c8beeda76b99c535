/** A build that finds the current release made from the very same bytes, and so has nothing to do. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { RELEASES } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { type BuildResult, reportLookup, type Timings } from "./result.js";
import type { Job } from "./write-pages.js";

type Left = Omit<BuildResult, "changes" | "untidied" | "timings"> & { timings: Omit<Timings, "open"> };

/** Leaves the current release in place, since this build would make every byte of it again. */
export function leave({ folder, snapshot, paths, sums }: Release, { settings, log }: Job, began: number): Left {
  log.open();
  log.finish();
  const { id, count: records, pages, warnings } = snapshot;
  const name = basename(folder);
  const files = [...sums.pages.files(paths)];
  const bytes = files.reduce((sum, [path]) => sum + statSync(join(folder, path)).size, 0);
  const published = { id, name, isNew: false, isSwitched: false, pruned: [], gates: undefined };
  const kept = {
    folder: join(settings.out, RELEASES, name),
    records,
    pages,
    bytes,
    linked: files.length,
    isRead: false,
  };
  const timings = { write: performance.now() - began, lookup: undefined, publish: 0, threads: undefined };
  return {
    ...published,
    ...kept,
    skipped: 0,
    warnings,
    problems: log.report,
    signedWith: undefined,
    lookup: reportLookup(settings, { folder, files: sums.others }),
    workers: 0,
    timings,
  };
}
