/** `rollcall init`: writes a starter config with sample users, or with a contract for a database. It changes no file that is there. */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { checkContract } from "../contract/file/parse.js";
import { codeOf, UserError, usageError } from "../errors.js";
import { findRefusal } from "../release/refusals.js";
import { replaceFiles } from "../release/writer.js";
import { CONFIG_FILE, CONTRACT_FILE, SAMPLE_FILE } from "../settings/file.js";
import { abortSignal, checkOptions, type OptionRules } from "../settings/options.js";
import { type OptionsOf, pick } from "../settings/settings.js";
import type { Proposal } from "./decision.js";
import { refuseExisting } from "./existing.js";
import { propose } from "./propose.js";
import { STARTER, writeSample } from "./sample.js";
import type { SurveyOptions } from "./subject.js";
import { surveyed } from "./survey.js";

/** Without `from`, the sample users are written. */
export interface InitOptions extends OptionsOf<"from" | "table" | "query"> {
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
}

/** Gives completion in editors, where the package is installed beside the config. */
const CONFIG_SCHEMA = "./node_modules/rollcall/config.schema.json";

const OPTIONS: OptionRules<InitOptions> = { signal: abortSignal, ...pick("from", "table", "query") };

/** Writes each file whole or not at all. @throws UserError when other files are there, or nothing can be read or written. */
export async function initialize(folder: string, options: InitOptions = {}): Promise<InitResult> {
  const { signal, from, table, query } = checkOptions("init's second argument", options, OPTIONS);
  if (from !== undefined) return initializeFrom(folder, { from, table, query }, signal);
  if (table !== undefined || query !== undefined)
    throw usageError("There is no database to read the table or query from; name its file with --from.");
  const files = `${CONFIG_FILE} and ${SAMPLE_FILE}`;
  const written = await writing(files, dirname(join(folder, SAMPLE_FILE)), () => writeSample(folder, signal));
  return { config: CONFIG_FILE, db: SAMPLE_FILE, written };
}

async function initializeFrom(folder: string, options: SurveyOptions, signal?: AbortSignal): Promise<InitResult> {
  const written = [CONTRACT_FILE, CONFIG_FILE];
  const files = written.join(" and ");
  await writing(files, folder, () => refuseExisting(folder, written));
  const found = await surveyed(options, signal, (survey): Found => {
    const { name, kind, rows } = survey;
    return { name, kind, rows, ...propose(survey) };
  });
  signal?.throwIfAborted();
  requireContract(found);
  const config = configFor(folder, options, found);
  await writing(files, folder, async () => {
    // Reading may have taken a while.
    await refuseExisting(folder, written);
    const contents = [found.contract, config].map((value) => `${JSON.stringify(value, null, 2)}\n`);
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
function configFor(folder: string, { from, query }: SurveyOptions, { name, contract }: Found) {
  const [, usual] = contract["x-listing"].words;
  const table = query === undefined && name !== usual ? { table: name } : {};
  return {
    $schema: CONFIG_SCHEMA,
    db: seenFrom(folder, from),
    ...(query === undefined ? table : { query: seenFrom(folder, query) }),
    ...STARTER,
  };
}

/** A path in the folder, or beside it, as the config has it; one that was given whole and lies elsewhere stays as it is. */
function seenFrom(folder: string, path: string): string {
  const below = relative(resolve(folder), resolve(path));
  return isAbsolute(path) && below.startsWith("..") ? path : below;
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
