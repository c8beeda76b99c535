/** `rollcall init`: writes a starter config with sample users, or with a contract for a database. Never overwrites files. */

import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf, hasCode, UserError, usageError } from "../core/errors.js";
import { packageFile } from "../core/package.js";
import { findRefusal } from "../core/release/refusals.js";
import { replaceFile, replaceFiles } from "../core/release/writer.js";
import { STDIN } from "../core/settings/kinds.js";
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../core/settings/names.js";
import type { OptionsFor } from "../core/settings/settings.js";
import { SETTINGS } from "../core/settings/table.js";
import { isFolder } from "../core/source/text-files.js";
import { type SourcePath, textSettingsOf } from "../core/source/text-format.js";
import type { Found, FoundListing } from "./found.js";
import { titleOf } from "./names.js";
import { chooseTables, type FoundSource, findSource } from "./source.js";
import type { SurveyOptions } from "./subject.js";

/** Without `from`, the sample users are written. */
export interface InitOptions extends OptionsFor<"init"> {
  /** The folder to write to. */
  folder: string;
}

export interface InitEffects {
  /** Stops before anything is written. Then the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
}

export interface InitResult {
  /** Path of the config, relative to the folder. */
  config: string;
  /** Path of the source, or paths, as in the config. */
  db: SourcePath;
  /** Paths of the written files, relative to the folder. */
  written: string[];
  /** What was found in the file, with `from`. */
  found?: Found;
  /** What was found in the database, with `allTables`. */
  site?: FoundSource;
}

/** The schema for editors, if the package is installed beside the config. */
const CONFIG_SCHEMA = "./node_modules/rollcall/config.schema.json";

const PACKAGED_SAMPLE = fileURLToPath(packageFile(SAMPLE_FILE));

const { host, port, dist, pageSize } = SETTINGS;

/** Settings of a starter config, without those of the source. */
const STARTER = { baseUrl: `http://${host.default}:${port.default}`, dist: dist.default, explorer: true };

/** The file of the SELECT that `init` writes if a key or a conversion needs one. */
export const QUERY_FILE = "rollcall.query.sql";
/** The folder of contracts and queries that `init --all` writes. */
const CONTRACTS = "contracts";
const QUERY_COMMENT = `-- The columns of the records, proposed by "rollcall init". Edit it as you need.`;

/** Runs `init`, writing files atomically. @throws UserError if files exist already, or cannot be read or written */
export async function initialize(options: InitOptions, { signal }: InitEffects = {}): Promise<InitResult> {
  const { folder, from, ...others } = options;
  const { table, query, decimal, allTables } = others;
  if (from !== undefined) return initializeFrom(folder, { from, ...others }, signal);
  if (table !== undefined || query !== undefined || decimal !== undefined || allTables)
    throw usageError("--table, --all, --query and --decimal need --from, the file of records.");
  const files = `${CONFIG_FILE} and ${SAMPLE_FILE}`;
  const written = await explainWriteErrors(files, dirname(join(folder, SAMPLE_FILE)), () =>
    writeSample(folder, signal),
  );
  return { config: CONFIG_FILE, db: SAMPLE_FILE, written };
}

/** Writes the sample users and a config. @returns the written paths, relative to the folder */
async function writeSample(folder: string, signal: AbortSignal | undefined): Promise<string[]> {
  const config = join(folder, CONFIG_FILE);
  const sample = join(folder, SAMPLE_FILE);
  await refuseExisting(folder, [CONFIG_FILE]);
  const isThere = await exists(sample);
  if (isThere && !(await isSample(sample))) throw refusal(SAMPLE_FILE);
  signal?.throwIfAborted();
  if (!isThere) {
    await mkdir(dirname(sample), { recursive: true });
    replaceFile(sample, await readFile(PACKAGED_SAMPLE));
  }
  // The config comes last, since a later run that finds it writes nothing.
  const { explorer, ...starter } = STARTER;
  const settings = { db: SAMPLE_FILE, ...starter, pageSize: pageSize.default, explorer };
  replaceFile(config, `${JSON.stringify(settings, null, 2)}\n`);
  return isThere ? [CONFIG_FILE] : [CONFIG_FILE, SAMPLE_FILE];
}

async function isSample(path: string): Promise<boolean> {
  try {
    const [there, packaged] = await Promise.all([readFile(path), readFile(PACKAGED_SAMPLE)]);
    return there.equals(packaged);
  } catch (error) {
    // For example a folder, or a file that this user may not read.
    if (codeOf(error) !== undefined) return false;
    throw error;
  }
}

