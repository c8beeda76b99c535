/** Opens a source for a build: copies the contract's columns of its rows, in published order, as of one point in time. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { referencesOf } from "../contract/references.js";
import { makeScratch, removeScratch } from "../scratch/folder.js";
import {
  type Copied,
  type CopyOptions,
  type CopyTables,
  copySource,
  copyTables,
  createOrder,
  keysSql,
  lostSql,
  NUMBER,
  POSITION,
  ROW,
  repeatedSql,
} from "./copy.js";
import { explainReading, explainSqlite, type ReadContext } from "./errors.js";
import type { Offered } from "./offered.js";
import { publishedParameters } from "./published.js";
import type { Copy } from "./reader.js";
import { contextOf, forListing, tableAmong, tableOfFile } from "./relation.js";
import { isUntouched } from "./stats.js";
import { type ImportAs, type ImportPlan, importTexts, type TextImport, UNNAMED_LINE } from "./text-file.js";
import { findTextFiles, type TextFile, type TextFiles } from "./text-files.js";
import { nameOfSource, type SourcePath, type TextSettings } from "./text-format.js";

/** A listing to read. */
export type SourceOptions = CopyOptions & TextSettings;

/**
 * Copies the rows of some listings of one source, as of one point in time, into a temporary folder, which `close` of any of them
 * removes.
 * @param listings by name
 * @throws UserError as `copySource` and `importTexts` do
 */
export async function openSources(
  db: SourcePath,
  listings: ReadonlyMap<string, SourceOptions>,
  signal?: AbortSignal,
): Promise<Source[]> {
  const folder = await makeScratch("build");
  try {
    const path = join(folder, "records.sqlite");
    const copied = await copyAny(db, listings, folder, path, signal);
    const file = new CopyFile(folder, path);
    const sources = new Map<string, Source>();
    for (const [at, [name, options]] of [...listings].entries()) {
      const context = contextOf(name, options);
      sources.set(name, new Source(options, context, file, copyTables(at), copied[at] as Read, sources));
    }
    return [...sources.values()];
  } catch (error) {
    removeScratch(folder);
    throw explainReading(nameOfSource(db), error);
  }
}

/** A copy, and with text files what a user should know about how they were read, and whether they are the same still. */
type Read = Copied & { files?: readonly string[]; notes?: readonly string[]; isUnchanged?: () => boolean };

/** Copies a SQLite file, or text files after importing them into one. For a query, each of their columns has a type of its own. */
async function copyAny(
  db: SourcePath,
  listings: ReadonlyMap<string, SourceOptions>,
  folder: string,
  to: string,
  signal?: AbortSignal,
): Promise<Read[]> {
  const [first] = listings.values();
  const settings = first as SourceOptions;
  const texts = findTextFiles(db, settings);
  if (texts === undefined) return copySource(String(db), listings, to);
  const path = join(folder, "imported.sqlite");
  const find = () => planFor(findTextFiles(db, settings) ?? texts, listings);
  const effects = { signal, onRead: settings.onRead };
  const { plan, tables, isUnchanged } = await importTexts(nameOfSource(db), find, path, effects);
  const copied = copySource(path, plan.sources, to);
  rmSync(path);
  const files = [...new Set(plan.imports.map(({ file }) => file.path))].sort();
  const inFile = (table: string, note: string) => (texts.isSeveral ? `${tableOfFile(table)}: ${note}` : note);
  const notes = tables.flatMap(({ table, notes }) => notes.map((note) => inFile(table, note)));
  const names = new Map(tables.map((one) => [one.table, one.names]));
  return copied.map((one): Read => {
    const offered = offeredByTexts(one.offered, names, texts);
    return { ...one, offered, files, notes: [...new Set(notes)], isUnchanged };
  });
}

/** What text files offer: all of their columns, of which a listing imports only those of its contract. */
function offeredByTexts(
  { columns, query }: Offered,
  names: ReadonlyMap<string, readonly string[]>,
  { files, isSeveral }: TextFiles,
): Offered {
  const nameOf = (table: string) => (isSeveral ? tableOfFile(table) : "");
  const all = [...columns.keys()].map((table) => [nameOf(table), names.get(table) ?? []] as const);
  return { columns: new Map(all), tables: isSeveral ? files.map(({ table }) => table) : [], query };
}

