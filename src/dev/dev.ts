/** `rollcall dev`: builds, serves, and builds again whenever an input file changes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../build/build.js";
import type { OnBuildProgress } from "../build/options.js";
import type { BuildResult, ListingResult } from "../build/result.js";
import type { Contract } from "../core/contract/contract.js";
import { loadContract } from "../core/contract/file/load.js";
import { basePath } from "../core/contract/links.js";
import { USERS_CONTRACT } from "../core/contract/users.js";
import { type UserError, usageError } from "../core/errors.js";
import { shellWord } from "../core/print/text.js";
import { RECORDS_WORDS, type ReleaseListing, type Site } from "../core/release/site.js";
import { makeScratch, removeScratch } from "../core/scratch/folder.js";
import { withoutGates } from "../core/settings/merge.js";
import { variableOf } from "../core/settings/names.js";
import { type Complete, type OptionsFor, withDefaults } from "../core/settings/settings.js";
import { ForeignSourceError } from "../core/source/relation.js";
import { copySourceColumns } from "../core/source/source-columns.js";
import { findTextFiles, isFolder, sourceFiles } from "../core/source/text-files.js";
import { type SourcePath, shellSource } from "../core/source/text-format.js";
import { type DiffResult, diff } from "../diff/diff.js";
import type { Found, FoundListing } from "../init/found.js";
import { titleOf } from "../init/names.js";
import { type FoundSource, findSource, type LeftTable, notesOn, omittedColumns, tablesOf } from "../init/source.js";
import { type EarlyServer, listenEarly } from "./early-server.js";
import { repeat } from "./repeat.js";
import { type Watched, Watcher } from "./watch.js";

/** The settings of one build that `rollcall dev` does not decide itself. */
export interface DevSettings extends Complete<OptionsFor<"dev">> {
  db: SourcePath;
}

export interface DevOptions {
  /** The port to listen on; a free one by default. */
  port: number | undefined;
  /** Reads the settings. Called before each build, since the config file may have changed. */
  settings(): Promise<DevSettings>;
  /** The files that `settings` reads, whether they exist or not. */
  files: readonly string[];
}

/** Contracts that were made in memory, like by `rollcall init --from`. */
interface MadeContracts {
  listings: readonly MadeListing[];
  /** The command that writes them to files. */
  command: string;
  /** Other tables and views of the source, and why each is not shown. */
  left: readonly LeftTable[];
  /** What a user should know about names, foreign keys, row numbers as keys, null and private data. */
  notes: readonly string[];
}

interface MadeListing {
  /** The name of the listing; empty if it is the only one. */
  name: string;
  kind: Found["kind"];
  /** The name of the table, view, query or file. */
  table: string;
  /** Columns that are not published, because they seem private or cannot be published. */
  omitted: readonly string[];
}

/** A listing that is served now. */
export interface DevListing extends ReleaseListing {
  result: ListingResult;
  /** The differences from the release served before; undefined without any, or without such a listing. */
  changes: DiffResult | undefined;
  /** Whether a release was served before, without such a listing. */
  isNew: boolean;
}

/** A build that is served now. */
export interface DevBuild {
  /** The URL of the explorer: `http://127.0.0.1:8080/directory/`; of several listings, that of the site. */
  url: string;
  db: SourcePath;
  listings: readonly DevListing[];
  /** Listings that the release served before has, and this one does not. */
  removed: readonly string[];
  problemsFile: string | undefined;
  /** How contracts were made, if none was given and the source is not a directory of users. */
  made: MadeContracts | undefined;
  /** Other tables and views of a directory of users, which are not shown. */
  others: readonly string[];
  result: BuildResult;
  /** How long the build took. */
  milliseconds: number;
  /** The changed files that led to this build; none for the first one. */
  files: readonly string[];
}

/** A failed build. The last release is still served. */
interface DevTrouble {
  error: UserError;
  files: readonly string[];
  /** The settings, if they could be read. */
  settings: DevSettings | undefined;
  /** Whether a release is served. */
  isServing: boolean;
}

/** Shows what a run does. */
export interface DevScreen {
  /** Called when it listens, before the first build. */
  onListening(origin: string): void;
  /** Called after each build. `changes` can be read until the promise resolves. */
  onBuilt(built: DevBuild): Promise<void>;
  /** Called after each failed build. */
  onTrouble(trouble: DevTrouble): Promise<void>;
}

