/** Reads single pages of a table on a connection of its own. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type RecordPattern, recordPattern } from "../contract/record-text.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { connect, isLocked } from "./file.js";
import { type OrderKind, type PageStart, pageRows, sortRows } from "./order.js";
import { pageTextParameters, pageTextSql } from "./page-text.js";

/** What several connections need to read one table in one order. Can be sent to another thread. */
export interface Share {
  /** The quoted name of the table. */
  relation: string;
  kind: OrderKind;
  defaultAvatar: string;
}

/** A page's records as SQLite wrote them. */
export interface PageText {
  /** Canonical records with their separators, if every user is valid; anything otherwise. */
  records: Buffer;
  /** True when there are as many rows as there should be, and what text cannot show is right: the types of values. */
  isWhole: boolean;
  /** True when the records need no second look: so many valid users, canonical, and nothing to warn of. */
  isPlain(): boolean;
}

interface TextRow {
  records: Buffer | null;
  checked: number | null;
  rows: number;
}

/** How long another process's lock is waited for, in milliseconds: not long, since its writer may wait for this build. */
const LOCK_WAIT = 100;

/**
 * In kilobytes, as SQLite wants it: negative. Rows in published order lie anywhere in the file, so that a larger cache keeps
 * what is not asked for again, and is slower for its size.
 */
const CACHE = -2000;
const EMPTY = Buffer.alloc(0);

/** Opens a file and begins a read transaction, and with it a point in time; undefined when a lock is in the way. */
export function beginReading(path: string): Database.Database | undefined {
  const db = connect(path, LOCK_WAIT);
  try {
    db.pragma(`cache_size = ${CACHE}`);
    db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    return db;
  } catch (error) {
    db.close();
    if (isLocked(error)) return undefined;
    throw error;
  }
}

export class PageReader {
  readonly #db: Database.Database;
  readonly #share: Share;
  readonly #pattern: RecordPattern;
  #text: Database.Statement<[object], TextRow> | undefined;

  /** @param db in a transaction. */
  constructor(db: Database.Database, share: Share) {
    this.#db = db;
    this.#share = share;
    this.#pattern = recordPattern(share.defaultAvatar);
  }

  /** A page's records, `rows` of them; what SQLite cannot put into JSON at all is not plain. */
  readText(start: PageStart, rows: number): PageText {
    const parameters = { ...start, rows, ...pageTextParameters(this.#share.defaultAvatar) };
    const found = read(this.#statement(), parameters);
    const records = found?.records ?? EMPTY;
    const isWhole = found?.rows === rows && found.checked === 1;
    return {
      records,
      isWhole,
      isPlain: () => isWhole && isUtf8(records) && this.#pattern.takes(records.toString("latin1"), rows),
    };
  }

  #statement(): Database.Statement<[object], TextRow> {
    if (this.#text) return this.#text;
    const { relation, kind } = this.#share;
    if (kind === "sorted") sortRows(this.#db, relation);
    this.#text = this.#db.prepare<[object], TextRow>(pageTextSql(pageRows(relation, kind)));
    return this.#text;
  }

  /** The same page's rows for themselves, for the schema to look at. */
  candidates(start: PageStart, rows: number): Generator<Candidate, void> {
    const { relation, kind, defaultAvatar } = this.#share;
    const parameters = { ...start, rows };
    return selectCandidates(this.#db, {
      rows: pageRows(relation, kind),
      parameters,
      isDuplicate: "0",
      defaultAvatar,
    });
  }
}

function read(statement: Database.Statement<[object], TextRow>, parameters: object): TextRow | undefined {
  try {
    return statement.get(parameters);
  } catch (error) {
    // A BLOB where text belongs, or more text than SQLite takes: the rows will say so when they are read for themselves.
    if (error instanceof Database.SqliteError && /BLOB|too big/.test(error.message)) return undefined;
    throw error;
  }
}
