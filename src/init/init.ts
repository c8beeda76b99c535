/** `rollcall init`: writes a starter config with sample users, or with a contract for a database. It changes no file that is there. */
import { lstat, mkdir, readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import { checkContract } from "../contract/file/parse.js";
import { codeOf, hasCode, UserError, usageError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import { replaceFile, replaceFiles } from "../release/writer.js";
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../settings/file.js";
import { abortSignal, checkOptions, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";
import { isTextFile } from "../source/text-file.js";
import { type Proposal, propose, queryFor, type Wording } from "./propose.js";
import type { SurveyOptions } from "./subject.js";
import { largestTable, survey, surveyQuery, withSource } from "./survey.js";

/** Without `from`, the sample users are written. */
export interface InitOptions extends OptionsOf<"from" | "table" | "query" | "words" | "title" | "path"> {
  /** Stops it before anything is written. It then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface InitResult {
  /** The config's path below the folder. */
  config: string;
  /** The source's path as it stands in the config. */
  db: string;
  /** The paths of what was written, below the folder. */
  written: string[];
  /** What was found in the database, where one was given. */
  found?: Found;
}

export interface Found extends Proposal {
  name: string;
  kind: "table" | "view" | "query";
  rows: number;
  /** The SELECT that is read instead of the table, where one makes more of it. */
  sql?: string | undefined;
}

/** Gives completion in editors, where the package is installed beside the config. */
const CONFIG_SCHEMA = "./node_modules/rollcall/config.schema.json";

/** The package's sample: two folders up from `lib/init`, as from `src/init`. */
const PACKAGED_SAMPLE = fileURLToPath(new URL(`../../${SAMPLE_FILE}`, import.meta.url));

const { host, port, dist, pageSize } = SETTINGS;

/** The settings of a first config that are not of the source. */
const STARTER = { baseUrl: `http://${host.default}:${port.default}`, dist: dist.default, explorer: true };

/** The SELECT that `init` writes where it makes more of a table. */
export const QUERY_FILE = "rollcall.query.sql";
const QUERY_COMMENT = `-- What the records are made of, as "rollcall init" found it. It is yours to change.`;

const OPTIONS: OptionRules<InitOptions> = {
  signal: abortSignal,
  ...pick("from", "table", "query", "words", "title", "path"),
};

/** Writes each file whole or not at all. @throws UserError when other files are there, or nothing can be read or written. */
export async function initialize(folder: string, options: InitOptions = {}): Promise<InitResult> {
  const { signal, from, ...others } = checkOptions("init's second argument", options, OPTIONS);
  const { table, query } = others;
  if (from !== undefined) return initializeFrom(folder, { from, ...others }, signal);
  if (table !== undefined || query !== undefined)
    throw usageError("There is no database to read the table or query from; name its file with --from.");
  const files = `${CONFIG_FILE} and ${SAMPLE_FILE}`;
  const written = await writing(files, dirname(join(folder, SAMPLE_FILE)), () => writeSample(folder, signal));
  return { config: CONFIG_FILE, db: SAMPLE_FILE, written };
}

/** @returns the paths that were written, below the folder. */
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
  // Last, since a run that finds the config writes nothing.
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
    // A folder, or a file that this user may not read.
    if (codeOf(error) !== undefined) return false;
    throw error;
  }
}

type Source = SurveyOptions & Wording;

/** What is in the table with the most rows, unless one is named, and the names of the others. @throws UserError as `findIn` does. */
export function findLargest(options: Source, signal?: AbortSignal): Promise<Found & { others: string[] }> {
  return withSource(options.from, signal, async (db) => {
    const isNamed = options.table !== undefined || options.query !== undefined;
    const { table, others } = isNamed ? { table: options.table, others: [] } : largestTable(db);
    return { ...(await findIn(db, { ...options, table }, signal)), others };
  });
}

/** What a table holds, and the contract that fits it. @throws UserError when it has no key, or is too much for a contract. */
async function findIn(db: Database, options: Source, signal: AbortSignal | undefined): Promise<Found> {
  const first = await survey(db, options, signal);
  const query = queryFor(first);
  const best = query === undefined ? first : await surveyQuery(db, first, query, signal);
  const { name, kind, rows } = first;
  const found: Found = { name, kind, rows, sql: query?.sql, ...propose(best, options, query) };
  signal?.throwIfAborted();
  requireContract(found);
  return found;
}

async function initializeFrom(folder: string, options: Source, signal?: AbortSignal): Promise<InitResult> {
  const usual = [CONTRACT_FILE, CONFIG_FILE];
  const files = usual.join(" and ");
  await writing(files, folder, () => refuseExisting(folder, usual));
  const found = await withSource(options.from, signal, (db) => findIn(db, options, signal));
  const written = [...usual, ...(found.sql === undefined ? [] : [QUERY_FILE])];
  const config = configFor(folder, options, found);
  await writing(files, folder, async () => {
    // Reading may have taken a while.
    await refuseExisting(folder, written);
    const contents = [found.contract, config].map((value) => `${JSON.stringify(value, null, 2)}\n`);
    if (found.sql !== undefined) contents.push(`${QUERY_COMMENT}\n${found.sql}`);
    replaceFiles(written.map((name, at) => [join(folder, name), contents[at] ?? ""]));
  });
  return { config: CONFIG_FILE, db: config.db, written, found };
}

/** @throws UserError where even what was found to fit is more than a contract can be, as with a thousand columns. */
function requireContract({ kind, name, contract }: Found): void {
  const read = checkContract(contract);
  if (!("mistakes" in read)) return;
  const message = `The ${kind} ${name} is too much for a contract; choose its columns in a query, and give it with --query FILE:`;
  throw new UserError(message, { details: read.mistakes });
}

/** Settings with which the source is found from the folder. */
function configFor(folder: string, { from, query }: SurveyOptions, { name, contract, sql }: Found) {
  const [, usual] = contract["x-listing"].words;
  const read = sql === undefined ? query && seenFrom(folder, query) : QUERY_FILE;
  // The only table of a text file needs no name.
  const table = name === usual || isTextFile(from) ? {} : { table: name };
  return {
    $schema: CONFIG_SCHEMA,
    db: seenFrom(folder, from),
    ...(read === undefined ? table : { query: read }),
    ...STARTER,
  };
}

/** A path in the folder, or beside it, as the config has it; one that was given whole and lies elsewhere stays as it is. */
function seenFrom(folder: string, path: string): string {
  const below = relative(resolve(folder), resolve(path));
  return isAbsolute(path) && below.startsWith("..") ? path : below;
}

/** @throws UserError when one of these files is in the folder. */
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
  return new UserError(`${name} is there already, so nothing was written; move it away, or run "rollcall build".`);
}

/** Explains why files cannot be written. @param place the folder that they are in. */
async function writing<T>(files: string, place: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof UserError || !(cause instanceof Error) || codeOf(cause) === undefined) throw cause;
    const why = findRefusal(place) ?? cause.message;
    throw new UserError(`Cannot write ${files} here (${why}); mend that, or run this in another folder.`, { cause });
  }
}