export interface DevEffects extends DevScreen {
  /** Called when a build begins. @param words the contract's words for one record and for many. */
  onBegin(words: Contract["listing"]["words"]): Promise<void>;
  onProgress: OnBuildProgress;
  /** Called with a line for each problem of the server. */
  log(line: string): void;
  signal: AbortSignal;
}

/** Builds and serves until stopped. @throws the signal's reason; UserError if it cannot listen. */
export async function dev(options: DevOptions, effects: DevEffects): Promise<never> {
  const { signal } = effects;
  const server = await listenEarly(options.port, effects.log);
  const watcher = new Watcher();
  const scratch = await makeScratch("dev");
  try {
    effects.onListening(server.origin);
    let served: Site | undefined;
    let files: readonly string[] = [];
    let settings: DevSettings | undefined;
    const always = options.files.map((path) => ({ path, isDatabase: false }));
    const step = async () => {
      settings = undefined;
      await watcher.watch(always);
      settings = await options.settings();
      if (served === undefined) copySourceColumns(settings.dist, join(scratch, DIST));
      requireNoContract(settings);
      // Watch the files before they are read, so that a change during a build leads to another build.
      await watcher.watch([...always, ...watchedFor(settings)]);
      const running = { server, files, served, scratch };
      try {
        served = await buildAndServe(settings, running, effects);
      } catch (error) {
        if (!(error instanceof ForeignSourceError) || settings.listings !== undefined) throw error;
        const found = await findSource({ ...settings, from: settings.db, references: true }, signal);
        const made = withMade(found, settings, scratch);
        served = await buildAndServe(made, { ...running, made: describeMade(found, settings) }, effects);
      }
    };
    return await repeat(step, {
      async pause() {
        files = await watcher.whenChanged(signal);
      },
      onTrouble: (error) => effects.onTrouble({ error, files, settings, isServing: served !== undefined }),
      signal,
    });
  } finally {
    watcher.close();
    await server.close();
    removeScratch(scratch);
  }
}

/** @throws UserError (usage) if `--decimal` would be ignored, since a contract is given */
function requireNoContract({ decimal, contract, listings }: DevSettings): void {
  if (decimal === undefined || (contract === undefined && listings === undefined)) return;
  throw usageError(
    "--decimal is for a contract that dev makes, and this source has one. Remove it, or write another contract with rollcall init --decimal.",
  );
}

function watchedFor({ db, contract, query, listings = {} }: DevSettings): Watched[] {
  const own = Object.values(listings).flatMap((listing) => [listing["contract"], listing["query"]]);
  const others = [contract, query, ...own].filter((path) => typeof path === "string");
  // A folder changes when a file comes or goes.
  if (typeof db === "string" && isFolder(db)) others.push(db);
  return [
    ...sourceFiles(db).map((path) => ({ path, isDatabase: true })),
    ...others.map((path) => ({ path, isDatabase: false })),
  ];
}

function describeMade({ listings, left, notes }: FoundSource, settings: DevSettings): MadeContracts {
  const made = listings.map(({ name, found }) => {
    return { name, kind: found.kind, table: found.name, omitted: omittedColumns(found) };
  });
  const [first] = made;
  const flags = first?.name === "" ? [] : ["--all", ...(listings.some(hasNamedReference) ? ["--references"] : [])];
  const command = [initCommand(settings), ...flags].join(" ");
  return { listings: made, command, left, notes: [...notes, ...listings.flatMap(notesOn)] };
}

/** Whether a listing of a text file has a reference, which init writes only with a flag. */
function hasNamedReference({ found: { kind, contract } }: FoundListing): boolean {
  return kind === "file" && Object.values(contract.properties).some((field) => field["x-references"] !== undefined);
}

