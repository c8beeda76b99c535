/** Opens the SQLite file of users for one build: read-only, one point in time, contract columns only. */
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, UserError } from "../errors.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { chooseOrder, ORDER, type PageStart, pageStarts, repeatedIds } from "./order.js";
import type { Share } from "./reader.js";
import { findRelation, isPlainTable, isTable, type RelationOptions } from "./relation.js";
import { explain, reading } from "./trouble.js";

export interface SourceOptions extends RelationOptions {
  /** The SQLite file. */
  db: string;
  /** The image URL of users whose own is NULL. */
  defaultAvatar: string;
}

/** How long another process's lock is waited for, in milliseconds. */
const LOCK_WAIT = 5000;

/**
 * Opens a source. Everything that is read from it until `close` is of one point in time: a single read transaction
 * spans it, in WAL mode and in rollback mode.
 * @throws UserError when the file, the table or a column is not there or cannot be read.
 */
export function openSource(options: SourceOptions): Source {
  const { db: file } = options;
  requireFile(file);
  const db = reading(
    file,
    () => new Database(resolve(file), { readonly: true, fileMustExist: true, timeout: LOCK_WAIT }),
  );
  try {
    return reading(file, () => {
      db.exec("BEGIN");
      return new Source(db, findRelation(db, file, options), options);
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

export class Source {
  readonly #db: Database.Database;
  readonly #relation: string;
  readonly #options: SourceOptions;
  #count: number | undefined;
  #hasUniqueIds: boolean | undefined;

  constructor(db: Database.Database, relation: string, options: SourceOptions) {
    this.#db = db;
    this.#relation = relation;
    this.#options = options;
  }

  /** Rows in the relation, valid or not. */
  get count(): number {
    this.#count ??= reading(this.#options.db, () => {
      return this.#db.prepare<[], number>(`SELECT count(*) FROM ${this.#relation}`).pluck().get() ?? 0;
    });
    return this.#count;
  }

  /** All rows in published order, newest first; can be read more than once, with the same result. */
  *candidates(): Generator<Candidate, void> {
    const isDuplicate = this.hasUniqueIds()
      ? "0"
      : "id COLLATE BINARY IN (SELECT id FROM temp.rollcall_duplicates)";
    const rows = `FROM ${this.#relation} ${ORDER}`;
    const { db: file, defaultAvatar } = this.#options;
    try {
      yield* selectCandidates(this.#db, { rows, parameters: {}, isDuplicate, defaultAvatar });
    } catch (error) {
      throw explain(file, error);
    }
  }

  /** True when no two rows have one id. Those that do are kept in a table of the connection's own. */
  hasUniqueIds(): boolean {
    this.#hasUniqueIds ??= reading(this.#options.db, () => {
      const repeated = repeatedIds(this.#relation);
      if (this.#db.prepare(`${repeated} LIMIT 1`).get() === undefined) return true;
      this.#db.exec(`CREATE TEMP TABLE rollcall_duplicates AS ${repeated}`);
      return false;
    });
    return this.#hasUniqueIds;
  }

  /**
   * What rows depend on besides the file's bytes: the SQLite that reads them, and which table they are. Undefined for a
   * view, a query or a virtual table, which may ask the clock or other files.
   */
  version(): string | undefined {
    const { db, table = "users", query } = this.#options;
    if (query !== undefined || !isTable(this.#db, table)) return undefined;
    const version = reading(db, () => this.#db.prepare("SELECT sqlite_version()").pluck().get());
    return `${version} ${this.#relation}`;
  }

  /** What other connections need to read the same rows a page at a time; undefined when only this one can. */
  share(pageSize: number): Share | undefined {
    const { db, defaultAvatar, table, query } = this.#options;
    if (query !== undefined || !isPlainTable(this.#db, table ?? "users")) return undefined;
    const kind = reading(db, () => chooseOrder(this.#db, this.#relation, pageSize));
    return { db, relation: this.#relation, kind, defaultAvatar };
  }

  /** Where the pages of a share begin, in order. */
  *pageStarts({ kind }: Share, pageSize: number): Generator<PageStart, void> {
    try {
      yield* pageStarts(this.#db, this.#relation, { kind, pageSize, count: this.count });
    } catch (error) {
      throw explain(this.#options.db, error);
    }
  }

  /** Moves on to the present point in time. */
  begin(): void {
    reading(this.#options.db, () => this.#db.exec("ROLLBACK; BEGIN; SELECT 1 FROM sqlite_schema"));
    this.#count = undefined;
    this.#hasUniqueIds = undefined;
  }

  close(): void {
    this.#db.close();
  }
}

/** Names the plain mistakes, which SQLite would all call "unable to open database file". */
function requireFile(file: string): void {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new UserError(`${file} is a folder; --db names the SQLite file of users.`);
    accessSync(file, constants.R_OK);
    if (stats.size === 0)
      throw new UserError(`${file} is empty (0 bytes); --db names the SQLite file of users.`);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const why =
      codeOf(cause) === "ENOENT" ? `There is no file ${file}` : `Cannot read ${file} (${codeOf(cause)})`;
    throw new UserError(`${why}; --db names the SQLite file of users.`, { cause });
  }
}
