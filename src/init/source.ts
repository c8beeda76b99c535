/** What init and dev find in a source: one table, or each table of a database as a listing of a site. */
import { MOST_LISTINGS } from "../core/contract/listing-names.js";
import { codeOf, ExitCode, UserError, usageError } from "../core/errors.js";
import { count, number } from "../core/print/numbers.js";
import { listTables } from "../core/source/relation.js";
import { nameOfSource, type SourcePath } from "../core/source/text-format.js";
import { requireDecimalColumns } from "./decimals.js";
import { type Found, type FoundListing, findIn } from "./found.js";
import { NoKeyError } from "./key.js";
import { addNamedReferences } from "./named-references.js";
import { isLog, listingNamesOf } from "./names.js";
import { addReferences, type ForeignKey, foreignKeysOf, valuesOfDatabase } from "./references.js";
import type { SurveyOptions } from "./subject.js";
import { type OpenSource, survey, withSource } from "./survey.js";
import type { Survey } from "./tally.js";

/** The role of a file of a folder that is not a table. */
const FILE = "file";

/** A table or view that cannot be a listing, or another file of a folder. */
export interface LeftTable {
  table: string;
  role: string;
  /** Undefined if its rows cannot be read. */
  rows: number | undefined;
  /** A sentence. */
  why: string;
}

export interface FoundSource {
  /** Several listings of a site, or one with an empty name. */
  listings: readonly FoundListing[];
  left: readonly LeftTable[];
  /** What a user should know about names and foreign keys. */
  notes: readonly string[];
}

/**
 * Analyses the named table or query, a text file, or the only table; otherwise each table of the database.
 * @throws UserError if nothing has a key, or the source cannot be read
 */
export function findSource(options: SurveyOptions, signal?: AbortSignal): Promise<FoundSource> {
  if (options.query !== undefined && (options.convert || options.decimal !== undefined)) {
    const flag = options.convert ? "--convert" : "--decimal";
    throw usageError(`${flag} writes a query of its own, so it excludes --query; convert in that query.`);
  }
  return withSource(options, signal, async (source) => {
    const { table, query, allTables, references, decimal = [] } = options;
    const isOne = table !== undefined || query !== undefined || source.texts?.isSeveral === false;
    if (allTables && isOne) throw refuseAll(options);
    if (typeof references === "object" && !(allTables && source.texts))
      throw usageError(
        "--references is for several text files and --all; references of a database are its foreign keys. Leave it out.",
      );
    const tables = isOne ? [] : listTables(source.db);
    if (allTables || tables.length > 1) return findTables(source, tables, options, signal);
    const surveyed = await survey(source, options, signal);
    requireDecimalColumns(
      decimal,
      surveyed.columns.map(({ column }) => column),
    );
    const found = findIn(surveyed, options);
    signal?.throwIfAborted();
    return { listings: [{ name: "", role: found.kind, found }], left: leftFiles(source), notes: [] };
  });
}

/** The names of all tables and views of a source. @throws UserError if it cannot be read */
export function tablesOf(from: SourcePath): Promise<string[]> {
  return withSource({ from }, undefined, async ({ db }) => listTables(db));
}

function refuseAll({ from, table, query }: SurveyOptions): UserError {
  if (table === undefined && query === undefined)
    return usageError(`${nameOfSource(from)} is one table; leave --all out.`);
  return usageError("--all is for every table, so it excludes --table and --query; remove one.");
}

async function findTables(
  source: OpenSource,
  tables: readonly string[],
  options: SurveyOptions,
  signal: AbortSignal | undefined,
): Promise<FoundSource> {
  const { from, decimal = [], references } = options;
  const found: Omit<FoundListing, "name">[] = [];
  const surveys = new Map<string, Survey>();
  const left: LeftTable[] = leftFiles(source);
  for (const table of tables) {
    const one = await findTable(source, { ...options, table }, surveys, signal);
    signal?.throwIfAborted();
    if ("why" in one) left.push(one);
    else found.push(one);
  }
  requireDecimalColumns(
    decimal,
    found.flatMap(({ found: { columns } }) => columns.map(({ column }) => column)),
  );
  for (const { role, found: extra } of found.splice(MOST_LISTINGS))
    left.push({ table: extra.name, role, rows: extra.rows, why: `A site has at most ${MOST_LISTINGS} listings.` });
  if (found.length === 0)
    throw new UserError(`No table of ${nameOfSource(from)} has a key. Add one, or name a table with --table:`, {
      details: left.map((one) => `${one.table}: ${one.why}`),
    });
  const names = listingNamesOf(found.map(({ found: { name } }) => name));
  const named = found.map(
    (one, at): FoundListing => ({ ...one, name: names[at] ?? "", found: withoutPath(one.found) }),
  );
  const renamed = named
    .filter(({ name, found: { name: table } }) => name !== table.toLowerCase())
    .map(
      ({ name, found: { name: table } }) =>
        `the table ${table} is the listing ${name}, since a listing cannot be named ${table}; the config can give it another name`,
    );
  const { listings, notes } = source.texts
    ? addNamedReferences(source.db, named, surveys, references)
    : addReferences(valuesOfDatabase(source.db), named, ({ name }) => foreignKeysOf(source.db, name));
  return { listings, left, notes: [...renamed, ...notes] };
}

/** The files of a folder that are not tables. */
function leftFiles({ texts }: OpenSource): LeftTable[] {
  return (texts?.left ?? []).map(({ name, why }) => ({ table: name, role: FILE, rows: undefined, why }));
}

