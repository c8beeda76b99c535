/** `rollcall build --join`: joins parts into the release that one machine would have built. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Collection } from "../../core/contract/page.js";
import { isMissing, UserError } from "../../core/errors.js";
import { PagePaths } from "../../core/release/layout.js";
import { hashPlain } from "../../core/release/plain-files.js";
import type { PageDigests } from "../../core/release/sums.js";
import { linkFile } from "../../core/release/writer.js";
import { createTurns } from "../../core/workers/turns.js";
import type { Mergers } from "../artifacts/artifacts.js";
import type { LargestPage, Totals } from "../page-writer.js";
import { damaged, readPieces } from "../pieces.js";
import { invalidRecords, type Job, MadePages, type PageTarget, taskOf } from "../pipeline.js";
import type { ProblemLog } from "../problems.js";
import { removeLeft } from "./aside.js";
import { digestsOf, readParts, unjoinable } from "./check.js";
import { digestOfSource, settingsOf } from "./made-of.js";
import { PROBLEMS, piecesName, type ShardPart } from "./part.js";

/** Files that are linked before the event loop gets a turn. */
const LINKS = 500;

export interface JoinTarget extends Pick<PageTarget, "job" | "files"> {
  startReceiver(collection: Collection): Promise<Mergers>;
}

/**
 * Joins all parts of each listing. Hashes and hard-links their pages, so parts do not change, and a join that was killed can be
 * run again.
 * @param log collects the problems of all listings.
 * @param parts their folder, on the file system of the staged files; it has a folder for each of several listings
 * @returns the pages of each listing, in the same order.
 * @throws InvalidRecordsError as one machine would; UserError with the shard that cannot be joined, and the command that makes it again
 */
export async function joinParts(targets: readonly JoinTarget[], log: ProblemLog, parts: string): Promise<MadePages[]> {
  log.open();
  const source = await digestOf(targets);
  const found = new Map<JoinTarget, ShardPart[]>();
  for (const target of targets) {
    const { job } = target;
    removeLeft(join(parts, job.name));
    found.set(target, readPartsOf(job, source, parts));
    for (const part of found.get(target) ?? []) takeProblems(part, log, job.name);
  }
  const jobs = targets.map(({ job }) => job);
  if (log.report.records > 0) throw invalidRecords(log, jobs, { isOfShards: true });
  log.finish();
  const made: MadePages[] = [];
  for (const [target, all] of found) made.push(await joinListing(target, all, parts));
  return made;
}

/** The digest of the files that all listings are in. */
function digestOf([first]: readonly JoinTarget[]): Promise<string> {
  const { source, signal } = (first as JoinTarget).job;
  return digestOfSource(source, signal);
}

function readPartsOf({ name, settings, source }: Job, digest: string, parts: string): ShardPart[] {
  const madeOf = { ...settingsOf(settings, source), source: digest };
  return readParts(join(parts, name), { madeOf, settings, total: source.total, root: parts });
}

async function joinListing(
  { job, files: staging, startReceiver }: JoinTarget,
  all: readonly ShardPart[],
  parts: string,
): Promise<MadePages> {
  const { settings, source, signal, shard } = job;
  const { pageSize, encodings } = settings;
  const { total } = source;
  const task = taskOf(settings, total, shard);
  const made = new MadePages(task, encodings);
  const mergers = await startReceiver(task.collection);
  try {
    for (const part of all) {
      const { folder, manifest } = part;
      await explainingShard(parts, part, async () => {
        const digests = digestsOf(part, encodings);
        const linked = await linkPages(part, staging.folder, new PagePaths(task.collection.path), digests, signal);
        const { warnings, pages } = manifest;
        made.add({ digests: digests.slice(1, digests.pages), warnings, ...linked }, pages.first);
        await mergers.addAll((artifact) => {
          const name = piecesName(artifact);
          return readPieces(join(folder, name), manifest.files[name] ?? "");
        }, signal);
      });
      job.onProgress({ records: Math.min(total, manifest.pages.last * pageSize), total });
    }
    await mergers.finish(signal);
    return made;
  } finally {
    mergers.close();
  }
}

/** Runs a step with the files of a part. @throws UserError that names the shard if a file is missing or damaged. */
async function explainingShard(parts: string, { manifest }: ShardPart, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const why = isMissing(error) ? `${(error as NodeJS.ErrnoException).path} is missing` : (error as Error).message;
    if (!isMissing(error) && !(error instanceof UserError)) throw error;
    throw unjoinable(parts, manifest.shard, `is damaged (${why})`, error);
  }
}

function takeProblems({ folder, manifest }: ShardPart, log: ProblemLog, listing: string): void {
  if (manifest.problems.records === 0) return;
  for (const piece of readPieces(join(folder, PROBLEMS), manifest.files[PROBLEMS] ?? ""))
    log.add(JSON.parse(String(piece)), listing);
}

/** Links the pages of a part, and compares what is linked with their digests. @param digests of the part's pages, numbered from 1 */
async function linkPages(
  { folder, manifest }: ShardPart,
  to: string,
  paths: PagePaths,
  digests: PageDigests,
  signal: AbortSignal | undefined,
): Promise<{ totals: Totals; largest: LargestPage }> {
  const turn = createTurns(LINKS, signal);
  const totals: Totals = { bytes: 0, linked: 0, changed: digests.pages * digests.variants.length };
  let largest: LargestPage = { page: 1, bytes: 0 };
  for (let at = 1; at <= digests.pages; at++) {
    const page = manifest.pages.first - 1 + at;
    for (const variant of digests.variants) {
      const path = paths.path(page, variant);
      if (!linkFile(join(folder, path), join(to, path)))
        throw new UserError(`${folder} and the folder of the releases are not on one file system that has hard links`);
      if (hashPlain(join(to, path)) !== digests.get(at, variant)) throw damaged(join(folder, path));
      const bytes = lstatSync(join(to, path)).size;
      totals.bytes += bytes;
      if (variant === "identity" && bytes > largest.bytes) largest = { page, bytes };
      const wait = turn();
      if (wait) await wait;
    }
  }
  return { totals, largest };
}
