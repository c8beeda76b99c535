/** `rollcall dev`: builds, serves, and builds again whenever an input file changes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { loadContract } from "../contract/file/load.js";
import { basePath } from "../contract/links.js";
import type { UserError } from "../errors.js";
import { type Found, findLargest } from "../init/init.js";
import type { Proposal } from "../init/propose.js";
import { repeat } from "../repeat.js";
import { makeScratch, removeScratch } from "../scratch/folder.js";
import { type Complete, type OptionsFor, withDefaults } from "../settings/settings.js";
import { type Comparison, compare } from "../sides/compare.js";
import { build } from "../snapshot/build.js";
import type { OnBuildProgress } from "../snapshot/options.js";
import type { BuildResult } from "../snapshot/result.js";
import { ForeignSourceError } from "../source/relation.js";
import { type EarlyHost, listenEarly } from "./early-host.js";
import { type Watched, Watcher } from "./watch.js";

/** The settings of one build that `rollcall dev` does not decide itself. */
export interface DevSettings extends Complete<OptionsFor<"dev">> {
  db: string;
}

export interface DevOptions {
  /** The port to listen on; a free one by default. */
  port: number | undefined;
  /** Reads the settings. Called before each build, since the config file may have changed. */
  settings(): Promise<DevSettings>;
  /** The files that `settings` reads, whether they exist or not. */
  files: readonly string[];
}

/** A contract that was made in memory, like by `rollcall init --from`. */
interface MadeContract {
  table: string;
  /** Whether commands must name the table, since there are others. */
  isNamed: boolean;
  /** Other tables and views of the source, of which this one has the most rows. */
  others: readonly string[];
  /** Columns that are not published, because they seem private or cannot be published. */
  left: readonly string[];
}

/** A build that is served now. */
export interface DevBuild {
  /** The URL of the explorer: `http://127.0.0.1:8080/directory/`. */
  url: string;
  db: string;
  contract: Contract;
  /** The file of all problems. */
  problemsFile: string | undefined;
  /** How the contract was made, if none was given and the source is not a directory of users. */
  made: MadeContract | undefined;
  result: BuildResult;
  /** How long the build took. */
  milliseconds: number;
  /** The changed files that led to this build; none for the first one. */
  files: readonly string[];
  /** The differences from the release served before; undefined without any, or without such a release. */
  changes: Comparison | undefined;
}

/** A failed build. The last release is still served. */
interface DevTrouble {
  error: UserError;
  files: readonly string[];
  /** The settings, if they could be read. */
  settings: DevSettings | undefined;
  contract: Contract | undefined;
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
  const host = await listenEarly(options.port, effects.log);
  const watcher = new Watcher();
  const scratch = await makeScratch("dev");
  try {
    effects.onListening(host.origin);
    let served: BuildResult | undefined;
    let files: readonly string[] = [];
    let settings: DevSettings | undefined;
    let contract: Contract | undefined;
    const always = options.files.map((path) => ({ path, isDatabase: false }));
    const step = async () => {
      settings = contract = undefined;
      await watcher.watch(always);
      settings = await options.settings();
      // Watch the files before they are read, so that a change during a build leads to another build.
      await watcher.watch([...always, ...filesOf(settings)]);
      const running = { host, files, served, scratch };
      try {
        contract = await loadContract(settings.contract);
        served = await buildAndServe(settings, { ...running, contract }, effects);
      } catch (error) {
        if (!(error instanceof ForeignSourceError)) throw error;
        const found = await findLargest({ ...settings, from: settings.db }, signal);
        contract = await loadContract(found.contract);
        const { name: table, others } = found;
        const isNamed = others.length > 0 || settings.table !== undefined;
        const made = { table, isNamed, others, left: omittedColumns(found) };
        served = await buildAndServe(withTable(found, settings, scratch), { ...running, contract, made }, effects);
      }
    };
    return await repeat(step, {
      async pause() {
        files = await watcher.whenChanged(signal);
      },
      onTrouble: (error) => effects.onTrouble({ error, files, settings, contract, isServing: served !== undefined }),
      signal,
    });
  } finally {
    watcher.close();
    await host.close();
    removeScratch(scratch);
  }
}

function filesOf({ db, contract, query }: DevSettings): Watched[] {
  const others = [contract, query].filter((path) => typeof path === "string");
  return [{ path: db, isDatabase: true }, ...others.map((path) => ({ path, isDatabase: false }))];
}

/** Columns that a proposed contract does not have. */
function omittedColumns({ columns }: Proposal): string[] {
  return columns.filter(({ schema }) => schema === undefined).map(({ column }) => column);
}

/** The settings that read the table for which a contract was made. */
function withTable({ kind, name, sql }: Found, settings: DevSettings, scratch: string): DevSettings {
  if (kind === "query") return settings;
  if (sql === undefined) return { ...settings, table: name };
  const query = join(scratch, "made.sql");
  writeFileSync(query, sql);
  return { ...settings, table: undefined, query };
}

interface Running {
  host: EarlyHost;
  contract: Contract;
  made?: MadeContract | undefined;
  scratch: string;
  files: readonly string[];
  /** The release that is served so far. */
  served: BuildResult | undefined;
}

/** Old releases to keep: the one to compare with. */
const KEEP = 1;

async function buildAndServe(
  { baseUrl = "http://localhost", ...settings }: DevSettings,
  { host, contract, made, scratch, files, served }: Running,
  { signal, onBegin, onProgress, onBuilt }: DevEffects,
): Promise<BuildResult> {
  await onBegin(contract.listing.words);
  const base = host.origin + basePath(baseUrl);
  const dist = join(scratch, "dist");
  const began = performance.now();
  const result = await build(
    withDefaults("build", {
      ...settings,
      contract: contract.file,
      baseUrl: base,
      dist,
      keep: KEEP,
      lookup: true,
      explorer: true,
      // The contract may give the listing another path.
      force: true,
    }),
    { signal, onProgress },
  );
  const milliseconds = performance.now() - began;
  await host.show(dist);
  const isOther = served !== undefined && served.id !== result.id;
  const { workers } = settings;
  const changes = isOther
    ? await compare(withDefaults("diff", { old: served.id, new: result.id, dist, workers }), { signal })
    : undefined;
  try {
    const { db, problems: problemsFile } = settings;
    await onBuilt({
      url: result.explorer ?? base,
      db,
      contract,
      made,
      problemsFile,
      result,
      milliseconds,
      files,
      changes,
    });
  } finally {
    changes?.close();
  }
  return result;
}
