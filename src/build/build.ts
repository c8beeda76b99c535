/** `rollcall build`: reads records from a source, validates every one, and makes a release of them current. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AVATAR_PATH } from "../core/contract/links.js";
import type { Collection } from "../core/contract/page.js";
import { referencesOf, referrersOf } from "../core/contract/references.js";
import { unlessStopped } from "../core/errors.js";
import { AVATAR, CONTRACT, CURRENT, DATA_PACKAGE, FEED, OPENAPI, RECORDS, RELEASES } from "../core/release/layout.js";
import { requireSameListing } from "../core/release/location.js";
import { lockDist } from "../core/release/lock.js";
import { requireClock } from "../core/release/name.js";
import { explainWrite, tidily } from "../core/release/refusals.js";
import { openSiteIfComplete, type Site } from "../core/release/site.js";
import { type StagedFiles, Staging } from "../core/release/staging.js";
import { requireLink } from "../core/release/switch.js";
import type { Complete } from "../core/settings/settings.js";
import { WHOLE } from "../core/shards.js";
import { keepSourceColumns, noteNewColumns, readSourceColumns } from "../core/source/source-columns.js";
import { Mergers } from "./artifacts/artifacts.js";
import { writeChanges } from "./artifacts/changes.js";
import { describePackage, packagedFiles } from "./artifacts/data-package.js";
import { findNews } from "./artifacts/feed/news.js";
import { writeSiteFiles } from "./artifacts/top-files.js";
import { makeCurrent, type WrittenListing } from "./finish.js";
import { openJobs } from "./jobs.js";
import { resultOf, totalOf } from "./listing-results.js";
import { reportLookup } from "./lookup-report.js";
import { notesOf } from "./notes.js";
import { type BuildEffects, type BuildOptions, requireAllRecords, resolveSite, type SiteSettings } from "./options.js";
import { type Job, type MadePages, makePages, type PageTarget, poolFor } from "./pipeline.js";
import { ProblemLog } from "./problems.js";
import type { BuildResult, ListingResult } from "./result.js";
import { openSigner, type Signer } from "./signer.js";
import { type WrittenView, WrittenViews } from "./views/written-views.js";

/**
 * Publishes the records of `options.db` as the current release of `options.dist`: one listing, or with `listings` several, as of
 * one point in time. A build that fails at any moment leaves the current release unchanged.
 * @throws InvalidRecordsError when records are invalid; UserError for everything else that a user can correct.
 */
export async function build(options: Complete<BuildOptions>, effects: BuildEffects = {}): Promise<BuildResult> {
  const settings = await resolveSite(options);
  if (settings.join !== undefined) requireAllRecords(settings, "--join");
  return unlessStopped(effects.signal, () => run(settings, effects));
}

const NO_ROWS = { before: 0, rows: 0 };

async function run(settings: SiteSettings, effects: BuildEffects): Promise<BuildResult> {
  const { now = () => new Date(), onProgress = () => {}, signal } = effects;
  const { dist, location, force, signKey, join: parts } = settings;
  const log = new ProblemLog(settings.problems, dist);
  let jobs: readonly Job[] = [];
  let unlock: (() => void) | undefined;
  try {
    requireClock(now());
    // Report a wrong password before anything is read.
    const signer = signKey === undefined ? undefined : await openSigner(signKey, effects.signPassword);
    signal?.throwIfAborted();
    // Locking would create `dist`, so a new `dist` is locked only after the source was accepted.
    unlock = existsSync(dist) ? lockDist(dist, now()) : undefined;
    // Refuse another listing before anything is read.
    await requireSameListing(dist, location, force);
    // A join reads the parts instead of the rows.
    const rowsOf = parts === undefined ? undefined : () => NO_ROWS;
    const opened = await openJobs(settings, { log, signal, shard: WHOLE, onProgress, rowsOf });
    jobs = opened.jobs;
    onProgress({ records: 0, total: opened.total });
    unlock ??= lockDist(dist, now());
    // Again, since another build may have made `dist` meanwhile.
    const movedFrom = await requireSameListing(dist, location, force);
    return await write(settings, jobs, log, now, signer, movedFrom);
  } catch (error) {
    throw explainWrite(dist, error);
  } finally {
    unlock?.();
    log.discard();
    jobs[0]?.source.close();
  }
}

