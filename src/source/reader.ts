/** Reads single pages of a table on a connection of its own. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type RecordPattern, recordPattern } from "../contract/record-text.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { connect, isLocked } from "./file.js";
import { type OrderKind, type PageStart, pageRows, sortRows } from "./order.js";
import { pageTextParameters, pageTextSql } from "./page-text.js";

/** What connections in other threads need to know to read one table in one order. */
export interface Share {
  relation: string;
  kind: OrderKind;
  defaultAvatar: string;
}

export interface PageText {
  /** The canonical records with their separators, if every user is valid; otherwise anything. */
  records: Buffer;
  /** Whether all rows are there, and their values have the right types, which the text does not show. */
  isWhole: boolean;
  /** Whether all users are valid and give no warning, and the text is canonical. False where that is not certain. */
  isPlain(): boolean;
}

type TextStatement = Database.Statement<[object], { records: Buffer | null; checked: number | null; rows: number }>;

/** Milliseconds to wait for another process's lock: few, since that process may wait for this build. */
const LOCK_WAIT = 100;

/** In kilobytes, which SQLite wants as a negative number. Rows lie anywhere in the file, so more would not help. */
const CACHE = -2000;
const EMPTY = Buffer.alloc(0);

/** Opens a file and begins a read transaction. @returns undefined when another process holds a lock. */
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
  readonly #pattern: RecordPattern;
  #text: TextStatement | undefined;

  constructor(
    private readonly db: Database.Database,
    private readonly share: Share,
  ) {
    this.#pattern = recordPattern(share.defaultAvatar);
  }

  readText(start: PageStart, rows: number): PageText {
    const parameters = { ...start, rows, ...pageTextParameters(this.share.defaultAvatar) };
    this.#text ??= this.#statement();
    const found = read(this.#text, parameters);
    const records = found?.records ?? EMPTY;
    const isWhole = found?.rows === rows && found.checked === 1;
    return {
      records,
      isWhole,
      isPlain: () => isWhole && isUtf8(records) && this.#pattern.takes(records.toString("latin1"), rows),
    };
  }

  #statement(): TextStatement {
    const { relation, kind } = this.share;
    if (kind === "sorted") sortRows(this.db, relation);
    return this.db.prepare(pageTextSql(pageRows(relation, kind)));
  }

  candidates(start: PageStart, rows: number): Generator<Candidate, void> {
    const { relation, kind, defaultAvatar } = this.share;
    const selection = { rows: pageRows(relation, kind), parameters: { ...start, rows } };
    return selectCandidates(this.db, { ...selection, isDuplicate: "0", defaultAvatar });
  }
}

function read(statement: TextStatement, parameters: object): ReturnType<TextStatement["get"]> {
  try {
    return statement.get(parameters);
  } catch (error) {
    // A BLOB where text belongs, or more text than SQLite accepts. Reading the rows one by one will show it.
    if (error instanceof Database.SqliteError && /BLOB|too big/.test(error.message)) return undefined;
    throw error;
  }
}