/** In a site, the name of a listing is its path. */
function withoutPath(found: Found): Found {
  const { path: _, ...listing } = found.contract["x-listing"];
  return { ...found, contract: { ...found.contract, "x-listing": listing } };
}

/** Analyses one of several tables. @param surveys gets its survey */
async function findTable(
  source: OpenSource,
  options: SurveyOptions & { table: string },
  surveys: Map<string, Survey>,
  signal: AbortSignal | undefined,
): Promise<Omit<FoundListing, "name"> | LeftTable> {
  const { table } = options;
  let role = "table or view";
  let rows: number | undefined;
  try {
    const surveyed = await survey(source, options, signal);
    role = roleOf(surveyed, foreignKeysOf(source.db, table));
    rows = surveyed.rows;
    surveys.set(table, surveyed);
    // The row's number of a database is not a key here: nobody has looked at each table and accepted it.
    const rowid = source.texts ? surveyed.rowid : undefined;
    return { role, found: findIn({ ...surveyed, rowid }, options) };
  } catch (error) {
    if (error instanceof UserError && error.exitCode !== ExitCode.usage) {
      const why = error.message.replace(/\s+/g, " ");
      return { table, role, rows, why: error instanceof NoKeyError ? `${why} ${adviseQuery(table)}` : why };
    }
    // For example a view of a table that was dropped, or a virtual table whose module is not here.
    if (error instanceof Error && codeOf(error) === "SQLITE_ERROR")
      return { table, role, rows, why: `SQLite cannot read it: ${error.message}.` };
    throw error;
  }
}

function adviseQuery(table: string): string {
  const [name] = listingNamesOf([table]);
  return `Or write a SELECT that yields one, and name its file in the config: listings.${name}.query, beside a contract.`;
}

function roleOf({ name, kind, columns, primary }: Survey, keys: readonly ForeignKey[]): string {
  if (kind === "view") return "view";
  const referring = new Set(keys.flatMap(({ from }) => from.map((column) => column.toLowerCase())));
  const refers = (column: string) => referring.has(column.toLowerCase());
  const others = columns.filter(({ column }) => !refers(column) && !primary.includes(column));
  const isJoin = primary.length > 1 ? primary.every(refers) : referring.size > 1 && others.length === 0;
  if (isJoin && keys.length > 1) return "join table";
  return isLog(name) ? "log table" : "table";
}

/** Describes what a listing publishes: `120 rows, 3 fields, key id, made of the PRIMARY KEY (a, b)`. */
export function describeFound({ rows, contract, key }: Found): string {
  const fields = count(Object.keys(contract.properties).length, "field");
  return `${count(rows, "row")}, ${fields}, key ${key.field}, ${key.why}`;
}

/** The columns that a proposed contract does not have, since they seem private or cannot be published. */
export function omittedColumns({ columns }: Found): string[] {
  return columns.filter(({ schema }) => schema === undefined).map(({ column }) => column);
}

/** What a contract that nobody has read yet does to the records of a listing. */
export function notesOn({ name, found: { columns, key, rows, note } }: FoundListing): string[] {
  const onFile = note === undefined ? [] : [name === "" ? note : `${name}: ${note}`];
  const inListing = (column: string) => (name === "" ? column : `${name}.${column}`);
  const ofColumns = columns.flatMap(({ column, nulls = [], doubt, concern }) => {
    const why = nulls.map((mark) => describeNull(mark, rows));
    if (doubt !== undefined) why.push(doubt);
    if (concern !== undefined) why.push(concern);
    return why.map((note) => `${inListing(column)}: ${note}`);
  });
  const offered = columns.filter(({ offer, instead, sql }) => offer?.isPossible && !instead && sql === undefined);
  for (const { column, offer } of offered)
    ofColumns.push(`${inListing(column)}: with init --convert, ${offer?.what}: ${offer?.why}`);
  const onKey = key.added ? [`${inListing(key.field)}: ${key.why}`] : [];
  return [...onFile, ...onKey, ...ofColumns];
}

/** Says that a text becomes NULL: `"n/a" becomes null, in 4 of 44 rows`. */
export function describeNull([text, times]: readonly [text: string, times: number], rows: number): string {
  return `${JSON.stringify(text)} becomes null, in ${number(times)} of ${count(rows, "row")}`;
}

/** Counts the tables of a source: `3 tables and views`. */
export function countTables({ listings, left }: Pick<FoundSource, "listings" | "left">): string {
  const tables = listings.length + left.filter(({ role }) => role !== FILE).length;
  const areFiles = listings.every(({ found: { kind } }) => kind === "file");
  return count(tables, areFiles ? ["table", "tables"] : ["table or view", "tables and views"]);
}

/** The error for a source of several tables, of which none was chosen. */
export function chooseTables(from: SourcePath, found: FoundSource): UserError {
  const { listings, left } = found;
  const lines = [
    ...listings.map(({ role, found }) => {
      const omitted = omittedColumns(found);
      const omits = omitted.length > 0 ? `; omits ${omitted.join(", ")}` : "";
      return [found.name, role, describeFound(found) + omits] as const;
    }),
    ...left.map(({ table, role, rows, why }) => {
      const extent = rows === undefined ? "" : `${count(rows, "row")}. `;
      return [table, role, `not with --all: ${extent}${why}`] as const;
    }),
  ];
  const widths = [0, 1].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const details = lines.map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  "));
  return new UserError(
    `${nameOfSource(from)} has ${countTables(found)}. Pass --table NAME to publish one, or --all to publish each with a key:`,
    {
      exitCode: ExitCode.usage,
      details,
    },
  );
}