async function write(
  settings: SiteSettings,
  jobs: readonly Job[],
  log: ProblemLog,
  now: () => Date,
  signer: Signer | undefined,
  movedFrom: string | undefined,
): Promise<BuildResult> {
  const { dist, keep, baseUrl, location, gatesOf, db } = settings;
  requireLink(dist);
  const known = readSourceColumns(dist);
  // A broken release counts as none: this build replaces it.
  const previous = await openSiteIfComplete(join(dist, CURRENT));
  const untidied: string[] = [];
  const staging = new Staging(dist, untidied);
  const written: WrittenListing[] = [];
  try {
    const targets = jobs.map((job) => targetOf(job, jobs, staging, previous));
    const made = await makeOrJoin(targets, log, settings.join);
    for (const [at, target] of targets.entries()) written.push(await finishListing(target, made[at] as MadePages));
    const top = settings.isPlain ? undefined : await beginTop(staging, settings, written, previous);
    const files = top ?? written[0]?.stage.staging;
    for (const { path, text } of settings.hostFiles) files?.put(path, text);
    const { feed, title, explorer } = settings;
    const site = { dist, location, gatesOf, staging, listings: written, top, previous, feed, title, explorer };
    const published = await makeCurrent(site, { keep, now: now(), untidied, signer });
    const { gates, ...named } = published;
    const folder = join(dist, RELEASES, published.name);
    const listings = new Map<string, ListingResult>();
    for (const [at, listing] of written.entries())
      listings.set(listing.name, resultOf(listing, made[at] as MadePages, jobs[at] as Job, gates.get(listing.name)));
    // The release is current: from here on, nothing fails the run.
    const notes = await tidily(untidied, "The notes on this release could not be made", [], () =>
      notesOf(settings, folder, movedFrom, published, published.switched ? previous : undefined, written),
    );
    if (published.switched || known === undefined)
      await tidily(untidied, "The columns of the source could not be kept", undefined, async () =>
        keepSourceColumns(dist, known, jobs),
      );
    return {
      ...named,
      folder,
      ...totalOf(listings, settings.explorer ? `${baseUrl}/` : undefined),
      problems: log.report,
      sourceNotes: [...(jobs[0]?.source.notes ?? []), ...noteNewColumns(known, db, jobs)],
      signedWith: signer?.key,
      notes,
    };
  } catch (error) {
    staging.discard();
    throw error;
  } finally {
    for (const { changes } of written) changes?.matches?.close();
  }
}

interface Target extends PageTarget {
  files: StagedFiles;
  startReceiver(collection: Collection): Promise<Mergers>;
  /** The views that the last receiver has written. */
  views(): readonly WrittenView[];
}

function targetOf(job: Job, all: readonly Job[], staging: Staging, previous: Site | undefined): Target {
  const { name, settings } = job;
  const { contract, data, described, encodings, workers } = settings;
  const before = previous?.listings.find((listing) => listing.name === name)?.release;
  const files = staging.begin(name, contract.listing.path, before);
  const others = all.map(({ name, settings: { contract, views } }) => ({ name, contract, views }));
  const referrers = referrersOf(name, others);
  const isReferredTo = others.some(({ contract }) => referencesOf(contract).some(({ to }) => to === name));
  // A site has its feed at the top.
  const feed = settings.feed ? `${"../".repeat(name === "" ? 0 : name.split("/").length)}${FEED}` : undefined;
  let written: WrittenViews | undefined;
  const startReceiver = (collection: Collection) => {
    written = new WrittenViews({ name, contract, collection, encodings, files, previous: before, workers });
    return Mergers.start(data, {
      contract,
      collection,
      sink: files,
      isReferredTo,
      page: { files: described.files, referrers, feed },
      views: written,
    });
  };
  return { job, files, previous: before, startReceiver, views: () => written?.views ?? [] };
}

/** Writes the files at the top of a site, but for those that name all others. */
async function beginTop(
  staging: Staging,
  site: Pick<SiteSettings, "baseUrl" | "title" | "description" | "dataPackage" | "feed">,
  listings: readonly WrittenListing[],
  previous: Site | undefined,
): Promise<StagedFiles> {
  const top = staging.begin("", undefined, previous?.top && { ...previous, ...previous.top });
  const described = listings.map(({ name, settings, facts, stage: { staging, digests } }) => ({
    name,
    ...settings,
    count: facts.count,
    packaged: packagedFiles(staging.folder, staging.sums(digests).others),
  }));
  await writeSiteFiles(top, site, described);
  return top;
}

/** Makes the pages from records, or takes them from parts that several machines have made. */
async function makeOrJoin(
  targets: readonly Target[],
  log: ProblemLog,
  parts: string | undefined,
): Promise<MadePages[]> {
  if (parts !== undefined) {
    const { joinParts } = await import("./shards/join.js");
    return joinParts(targets, log, parts);
  }
  const pool = poolFor(targets.map(({ job }) => job));
  try {
    return await makePages(targets, pool);
  } finally {
    await pool.end();
  }
}

/** Writes the files of a listing that are not made from its pages. */
async function finishListing(
  { job, files: staging, previous, views }: Target,
  made: MadePages,
): Promise<WrittenListing> {
  const { name, settings, source, signal } = job;
  const { contract, encodings } = settings;
  const { task, digests, totals, warnings } = made;
  staging.put(CONTRACT, contract.text);
  staging.put(OPENAPI, settings.description);
  if (settings.carriesAvatar) staging.put(AVATAR_PATH, AVATAR);
  if (settings.described.files.includes(DATA_PACKAGE))
    staging.put(DATA_PACKAGE, describePackage(contract, packagedFiles(staging.folder, staging.sums(digests).others)));
  signal?.throwIfAborted();
  const { collection } = task;
  const { count, pages, pageSize: page_size, baseUrl: base_url, links } = collection;
  const state = staging.sums(digests).others.get(RECORDS) ?? "";
  const facts = {
    contract: contract.listing.version,
    count,
    pages,
    page_size,
    base_url,
    links,
    encodings,
    skipped: source.total - count,
    state,
    warnings,
    ...(settings.site !== undefined && { site: settings.site }),
  };
  const stage = { staging, digests, collection, state, previous };
  const changes = await writeChanges(stage, settings, signal);
  const news = settings.feed ? await findNews(stage, settings, changes?.matches, signal) : undefined;
  // The matches were closed with the diff of the news.
  const matches = news ? undefined : changes?.matches;
  const lookup = reportLookup(settings, staging.folder, staging.sums(digests).others);
  return {
    name,
    settings,
    stage,
    totals,
    facts,
    changes: changes && { ...changes, matches },
    news,
    lookup,
    views: views(),
  };
}
