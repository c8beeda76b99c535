/** `rollcall init`: writes a starter config with sample users, or with a contract for a database. Never overwrites files. */

import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkContract } from "../contract/file/parse.js";
import { codeOf, hasCode, UserError, usageError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import { replaceFile, replaceFiles } from "../release/writer.js";
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../settings/file.js";
import { STDIN } from "../settings/kinds.js";
import type { OptionsFor } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { type Proposal, propose } from "./propose.js";
import type { Subject, SurveyOptions } from "./subject.js";
import { largestTable, type OpenSource, survey, withSource } from "./survey.js";

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
  /** Path of the source, as in the config. */
  db: string;
  /** Paths of the written files, relative to the folder. */
  written: string[];
  /** What was found in the database, with `from`. */
  found?: Found;
}

export interface Found extends Proposal, Pick<Subject, "name" | "kind" | "note"> {
  rows: number;
}

/** The schema for editors, if the package is installed beside the config. */
const CONFIG_SCHEMA = "./node_modules/rollcall/config.schema.json";

/** The sample in the package. */
const PACKAGED_SAMPLE = fileURLToPath(new URL(`../../${SAMPLE_FILE}`, import.meta.url));

const { host, port, dist, pageSize } = SETTINGS;

/** Settings of a starter config, without those of the source. */
const STARTER = { baseUrl: `http://${host.default}:${port.default}`, dist: dist.default, explorer: true };

/** The file of the SELECT that `init` writes if a key or a conversion needs one. */
export const QUERY_FILE = "rollcall.query.sql";
const QUERY_COMMENT = `-- The columns of the records, proposed by "rollcall init". Edit it as you need.`;

/** Runs `init`, writing files atomically. @throws UserError if files exist already, or cannot be read or written */
export async function initialize(options: InitOptions, { signal }: InitEffects = {}): Promise<InitResult> {
  const { folder, from, ...others } = options;
  const { table, query, convert } = others;
  if (convert && query !== undefined)
    throw usageError("--convert writes a query of its own, so it excludes --query; convert in that query.");
  if (from !== undefined) return initializeFrom(folder, { from, ...others }, signal);
  if (table !== undefined || query !== undefined)
    throw usageError("--table and --query need --from, the file of records.");
  const files = `${CONFIG_FILE} and ${SAMPLE_FILE}`;
  const written = await explainWriteErrors(files, dirname(join(folder, SAMPLE_FILE)), () =>
    writeSample(folder, signal),
  );
  return { config: CONFIG_FILE, db: SAMPLE_FILE, written };
}

/** Writes the sample users and a config. @returns the written paths, relative to the folder */
async function writeSample(folder: string, signal: AbortSignal | undefined): Promise<string[]> {
  const [config, sample] = [join(folder, CONFIG_FILE), join(folder, SAMPLE_FILE)];
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

/** Analyses the named table or query, or the table with the most rows. @returns the result, and the names of other tables. @throws UserError */
export function findLargest(options: SurveyOptions, signal?: AbortSignal): Promise<Found & { others: string[] }> {
  return withSource(options, signal, async (source) => {
    const isChosen = options.table !== undefined || options.query !== undefined || source.imported !== undefined;
    const { table, others } = isChosen ? { table: options.table, others: [] } : largestTable(source.db);
    return { ...(await findIn(source, { ...options, table }, signal)), others };
  });
}

/** Analyses a table, and proposes a contract. @throws UserError if it has no key, or too many columns for a contract */
async function findIn(source: OpenSource, options: SurveyOptions, signal: AbortSignal | undefined): Promise<Found> {
  const found = await survey(source, options, signal);
  const { name, kind, rows, note } = found;
  const proposed = { name, kind, rows, note, ...propose(found, options) };
  signal?.throwIfAborted();
  requireContract(proposed);
  return proposed;
}

async function initializeFrom(folder: string, options: SurveyOptions, signal?: AbortSignal): Promise<InitResult> {
  const defaultFiles = [CONTRACT_FILE, CONFIG_FILE];
  const files = defaultFiles.join(" and ");
  await explainWriteErrors(files, folder, () => refuseExisting(folder, defaultFiles));
  const found = await withSource(options, signal, (source) => findIn(source, options, signal));
  const written = [...defaultFiles, ...(found.sql === undefined ? [] : [QUERY_FILE])];
  const config = configFor(folder, options, found);
  await explainWriteErrors(files, folder, async () => {
    // Reading may have taken a while.
    await refuseExisting(folder, written);
    const contents = [found.contract, config].map((value) => `${JSON.stringify(value, null, 2)}\n`);
    if (found.sql !== undefined) contents.push(`${QUERY_COMMENT}\n${found.sql}`);
    replaceFiles(written.map((name, at) => [join(folder, name), contents[at] ?? ""]));
  });
  return { config: CONFIG_FILE, db: config.db, written, found };
}

/** Checks the proposed contract. @throws UserError if it exceeds limits, for example with a thousand columns */
function requireContract({ kind, name, contract }: Found): void {
  const read = checkContract(contract);
  if (!("mistakes" in read)) return;
  const message = `The ${kind} ${name} does not fit into a contract. Select columns in a query, and pass it with --query FILE:`;
  throw new UserError(message, { details: read.mistakes });
}

/** Makes the config for a source. */
function configFor(folder: string, options: SurveyOptions, { name, kind, contract, sql }: Found) {
  const { from, query, sourceFormat, separator, quote, encoding } = options;
  const [, usual] = contract["x-listing"].words;
  const read = sql === undefined ? query && pathFrom(folder, query) : QUERY_FILE;
  // The only table of a text file needs no name.
  const table = name === usual || kind === "file" ? {} : { table: name };
  return {
    $schema: CONFIG_SCHEMA,
    db: from === STDIN ? STDIN : pathFrom(folder, from),
    // JSON leaves out what is undefined.
    sourceFormat,
    separator,
    quote,
    encoding,
    ...(read === undefined ? table : { query: read }),
    ...STARTER,
  };
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
async function explainWriteErrors<T>(files: string, place: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof UserError || !(cause instanceof Error) || codeOf(cause) === undefined) throw cause;
    const why = findRefusal(place) ?? cause.message;
    throw new UserError(`Cannot write ${files} here (${why}). Correct this, or run this in another folder.`, { cause });
  }
}