async function initializeFrom(folder: string, options: SurveyOptions, signal?: AbortSignal): Promise<InitResult> {
  const usual = options.allTables ? [CONFIG_FILE] : [CONTRACT_FILE, CONFIG_FILE];
  const described = options.allTables ? `${CONFIG_FILE} and contracts` : usual.join(" and ");
  await explainWriteErrors(described, folder, () => refuseExisting(folder, usual));
  const found = await findSource(options, signal);
  const { listings } = found;
  const [first] = listings;
  const isPlain = first?.name === "";
  if (!isPlain && !options.allTables) throw chooseTables(options.from, found);
  const config = configFor(folder, options, listings);
  const files = [
    ...listings.map(({ name, found: { contract } }) => [contractFile(name), toText(contract)] as const),
    [CONFIG_FILE, toText(config)] as const,
    ...listings.flatMap(({ name, found: { sql } }) =>
      sql === undefined ? [] : [[queryFile(name), `${QUERY_COMMENT}\n${sql}`] as const],
    ),
  ];
  const written = files.map(([name]) => name);
  await explainWriteErrors(described, folder, async () => {
    // Reading may have taken a while.
    await refuseExisting(folder, written);
    if (!isPlain) await mkdir(join(folder, CONTRACTS), { recursive: true });
    replaceFiles(files.map(([name, text]) => [join(folder, name), text]));
  });
  const { db } = config;
  return { config: CONFIG_FILE, db, written, ...(isPlain ? { found: first.found } : { site: found }) };
}

function toText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The file of a listing's contract. @param name of the listing; empty for a plain release */
export function contractFile(name: string): string {
  return name === "" ? CONTRACT_FILE : `${CONTRACTS}/${name}.json`;
}

/** The file of a listing's query. @param name of the listing; empty for a plain release */
export function queryFile(name: string): string {
  return name === "" ? QUERY_FILE : `${CONTRACTS}/${name}.sql`;
}

/** Makes the config for a source. */
function configFor(folder: string, options: SurveyOptions, listings: readonly FoundListing[]) {
  const { from, query } = options;
  const isOneFile = typeof from === "string" && !isFolder(from);
  const own = listings.map(({ name, found }) => {
    const given = query === undefined ? undefined : pathFrom(folder, query);
    const read = found.sql === undefined ? given : queryFile(name);
    return [name, read === undefined ? tableOf(found, isOneFile) : { query: read }] as const;
  });
  const sites = own.filter(([name]) => name !== "");
  const inSite = sites.map(([name, read]) => [name, { contract: contractFile(name), ...read }] as const);
  return {
    $schema: CONFIG_SCHEMA,
    db: typeof from === "string" ? sourceFrom(folder, from) : from.map((path) => pathFrom(folder, path)),
    // JSON leaves out what is undefined.
    ...textSettingsOf(options),
    ...own.find(([name]) => name === "")?.[1],
    ...STARTER,
    title: inSite.length > 0 ? titleOf(from) : undefined,
    listings: inSite.length > 0 ? Object.fromEntries(inSite) : undefined,
  };
}

/** Names the table, unless it is the one that the contract's words name. A text file alone needs no name. */
function tableOf({ name, kind, contract }: Found, isOneFile: boolean): { table?: string } {
  const [, usual] = contract["x-listing"].words;
  return name === usual || (kind === "file" && isOneFile) ? {} : { table: name };
}

function sourceFrom(folder: string, from: string): string {
  return from === STDIN ? STDIN : pathFrom(folder, from) || ".";
}

/** Makes a path relative to the folder. An absolute path outside it stays absolute. */
function pathFrom(folder: string, path: string): string {
  const below = relative(resolve(folder), resolve(path));
  return isAbsolute(path) && below.startsWith("..") ? path : below;
}

/** Refuses to overwrite files. @throws UserError if one of them exists */
async function refuseExisting(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) if (await exists(join(folder, name))) throw refusal(name);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

function refusal(name: string): UserError {
  return new UserError(`${name} exists already, so nothing was written. Move it away, or run "rollcall build".`);
}

/** Runs a step, and explains why its files cannot be written. @param place their folder */
export async function explainWriteErrors<T>(files: string, place: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof UserError || !(cause instanceof Error) || codeOf(cause) === undefined) throw cause;
    const why = findRefusal(place) ?? cause.message;
    throw new UserError(`Cannot write ${files} here (${why}). Correct this, or run this in another folder.`, { cause });
  }
}