/** What to import for listings. */
interface ListingsPlan extends ImportPlan {
  /** The options of each listing, with its table. */
  sources: Map<string, SourceOptions>;
}

/** A listing without a query reads the columns of its contract. Queries read all files. */
function planFor({ files, isSeveral }: TextFiles, listings: ReadonlyMap<string, SourceOptions>): ListingsPlan {
  const imports: TextImport[] = [];
  const sources = new Map<string, SourceOptions>();
  const queriedBy: Contract[] = [];
  for (const [listing, options] of listings) {
    const { contract, query } = options;
    if (query !== undefined) {
      queriedBy.push(contract);
      // The only table of a text file needs no name.
      sources.set(listing, isSeveral ? options : { ...options, table: undefined });
      continue;
    }
    const [first] = files;
    const names = files.map(({ table }) => table);
    const isOnly = !isSeveral || (options.table === undefined && files.length === 1);
    const wanted = isOnly ? first?.table : tableAmong(names, options, listing);
    const file = files.find(({ table }) => table === wanted) as TextFile;
    const table = isSeveral ? forListing(file.table, listing) : file.table;
    imports.push({ file, table, as: { contract }, context: contextOf(listing, options) });
    sources.set(listing, { ...options, table, lineColumn: UNNAMED_LINE });
  }
  if (queriedBy.length > 0) {
    const as: ImportAs = isSeveral ? { queriedBy } : { queriedFor: queriedBy[0] };
    imports.push(...files.map((file) => ({ file, table: file.table, as })));
  }
  return { imports, sources };
}

/** The file of a copy, with the rows of one listing or several. */
class CopyFile {
  readonly db: Database.Database;

  constructor(
    private readonly folder: string,
    readonly path: string,
  ) {
    this.db = new Database(path);
    this.db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  }

  close(): void {
    this.db.close();
    removeScratch(this.folder);
  }
}

/** The copy of a listing's rows. Close it in a `finally`. While threads read the copy, only `markInvalid` may be called. */
export class Source {
  /** Rows of the source. */
  readonly total: number;
  /** Rows of the copy, without removed ones. */
  count: number;
  /** Rows that were removed only because their references lead to removed ones. */
  unreferenced = 0;
  /** See `Copied`. */
  readonly version: string | undefined;
  readonly copy: Copy;
  /** What a user should know about how the file was read: sentences without a full stop. */
  readonly notes: readonly string[];
  readonly offered: Offered;
  /** The paths of the files that were read. */
  readonly files: readonly string[];
  /** Whether all rows whose key another row has are marked, or there are none. The copy of a shard has the marks already. */
  knowsRepeated: boolean;
  readonly #db: Database.Database;
  /** The table of the copy's invalid rows, until they are removed. */
  readonly #invalid: string;

  constructor(
    private readonly options: CopyOptions,
    /** What it is, for messages; undefined without a site. */
    readonly context: ReadContext | undefined,
    private readonly file: CopyFile,
    private readonly tables: CopyTables,
    private readonly copied: Read,
    /** The sources of all listings by name, which references lead to. */
    private readonly all: ReadonlyMap<string, Source>,
  ) {
    this.total = copied.count;
    this.count = copied.count;
    this.version = copied.version;
    this.copy = {
      path: file.path,
      tables,
      before: copied.before,
      place: copied.place,
      isOfText: copied.files !== undefined,
    };
    this.notes = copied.notes ?? [];
    this.offered = copied.offered;
    this.files = copied.files ?? [String(options.db)];
    this.knowsRepeated = options.rowsOf !== undefined;
    this.#db = file.db;
    this.#invalid = `temp.invalid_${tables.records}`;
    this.#db.exec(`CREATE TABLE ${this.#invalid} (number INTEGER PRIMARY KEY)`);
  }

