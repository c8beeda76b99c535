/** `rollcall build`: reads records from SQLite, validates every one, and publishes them as a release, or refuses. */
import { join } from "node:path";
import { AVATAR_PATH } from "../contract/links.js";
import { unlessStopped } from "../errors.js";
import { AVATAR, BULK, CONTRACT, CURRENT, OPENAPI, RECORDS, RELEASES } from "../release/layout.js";
import { lockDist } from "../release/lock.js";
import { requireClock } from "../release/name.js";
import { openIfWhole, type Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import { openSigner, type Signer } from "../release/signature/signer.js";
import { Staging } from "../release/staging.js";
import { requireLink } from "../release/switch.js";
import { checkOptions } from "../settings/options.js";
import { WHOLE } from "../shards/cut.js";
import { openSource, type Source } from "../source/open.js";
import { type WrittenChanges, writeChanges } from "./changes.js";
import type { BuildEffects, BuildOptions, BuildSettings } from "./options.js";
import { BUILD_EFFECTS, resolveOptions } from "./options.js";
import type { WrittenPages } from "./page-writer.js";
import { ProblemLog } from "./problems.js";
import { makeCurrent } from "./publish.js";
import { type BuildResult, explorerAddress, reportLookup, type Timings } from "./result.js";
import { type Job, writePages } from "./write-pages.js";

/**
 * Publishes the records of `options.db` as the current release of `options.out`. A build that fails, at whatever moment,
 * leaves the current release as it was.
 * @throws InvalidRecordsError when records are invalid; UserError for everything else that a person can correct.
 */
export async function build(options: BuildOptions, effects: BuildEffects = {}): Promise<BuildResult> {
  const began = performance.now();
  const settings = await resolveOptions(options);
  const checked = checkOptions("build's second argument", effects, BUILD_EFFECTS);
  return unlessStopped(checked.signal, () => run(settings, checked, began));
}

const NO_ROWS = { before: 0, rows: 0 };

async function run(settings: BuildSettings, effects: BuildEffects, began: number): Promise<BuildResult> {
  const { now = () => new Date(), onProgress = () => {}, signal } = effects;
  const log = new ProblemLog(settings.problemsFile, settings.out);
  let source: Source | undefined;
  try {
    requireClock(now());
    const { signKey } = settings;
    // A wrong password costs nothing then.
    const signer = signKey === undefined ? undefined : await openSigner(signKey, effects.signPassword);
    signal?.throwIfAborted();
    const { join: parts } = settings;
    // What is joined is not read again.
    source = await openSource({ ...settings, rowsOf: parts === undefined ? undefined : () => NO_ROWS });
    onProgress({ records: 0, total: source.count });
    const unlock = lockDist(settings.out, now());
    const open = performance.now() - began;
    try {
      const job = { settings, source, log, onProgress, signal, shard: WHOLE };
      const { timings, ...result } = await write(job, now, signer);
      return { ...result, timings: { open, ...timings } };
    } finally {
      unlock();
    }
  } catch (error) {
    throw explainWrite(settings.out, error);
  } finally {
    log.discard();
    source?.close();
  }
}

type Written = Omit<BuildResult, "timings"> & { timings: Omit<Timings, "open"> };

async function write(job: Job, now: () => Date, signer: Signer | undefined): Promise<Written> {
  const began = performance.now();
  const { out, encodings } = job.settings;
  requireLink(out);
  // A broken release counts as none, and this build replaces it.
  const previous = await openIfWhole(join(out, CURRENT));
  const untidied: string[] = [];
  let changes: WrittenChanges | undefined;
  const staging = new Staging(out, job.settings.contract, untidied);
  try {
    const written = await makePages(job, staging, previous);
    const writtenAt = performance.now();
    staging.listOther(RECORDS, written.records);
    for (const [path, digest] of [...(written.bulk?.files ?? []), ...(written.gathered?.files ?? [])])
      staging.listOther(path, digest);
    if (written.bulk) await staging.writeOther(BULK, written.bulk.text);
    await staging.writeOther(CONTRACT, job.settings.contract.text);
    await staging.writeOther(OPENAPI, job.settings.description);
    if (job.settings.carriesAvatar) await staging.writeOther(AVATAR_PATH, AVATAR);
    for (const { path, text } of job.settings.extraFiles) await staging.writeOther(path, text);
    job.signal?.throwIfAborted();
    const { count, pages, pageSize: page_size, baseUrl: base_url, links } = written.collection;
    const { totals, warnings, workers, spent: threads } = written;
    const skipped = job.source.count - count;
    const collected = { count, pages, page_size, base_url, links, encodings, skipped, state: written.records };
    const facts = { contract: job.settings.contract.listing.version, ...collected, warnings: { ...warnings } };
    const stage = { staging, written, previous };
    changes = await writeChanges(stage, job.settings, job.signal);
    const published = await makeCurrent(job.settings, stage, facts, { now: now(), untidied, signer, changes });
    const folder = join(out, RELEASES, published.name);
    const { bytes, linked } = totals;
    const made = { folder, records: count, pages, bytes, linked, skipped, warnings };
    const lookup = reportLookup(job.settings, { folder, files: written.gathered?.files ?? [] });
    const spent = { write: writtenAt - began, lookup: written.gathered?.milliseconds };
    const timings = { ...spent, publish: performance.now() - writtenAt, threads };
    return {
      ...published,
      ...made,
      problems: job.log.report,
      signedWith: signer?.key,
      ...{ changes: changes?.report, lookup, explorer: explorerAddress(job.settings), workers, timings },
    };
  } catch (error) {
    staging.discard();
    throw error;
  } finally {
    changes?.matches?.close();
  }
}

/** Reads the records, or takes what several machines have made of them. */
async function makePages(job: Job, staging: Staging, previous: Release | undefined): Promise<WrittenPages> {
  const { join: parts } = job.settings;
  if (parts === undefined) return writePages(job, staging, previous);
  const { joinParts } = await import("./shards/join.js");
  return joinParts(job, staging, previous, parts);
}
