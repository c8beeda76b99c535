/** `rollcall build`: reads records from a source, validates every one, and makes a release of them current. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Mergers } from "../artifacts/artifacts.js";
import { type WrittenChanges, writeChanges } from "../artifacts/changes.js";
import { AVATAR_PATH } from "../contract/links.js";
import type { Collection } from "../contract/page.js";
import { unlessStopped } from "../errors.js";
import { AVATAR, CONTRACT, CURRENT, explorerPath, OPENAPI, RECORDS, RELEASES } from "../release/layout.js";
import { requireSameListing } from "../release/listing.js";
import { lockDist } from "../release/lock.js";
import { requireClock } from "../release/name.js";
import { openIfComplete, type Release } from "../release/open.js";
import { explainWrite } from "../release/refusals.js";
import { openSigner, type Signer } from "../release/signer.js";
import { Staging } from "../release/staging.js";
import { requireLink } from "../release/switch.js";
import type { Complete } from "../settings/settings.js";
import { WHOLE } from "../shards/cut.js";
import { openSource, type Source } from "../source/open.js";
import { notesOf } from "./notes.js";
import type { BuildEffects, BuildOptions, BuildSettings } from "./options.js";
import { resolveOptions } from "./options.js";
import { type Job, type MadePages, makePages, reportRead } from "./pipeline.js";
import { ProblemLog } from "./problems.js";
import { makeCurrent } from "./publish.js";
import { type BuildResult, reportLookup } from "./result.js";

/**
 * Publishes the records of `options.db` as the current release of `options.dist`. A build that fails at any moment leaves
 * the current release unchanged.
 * @throws InvalidRecordsError when records are invalid; UserError for everything else that a user can correct.
 */
export async function build(options: Complete<BuildOptions>, effects: BuildEffects = {}): Promise<BuildResult> {
  const settings = await resolveOptions(options);
  return unlessStopped(effects.signal, () => run(settings, effects));
}

const NO_ROWS = { before: 0, rows: 0 };

async function run(settings: BuildSettings, effects: BuildEffects): Promise<BuildResult> {
  const { now = () => new Date(), onProgress = () => {}, signal } = effects;
  const { dist, baseUrl, contract, force, signKey, join: parts } = settings;
  const listing = { baseUrl, path: contract.listing.path };
  const log = new ProblemLog(settings.problems, dist);
  let source: Source | undefined;
  let unlock: (() => void) | undefined;
  try {
    requireClock(now());
    // Report a wrong password before anything is read.
    const signer = signKey === undefined ? undefined : await openSigner(signKey, effects.signPassword);
    signal?.throwIfAborted();
    // Locking would create `dist`, so a new `dist` is locked only after the source was accepted.
    unlock = existsSync(dist) ? lockDist(dist, now()) : undefined;
    // Refuse another listing before anything is read.
    await requireSameListing(dist, listing, force);
    // A join reads the parts instead of the rows.
    const rowsOf = parts === undefined ? undefined : () => NO_ROWS;
    source = await openSource({ ...settings, rowsOf, onRead: reportRead(onProgress) }, signal);
    onProgress({ records: 0, total: source.total });
    unlock ??= lockDist(dist, now());
    // Again, since another build may have made `dist` meanwhile.
    const movedFrom = await requireSameListing(dist, listing, force);
    const job = { settings, source, log, onProgress, signal, shard: WHOLE };
    return await write(job, now, signer, movedFrom);
  } catch (error) {
    throw explainWrite(dist, error);
  } finally {
    unlock?.();
    log.discard();
    source?.close();
  }
}

async function write(
  job: Job,
  now: () => Date,
  signer: Signer | undefined,
  movedFrom: string | undefined,
): Promise<BuildResult> {
  const { settings, signal } = job;
  const { dist, contract, encodings } = settings;
  requireLink(dist);
  // A broken release counts as none: this build replaces it.
  const previous = await openIfComplete(join(dist, CURRENT));
  const untidied: string[] = [];
  let changes: WrittenChanges | undefined;
  const staging = new Staging(dist, contract, untidied, previous);
  try {
    const { task, digests, totals, largest, warnings } = await makeOrJoin(job, staging, previous);
    staging.put(CONTRACT, contract.text);
    staging.put(OPENAPI, settings.description);
    if (settings.carriesAvatar) staging.put(AVATAR_PATH, AVATAR);
    for (const { path, text } of settings.forHosts) staging.put(path, text);
    signal?.throwIfAborted();
    const { collection } = task;
    const { count, pages, pageSize: page_size, baseUrl: base_url, links } = collection;
    const skipped = job.source.total - count;
    const state = staging.sums(digests).others.get(RECORDS) ?? "";
    const facts = {
      contract: contract.listing.version,
      count,
      pages,
      page_size,
      base_url,
      links,
      encodings,
      skipped,
      state,
      warnings,
    };
    const stage = { staging, digests, collection, state, previous };
    changes = await writeChanges(stage, settings, signal);
    const published = await makeCurrent(settings, stage, totals, facts, { now: now(), untidied, signer, changes });
    const folder = join(dist, RELEASES, published.name);
    return {
      ...published,
      folder,
      records: count,
      pages,
      bytes: totals.bytes,
      largestPage: largest,
      linked: totals.linked,
      skipped,
      warnings,
      problems: job.log.report,
      signedWith: signer?.key,
      changes: changes?.report,
      lookup: reportLookup(settings, folder, staging.sums(digests).others),
      explorer: settings.explorer ? settings.baseUrl + explorerPath(contract.listing.path) : undefined,
      notes: await notesOf(settings, folder, movedFrom),
    };
  } catch (error) {
    staging.discard();
    throw error;
  } finally {
    changes?.matches?.close();
  }
}

/** Makes the pages from records, or takes them from parts that several machines have made. */
async function makeOrJoin(job: Job, staging: Staging, previous: Release | undefined): Promise<MadePages> {
  const { contract, data, files, join: parts } = job.settings;
  const merge = (collection: Collection) => Mergers.start(data, { contract, collection, sink: staging, files });
  if (parts === undefined) return makePages(job, staging, previous, merge);
  const { joinParts } = await import("./shards/join.js");
  return joinParts(job, staging, parts, merge);
}
