/** `rollcall dev`: builds, serves, and builds again whenever a file changes that the release is made of. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../contract/contract.js";
import type { DownloadName } from "../contract/downloads.js";
import { loadContract } from "../contract/file/load.js";
import { basePath } from "../contract/links.js";
import type { UserError } from "../errors.js";
import { type Found, findLargest } from "../init/init.js";
import type { Proposal } from "../init/propose.js";
import { repeat } from "../repeat.js";
import type { OptionsOf, SourceSetting } from "../settings/settings.js";
import { type Comparison, compare } from "../sides/compare.js";
import { build } from "../snapshot/build.js";
import type { BuildOptions, OnBuildProgress } from "../snapshot/options.js";
import type { BuildResult } from "../snapshot/result.js";
import { ForeignSourceError } from "../source/relation.js";
import { type EarlyHost, listenEarly } from "./early-host.js";
import { type Look, look, type Watched, whenChanged } from "./watch.js";

/** What one build is told, besides what a run decides itself. */
export interface DevSettings
  extends OptionsOf<SourceSetting | "bulk" | DownloadName | "changes">,
    Pick<BuildOptions, "db" | "problemsFile"> {
  /** Its path is kept; links lead to where the run listens. */
  baseUrl?: string | undefined;
}

export interface DevOptions {
  /** A folder for the releases, which nobody else uses. */
  scratch: string;
  /** The one to listen on; a free one unless given. */
  port: number | undefined;
  /** Asked before each build, since a config file may say something else by then. */
  settings(): Promise<DevSettings>;
  /** The files that `settings` reads, whether they are there or not. */
  files: readonly string[];
}

/** A contract that was made in memory, as `rollcall init --from` would make it. */
interface MadeContract {
  table: string;
  /** Whether the table has to be named, as there are others. */
  isNamed: boolean;
  /** Other tables and views of the source, of which this one has the most rows. */
  others: readonly string[];
  /** Columns that are not published, as they seem to be private or cannot be. */
  left: readonly string[];
}

/** A build that is served now. */
export interface DevBuild {
  /** Where people begin: `http://127.0.0.1:8080/directory/`. */
  url: string;
  db: string;
  contract: Contract;
  problemsFile: string | undefined;
  /** How the contract was made, where none was given and the source is not a directory of users. */
  made: MadeContract | undefined;
  result: BuildResult;
  /** Files whose change it was built for; none for the first one. */
  files: readonly string[];
  /** What differs from what was served until now; undefined where that is nothing, or there was none. */
  changes: Comparison | undefined;
}

/** Nothing can be built from the files as they are. What was built last goes on being served. */
interface DevTrouble {
  error: UserError;
  files: readonly string[];
  /** As far as they could be read. */
  settings: DevSettings | undefined;
  contract: Contract | undefined;
  /** Whether anything was built before. */
  isServing: boolean;
}

/** Shows what a run does. */
export interface DevScreen {
  /** It listens, and the first build begins. */
  onListening(origin: string): void;
  /** `changes` can be read until it has resolved. */
  onBuilt(built: DevBuild): Promise<void>;
  onTrouble(trouble: DevTrouble): Promise<void>;
}

export interface DevEffects extends DevScreen {
  /** A build begins to read. @param words the contract's for one record and for many. */
  onBegin(words: Contract["listing"]["words"]): Promise<void>;
  onProgress: OnBuildProgress;
  /** Is told of trouble with serving, a line each. */
  log(line: string): void;
  signal: AbortSignal;
}

/** Goes on until stopped. @throws what the signal was aborted with; UserError if it cannot listen. */
export async function dev(options: DevOptions, effects: DevEffects): Promise<never> {
  const { signal } = effects;
  const host = await listenEarly(options.port, effects.log);
  try {
    effects.onListening(host.origin);
    let served: BuildResult | undefined;
    let files: readonly string[] = [];
    let seen: Look = new Map();
    let settings: DevSettings | undefined;
    let contract: Contract | undefined;
    const always = options.files.map((path) => ({ path, isDatabase: false }));
    const step = async () => {
      settings = contract = undefined;
      const begun = await look(always);
      seen = begun;
      settings = await options.settings();
      // Before anything is read of them: what changes during a build is seen after it, and leads to another one.
      seen = new Map([...(await look(filesOf(settings))), ...begun]);
      const running = { host, files, served, scratch: options.scratch };
      try {
        contract = await loadContract(settings.contract);
        served = await buildAndServe(settings, { ...running, contract }, effects);
      } catch (error) {
        if (!(error instanceof ForeignSourceError)) throw error;
        const found = await findLargest({ ...settings, from: settings.db }, signal);
        contract = await loadContract(found.contract);
        const { name: table, others } = found;
        const isNamed = others.length > 0 || settings.table !== undefined;
        const made = { table, isNamed, others, left: leftOut(found) };
        served = await buildAndServe(readAs(found, settings, options.scratch), { ...running, contract, made }, effects);
      }
    };
    return await repeat(step, {
      async pause() {
        files = [...new Set(await whenChanged(seen, signal))];
      },
      onTrouble: (error) => effects.onTrouble({ error, files, settings, contract, isServing: served !== undefined }),
      signal,
    });
  } finally {
    await host.close();
  }
}

function filesOf({ db, contract, query }: DevSettings): Watched[] {
  const others = [contract, query].filter((path) => typeof path === "string");
  return [{ path: db, isDatabase: true }, ...others.map((path) => ({ path, isDatabase: false }))];
}

/** Names of columns that a proposed contract does not have. */
function leftOut({ columns }: Proposal): string[] {
  return columns.filter(({ schema }) => schema === undefined).map(({ column }) => column);
}

/** The settings that read what a contract was made for. */
function readAs({ kind, name, sql }: Found, settings: DevSettings, scratch: string): DevSettings {
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
  /** What is served until now. */
  served: BuildResult | undefined;
}

/** Old releases that stay: the one to compare with. */
const KEEP = 1;

async function buildAndServe(
  { baseUrl = "http://localhost", ...settings }: DevSettings,
  { host, contract, made, scratch, files, served }: Running,
  { signal, onBegin, onProgress, onBuilt }: DevEffects,
): Promise<BuildResult> {
  await onBegin(contract.listing.words);
  const base = host.origin + basePath(baseUrl);
  const dist = join(scratch, "dist");
  const result = await build(
    { ...settings, contract: contract.file, baseUrl: base, dist, keep: KEEP, lookup: true, explorer: true },
    { signal, onProgress },
  );
  await host.show(dist);
  const isOther = served !== undefined && served.id !== result.id;
  const { workers } = settings;
  const changes = isOther
    ? await compare(
        { old: served.id, new: result.id, dist, workers },
        { scratch: mkdtempSync(join(scratch, "changes-")), signal },
      )
    : undefined;
  try {
    const { db, problemsFile } = settings;
    await onBuilt({ url: `${base}/`, db, contract, made, problemsFile, result, files, changes });
  } finally {
    changes?.close();
  }
  return result;
}