  /** Whether two rows have one key, and are not marked. Compares all keys, unless the answer is known. */
  hasUnmarkedRepeated(): boolean {
    if (this.knowsRepeated) return false;
    const { isRepeated } = repeatedSql(this.options.contract, this.tables);
    this.knowsRepeated = this.#run(() => this.#db.prepare(isRepeated).get()) === undefined;
    return !this.knowsRepeated;
  }

  /** Marks the rows whose key another row has, so that readers that are opened afterwards report them. */
  markRepeated(): void {
    const { insert } = repeatedSql(this.options.contract, this.tables);
    this.#run(() => this.#db.exec(insert));
    this.knowsRepeated = true;
  }

  /** Marks references to no row, so that readers that are opened afterwards report them. */
  markLost(): void {
    // The copy of a shard has them already.
    if (!this.options.rowsOf) this.#findLost();
  }

  /** Marks rows as invalid. @param rows their numbers, from 0; none was marked before */
  markInvalid(rows: readonly number[]): void {
    const insert = this.#db.prepare(
      `INSERT INTO ${this.#invalid} SELECT ${ROW} FROM ${this.tables.order} WHERE ${POSITION} = ?`,
    );
    this.#run(() => {
      for (const before of rows) insert.run(before + 1 - this.copied.before);
    });
  }

  /** Removes the rows that are marked as invalid from the copy, and numbers the positions of the others anew. */
  removeInvalid(): void {
    const { records, order, repeated, lost } = this.tables;
    this.#run(() =>
      this.#db.exec(`DELETE FROM ${records} WHERE ${NUMBER} IN (SELECT number FROM ${this.#invalid});
        ${createOrder("kept")};
        INSERT INTO kept (${ROW}) SELECT ${ROW} FROM ${order}
          WHERE ${ROW} NOT IN (SELECT number FROM ${this.#invalid}) ORDER BY ${POSITION};
        DROP TABLE ${order}; ALTER TABLE kept RENAME TO ${order};
        DELETE FROM ${repeated}; DELETE FROM ${lost}; DELETE FROM ${this.#invalid}`),
    );
    this.count = this.#db.prepare<[], number>(`SELECT count(*) FROM ${order}`).pluck().get() ?? 0;
  }

  /** Removes the rows whose references lead to no row, since those were removed. @returns the number of removed rows */
  removeLost(): number {
    this.#findLost();
    const required = referencesOf(this.options.contract).flatMap(({ isObserved }, at) => (isObserved ? [] : [at]));
    const { changes } = this.#run(() =>
      this.#db
        .prepare(`INSERT INTO ${this.#invalid}
        SELECT DISTINCT number FROM ${this.tables.lost} WHERE reference IN (${required.join(", ")})`)
        .run(),
    );
    if (changes > 0) this.removeInvalid();
    this.unreferenced += changes;
    return changes;
  }

  #findLost(): void {
    const { contract, defaultAvatar } = this.options;
    const keysOf = (to: string) => {
      const target = this.all.get(to);
      return target && keysSql(target.options.contract, target.tables.exact);
    };
    for (const sql of lostSql(contract, this.tables, keysOf))
      this.#run(() => this.#db.prepare(sql).run(publishedParameters(defaultAvatar)));
  }

  /** For each reference, what its check depends on in addition to the file's bytes; undefined as in `version`. */
  get targets(): (string | undefined)[] {
    return referencesOf(this.options.contract).map(({ to }) => {
      const target = this.all.get(to);
      return target?.version && `${to} ${target.version} ${target.options.contract.key.column}`;
    });
  }

  /** Whether the source's file is still the one that was read, with the same content. */
  isUnchanged(): boolean {
    const { isUnchanged, stats } = this.copied;
    return isUnchanged ? isUnchanged() : isUntouched(String(this.options.db), stats);
  }

  /** Closes the copy, also for other listings of the file. */
  close(): void {
    this.file.close();
  }

  #run<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw explainSqlite(nameOfSource(this.options.db), error, this.context);
    }
  }
}
