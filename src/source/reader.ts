/** Reads single pages of a table on a connection of its own. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type Contract, contractOf } from "../contract/contract.js";
import type { ContractFile } from "../contract/file/form.js";
import { type RecordPattern, recordPattern } from "../contract/record/text.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { connect, isLocked } from "./file.js";
import { type OrderKind, type PageStart, pageParameters, pageRows, sortRows } from "./order.js";
import { pageTextSql } from "./page-text.js";
import { publishedParameters } from "./published.js";

/** What connections in other threads need to know to read one table in one order. */
export interface Share {
  contract: ContractFile;
  relation: string;
  kind: OrderKind;
  defaultAvatar: string | undefined;
}

export interface PageText {
  /** The canonical records with their separators, if every record is valid; otherwise anything. */
  records: Buffer;
  /** Whether all rows are there, and their values have the right types, which the text does not show. */
  isWhole: boolean;
  /**
   * Whether all records are valid and give no warning, and the text is canonical. False where that is not certain.
   * @param text the records with a character for each byte.
   */
  isPlain(text: string): boolean;
}

type TextStatement = Database.Statement<[object], { records: Buffer | null; checked: number | null; rows: number }>;

/** Milliseconds to wait for another process's lock: few, since that process may wait for this build. */
const LOCK_WAIT = 100;

/**
 * In kilobytes, which SQLite wants as a negative number. Rows lie anywhere in the file: what is read again and again are
 * the pages of a table's tree that lead to rows, some 3 MB for a million users. Without those, a row takes two reads and more.
 */
const CACHE = -6000;
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
  readonly #contract: Contract;
  readonly #pattern: RecordPattern;
  readonly #rows: string;
  /** What is the same for every page. */
  readonly #published: Record<string, unknown>;
  #text: TextStatement | undefined;

  constructor(
    private readonly db: Database.Database,
    private readonly share: Share,
  ) {
    const { contract, relation, kind, defaultAvatar } = share;
    this.#contract = contractOf(contract);
    this.#pattern = recordPattern(this.#contract, defaultAvatar);
    this.#rows = pageRows(relation, kind, this.#contract);
    this.#published = publishedParameters(defaultAvatar);
    if (kind === "sorted") sortRows(db, relation, this.#contract, this.#published);
  }

  readText(start: PageStart, rows: number): PageText {
    this.#text ??= this.db.prepare(pageTextSql(this.#contract, this.#rows));
    const found = read(this.#text, { ...pageParameters(start, rows), ...this.#published });
    const records = found?.records ?? EMPTY;
    const isWhole = found?.rows === rows && found.checked === 1;
    return { records, isWhole, isPlain: (text) => isWhole && isUtf8(records) && this.#pattern.takes(text, rows) };
  }

  candidates(start: PageStart, rows: number): Generator<Candidate, void> {
    const parameters = pageParameters(start, rows);
    const selection = { contract: this.#contract, rows: this.#rows, parameters, isRepeated: "0" };
    return selectCandidates(this.db, { ...selection, defaultAvatar: this.share.defaultAvatar });
  }
}

function read(statement: TextStatement, parameters: object): ReturnType<TextStatement["get"]> {
  try {
    return statement.get(parameters);
  } catch (error) {
    // A BLOB where text belongs, or more text than SQLite accepts. Reading the rows one by one will show it.
    if (error instanceof Database.SqliteError && /BLOB|too big|malformed JSON/.test(error.message)) return undefined;
    throw error;
  }
}
