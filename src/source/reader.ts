/** Reads pages of a copied source, in any thread. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type Contract, contractOf } from "../contract/contract.js";
import { type RecordPattern, recordPattern } from "../contract/record/byte-pattern.js";
import type { DataSettings } from "../settings/settings.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { COPY, connect, numberColumn, REPEATED, type RowRange } from "./copy.js";
import { pageTextSql } from "./page-text.js";
import { publishedParameters } from "./published.js";

/** Where a copy is. It can be sent to another thread. */
export interface Copy {
  path: string;
  /** Rows of the source that come before those that were copied. */
  before: number;
}

export interface PageText {
  /** The canonical records with their separators, if `isPlain` says so; otherwise anything. */
  records: Buffer;
  /**
   * Whether all records are certainly valid, canonical and without warnings.
   * @param text the records with one character for each byte
   */
  isPlain(text: string): boolean;
}

type TextStatement = Database.Statement<[object], { records: Buffer | null; checked: number | null; rows: number }>;

/** Cache in KiB, negative as SQLite wants it: small, since each row is read once and in order. */
const CACHE = -2000;
const EMPTY = Buffer.alloc(0);

/** Close it in a `finally`. */
export class PageReader {
  readonly #contract: Contract;
  readonly #pattern: RecordPattern;
  readonly #db: Database.Database;
  readonly #hasRepeatedKeys: boolean;
  readonly #number: string;
  /** FROM, WHERE and ORDER BY of some rows. */
  readonly #rows: string;
  readonly #defaultAvatar: string | undefined;
  readonly #published: Record<string, unknown>;
  #text: TextStatement | undefined;

  constructor(
    private readonly copy: Copy,
    { contract, defaultAvatar }: Pick<DataSettings, "contract"> & Partial<Pick<DataSettings, "defaultAvatar">>,
  ) {
    this.#contract = contractOf(contract);
    this.#pattern = recordPattern(this.#contract, defaultAvatar);
    const number = numberColumn(this.#contract);
    this.#number = number;
    this.#rows = `FROM ${COPY} WHERE ${number} > @after AND ${number} <= @last ORDER BY ${number}`;
    this.#defaultAvatar = defaultAvatar;
    this.#published = publishedParameters(defaultAvatar);
    this.#db = connect(copy.path, 0);
    this.#db.pragma(`cache_size = ${CACHE}`);
    this.#hasRepeatedKeys = this.#db.prepare(`SELECT 1 FROM ${REPEATED}`).get() !== undefined;
  }

  readText(range: RowRange): PageText {
    this.#text ??= this.#db.prepare(pageTextSql(this.#contract, this.#rows));
    const found = this.#hasRepeatedKeys
      ? undefined
      : read(this.#text, { ...this.#parametersOf(range), ...this.#published });
    const records = found?.records ?? EMPTY;
    const isWhole = found?.rows === range.rows && (found.checked === 1 || range.rows === 0);
    return { records, isPlain: (text) => isWhole && isUtf8(records) && this.#pattern.takes(text, range.rows) };
  }

  /** Rows in published order, read one by one. @throws SQLite's own errors */
  candidates(range: RowRange): Generator<Candidate, void> {
    return selectCandidates(this.#db, {
      ...{ contract: this.#contract, rows: this.#rows, parameters: this.#parametersOf(range) },
      isRepeated: this.#hasRepeatedKeys ? `${this.#number} IN (SELECT number FROM ${REPEATED})` : "0",
      defaultAvatar: this.#defaultAvatar,
    });
  }

  close(): void {
    this.#db.close();
  }

  #parametersOf({ before, rows }: RowRange) {
    const after = before - this.copy.before;
    return { after, last: after + rows };
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
