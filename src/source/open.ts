/** Opens a source for a build: copies the contract's columns of its rows, in published order, as of one point in time. */

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { makeScratch, removeScratch } from "../scratch/folder.js";
import { STDIN } from "../settings/kinds.js";
import {
  COPY,
  type Copied,
  type CopyOptions,
  copiedColumns,
  copySource,
  createTable,
  numberColumn,
  REPEATED,
  repeatedSql,
} from "./copy.js";
import { explainReading, explainSqlite } from "./errors.js";
import type { Copy } from "./reader.js";
import { isSameFile, isUnwritten } from "./stats.js";
import { importText } from "./text-file.js";
import { nameOfSource, type TextSettings, textFormatOf } from "./text-format.js";

/** Copies a source into a temporary folder, which `close` removes. @throws UserError as `copySource` and `importText` do */
export async function openSource(options: CopyOptions & TextSettings, signal?: AbortSignal): Promise<Source> {
  const folder = await makeScratch("build");
  try {
    const path = join(folder, "records.sqlite");
    return new Source(options, folder, path, await copyAny(options, folder, path, signal));
  } catch (error) {
    removeScratch(folder);
    throw explainReading(nameOfSource(options.db), error);
  }
}

/** Copies a SQLite file, or a text file after importing it into one. For a query, each of its columns has a type of its own. */
async function copyAny(
  options: CopyOptions & TextSettings,
  folder: string,
  to: string,
  signal?: AbortSignal,
): Promise<Copied> {
  const { db, query, contract, onRead } = options;
  const format = textFormatOf(db, options);
  if (format === undefined) return copySource(options, to);
  const path = join(folder, "imported.sqlite");
  const as = query === undefined ? { contract } : { queriedFor: contract };
  const { table, stats } = await importText(db, format, options, path, as, { signal, onRead });
  // The only table of a text file needs no name.
  const source = { ...options, table: query === undefined ? table : undefined, db: path, named: db };
  const copied = copySource(source, to);
  rmSync(path);
  return { ...copied, stats };
}

/** The table of the copy's invalid rows, until they are removed. */
const INVALID = "temp.invalid";

/** The copy of a source. Close it in a `finally`. While threads read the copy, only `markInvalid` may be called. */
export class Source {
  /** Rows of the source. */
  readonly total: number;
  /** Rows of the copy, without removed ones. */
  count: number;
  /** See `Copied`. */
  readonly version: string | undefined;
  readonly copy: Copy;
  readonly #db: Database.Database;

  constructor(
    private readonly options: CopyOptions,
    private readonly folder: string,
    path: string,
    private readonly copied: Copied,
  ) {
    this.total = copied.count;
    this.count = copied.count;
    this.version = copied.version;
    this.copy = { path, before: copied.before };
    this.#db = new Database(path);
    this.#db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA threads = 4;
      CREATE TABLE ${INVALID} (number INTEGER PRIMARY KEY)`);
  }

  /** Finds repeated keys, so that readers of the copy report them. */
  findRepeatedKeys(): void {
    // The copy of a shard has them already.
    if (this.options.rowsOf) return;
    const { isRepeated, insert } = repeatedSql(this.options.contract, "", COPY);
    // Most sources have no repeated keys, and need no second pass.
    if (this.#run(() => this.#db.prepare(isRepeated).get())) this.#run(() => this.#db.exec(insert));
  }

  /** Marks rows as invalid. @param rows their numbers, from 0; none was marked before */
  markInvalid(rows: readonly number[]): void {
    const insert = this.#db.prepare(`INSERT INTO ${INVALID} VALUES (?)`);
    this.#run(() => {
      for (const row of rows) insert.run(row + 1);
    });
  }

  /** Removes the invalid rows from the copy, and numbers the others anew. */
  removeInvalid(): void {
    const columns = copiedColumns(this.options.contract).join(", ");
    const number = numberColumn(this.options.contract);
    this.#run(() =>
      this.#db.exec(`${createTable("kept", this.options.contract)};
        INSERT INTO kept (${columns}) SELECT ${columns} FROM ${COPY}
          WHERE ${number} NOT IN (SELECT number FROM ${INVALID}) ORDER BY ${number};
        DROP TABLE ${COPY}; ALTER TABLE kept RENAME TO ${COPY}; DELETE FROM ${REPEATED}; DELETE FROM ${INVALID}`),
    );
    this.count = this.#db.prepare<[], number>(`SELECT count(*) FROM ${COPY}`).pluck().get() ?? 0;
  }

  /** Whether the source's file is still the one that was read, with the same content. */
  isUnchanged(): boolean {
    if (this.options.db === STDIN) return true;
    const now = statSync(this.options.db, { bigint: true, throwIfNoEntry: false });
    return now !== undefined && isSameFile(now, this.copied.stats) && isUnwritten(now, this.copied.stats);
  }

  close(): void {
    this.#db.close();
    removeScratch(this.folder);
  }

  #run<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw explainSqlite(this.options.db, error);
    }
  }
}