/** The command that reads the same source. */
function initCommand(settings: DevSettings): string {
  const { db, table, query, sourceFormat, separator, quote, encoding, files, decimal = [] } = settings;
  const flags = { table, query, format: sourceFormat, separator, quote, encoding };
  const all: [name: string, value: string | undefined][] = [
    ...Object.entries(flags),
    ...decimal.map((mark): [string, string] => ["decimal", mark]),
  ];
  const given = all.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${shellWord(value)}`]));
  // init reads no config file.
  const variable = files === undefined ? [] : [`${variableOf("files")}=${shellWord(JSON.stringify(files))}`];
  return [...variable, `rollcall init --from ${shellSource(db)}`, ...given].join(" ");
}

/** The settings with contracts that were made, and the settings that read their records. */
function withMade({ listings }: FoundSource, settings: DevSettings, scratch: string): DevSettings {
  const made = listings.map(({ name, found: { kind, name: table, contract, sql } }) => {
    const query = sql === undefined ? settings.query : join(scratch, `made-${name}.sql`);
    if (query !== undefined && sql !== undefined) writeFileSync(query, sql);
    return [name, { contract, query, table: query === undefined && kind !== "query" ? table : undefined }] as const;
  });
  const only = made.find(([name]) => name === "");
  if (only) return { ...settings, ...only[1] };
  return { ...settings, title: settings.title ?? titleOf(settings.db), listings: Object.fromEntries(made) };
}

interface Running {
  server: EarlyServer;
  made?: MadeContracts | undefined;
  scratch: string;
  files: readonly string[];
  /** The release that is served so far. */
  served: Site | undefined;
}

/** The folder of the releases of a run. */
const DIST = "dist";
/** Old releases to keep: the one to compare with. */
const KEEP = 1;

async function buildAndServe(
  { baseUrl = "http://localhost", ...settings }: DevSettings,
  { server, made, scratch, files, served }: Running,
  { signal, onBegin, onProgress, onBuilt }: DevEffects,
): Promise<Site> {
  const { listings } = settings;
  const contract = await loadContract(settings.contract);
  await onBegin(listings === undefined ? contract.listing.words : RECORDS_WORDS);
  const base = server.origin + basePath(baseUrl);
  const dist = join(scratch, DIST);
  const began = performance.now();
  const result = await build(
    withDefaults("build", {
      ...settings,
      contract: listings === undefined ? contract.file : settings.contract,
      listings: listings && withoutGates(listings),
      baseUrl: base,
      dist,
      keep: KEEP,
      lookup: true,
      explorer: true,
      // A change of the contract or of the listings may give another path.
      force: true,
    }),
    { signal, onProgress },
  );
  const milliseconds = performance.now() - began;
  const site = await server.show(dist);
  const shown = await compareListings(site, served, result, { dist, workers: settings.workers, signal });
  try {
    const { db, problems: problemsFile } = settings;
    const names = new Set(shown.map(({ name }) => name));
    await onBuilt({
      url: result.explorer ?? `${base}/`,
      db,
      listings: shown,
      removed: (served?.listings ?? []).map(({ name }) => name).filter((name) => !names.has(name)),
      made,
      others: await findOthers(settings, contract),
      problemsFile,
      result,
      milliseconds,
      files,
    });
  } finally {
    for (const { changes } of shown) changes?.close();
  }
  return site;
}

/** The listings of a release, each compared with the one of that name that was served before. */
async function compareListings(
  { listings }: Site,
  served: Site | undefined,
  result: BuildResult,
  { dist, workers, signal }: { dist: string; workers: number | undefined; signal: AbortSignal },
): Promise<DevListing[]> {
  const shown: DevListing[] = [];
  try {
    for (const { name, release } of listings) {
      const before = served?.listings.find((listing) => listing.name === name)?.release;
      const isOther = before !== undefined && before.snapshot.id !== release.snapshot.id;
      const sides = { old: before?.folder, new: release.folder, dist, workers };
      const changes = isOther ? await diff(withDefaults("diff", sides), { signal }) : undefined;
      const isNew = served !== undefined && before === undefined;
      shown.push({ name, release, result: result.listings?.[name] ?? result, changes, isNew });
    }
    return shown;
  } catch (error) {
    for (const { changes } of shown) changes?.close();
    throw error;
  }
}

/** The tables beside that of the built-in contract, which was not asked for. */
async function findOthers(settings: DevSettings, { listing, text }: Contract): Promise<string[]> {
  const { contract, listings, db, table, query } = settings;
  const isGiven = [contract, listings, table, query].some((value) => value !== undefined);
  if (isGiven || text !== USERS_CONTRACT.text || findTextFiles(db, settings)?.isSeveral === false) return [];
  const [, many] = listing.words;
  return (await tablesOf(db)).filter((name) => name.toLowerCase() !== many);
}
