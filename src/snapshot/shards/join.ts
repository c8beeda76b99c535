/** `rollcall build --join`: joins parts into the release that one machine would have built. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Mergers } from "../../artifacts/artifacts.js";
import type { Collection } from "../../contract/page.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import { isMissing, UserError, usageError } from "../../errors.js";
import { PagePaths } from "../../release/layout.js";
import { findDigest } from "../../release/plain-files.js";
import { PageDigests } from "../../release/sums.js";
import { linkFile } from "../../release/writer.js";
import { createTurns } from "../../workers/turns.js";
import type { LargestPage, Totals } from "../page-writer.js";
import { damaged, readPieces } from "../pieces.js";
import { type Job, type MadePages, taskOf } from "../pipeline.js";
import { InvalidRecordsError, type ProblemLog } from "../problems.js";
import { digestsOf, readParts, unjoinable } from "./check.js";
import { digestOfSource, settingsOf } from "./made-of.js";
import { PROBLEMS, piecesName, type ShardPart } from "./part.js";

/** Files that are linked before the event loop gets a turn. */
const LINKS = 500;
/** Bytes of a file that are hashed at once. */
const BLOCK = 2 ** 18;

/**
 * Joins all parts. Hashes and hard-links their pages, so parts do not change, and a join that was killed can be run again.
 * @param staging must be on the file system of the parts. @param parts the folder of parts
 * @throws InvalidRecordsError as one machine would; UserError with the shard that cannot be joined, and the command that makes it again
 */
export async function joinParts(
  job: Job,
  staging: { folder: string },
  parts: string,
  startMerging: (collection: Collection) => Promise<Mergers>,
): Promise<MadePages> {
  const { settings, source, signal, log, shard } = job;
  const { contract, pageSize, encodings, db } = settings;
  if (settings.skipInvalid)
    throw usageError("--skip-invalid and --join exclude each other: shards do not leave out records.");
  const { total } = source;
  const madeOf = { ...settingsOf(settings, source), source: await digestOfSource(source, db, signal) };
  const all = readParts(parts, { madeOf, settings, total });
  log.open();
  for (const part of all) takeProblems(part, log);
  log.finish();
  if (log.report.records > 0) throw new InvalidRecordsError(log.report, total, contract.listing);
  const task = taskOf(settings, total, shard);
  const digests = new PageDigests(task.collection.pages, ["identity", ...encodings]);
  const totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  const largest: LargestPage = { page: 1, bytes: 0 };
  const warnings: WarningCounts = {};
  const mergers = await startMerging(task.collection);
  try {
    for (const part of all) {
      const { folder, manifest } = part;
      await explainingShard(parts, part, async () => {
        const own = digestsOf(part, encodings);
        digests.fill(manifest.pages.first, own.slice(1, own.pages));
        await linkPages(part, staging.folder, {
          paths: new PagePaths(task.collection.path),
          digests: own,
          totals,
          largest,
          signal,
        });
        await mergers.takeAll((artifact) => {
          const name = piecesName(artifact);
          return readPieces(join(folder, name), manifest.files[name] ?? "");
        }, signal);
      });
      for (const [kind, records] of Object.entries(manifest.warnings)) countWarning(warnings, kind, records);
      job.onProgress({ records: Math.min(total, manifest.pages.last * pageSize), total });
    }
    const began = performance.now();
    await mergers.finish(signal);
    const spent = { read: 0, check: 0, digest: 0, write: 0, collect: 0 };
    return { ...task, digests, totals, largest, warnings, workers: 0, spent, merged: performance.now() - began };
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

function takeProblems({ folder, manifest }: ShardPart, log: ProblemLog): void {
  if (manifest.problems.records === 0) return;
  for (const piece of readPieces(join(folder, PROBLEMS), manifest.files[PROBLEMS] ?? ""))
    log.add(JSON.parse(String(piece)));
}

interface LinkOptions {
  paths: PagePaths;
  /** The digests of the part's pages, numbered from 1. */
  digests: PageDigests;
  /** The step adds to these. */
  totals: Totals;
  largest: LargestPage;
  signal: AbortSignal | undefined;
}

/** Links the pages of a part, and compares what is linked with their digests. */
async function linkPages(
  { folder, manifest }: ShardPart,
  to: string,
  { paths, digests, totals, largest, signal }: LinkOptions,
): Promise<void> {
  const turn = createTurns(LINKS, signal);
  const memory = Buffer.allocUnsafe(BLOCK);
  for (let at = 1; at <= digests.pages; at++) {
    const page = manifest.pages.first - 1 + at;
    for (const variant of digests.variants) {
      const path = paths.path(page, variant);
      if (!linkFile(join(folder, path), join(to, path)))
        throw new UserError(`${folder} and the folder of the releases are not on one file system that has hard links`);
      if (findDigest(join(to, path), memory) !== digests.get(at, variant)) throw damaged(join(folder, path));
      const bytes = lstatSync(join(to, path)).size;
      totals.bytes += bytes;
      if (variant === "identity" && bytes > largest.bytes) Object.assign(largest, { page, bytes });
      const wait = turn();
      if (wait) await wait;
    }
  }
  totals.changed += digests.pages * digests.variants.length;
}
