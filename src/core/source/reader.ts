/** Reads pages of the copy of a source, in any thread. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type Contract, contractOf } from "../contract/contract.js";
import { type RecordPattern, recordPattern } from "../contract/record/byte-pattern.js";
import { referencesOf } from "../contract/references.js";
import type { DataSettings } from "../settings/settings.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { type CopyTables, connect, NUMBER, PLACE, type Place, POSITION, ROW, type RowRange } from "./copy.js";
import { pageTextSql } from "./page-text.js";
import { publishedParameters } from "./published.js";

/** The place of a listing's copy. It can be sent to another thread. */
export interface Copy {
  path: string;
  tables: CopyTables;
  /** Rows of the source that come before those that were copied. */
  before: number;
  place: Place | undefined;
  /** Whether the rows come from text files, whose columns have no storage classes. */
  isOfText: boolean;
}

export interface PageText {
  /** The canonical records with separators, if `isPlain` returns true. */
  records: Buffer;
  /**
   * Whether all records are certainly valid, canonical and without warnings.
   * @param text the records with one character per byte
   */
  isPlain(text: string): boolean;
}

type TextStatement = Database.Statement<[object], { records: Buffer | null; checked: number | null; rows: number }>;

/** `cache_size`: 2,000 KiB, negative as SQLite wants it. Small, since each row is read once and in order. */
const CACHE = -2000;
const EMPTY = Buffer.alloc(0);

/** Reads the text or the candidates of pages from a copy. Close it in a `finally`. */
export class PageReader {
  readonly #contract: Contract;
  readonly #pattern: RecordPattern;
  readonly #db: Database.Database;
  readonly #hasRepeatedKeys: boolean;
  readonly #hasLost: boolean;
  /** FROM, WHERE and ORDER BY of some rows, as the source has them. */
  readonly #rows: string;
  /** The same, as the copy's view `exact` has them. */
  readonly #exactRows: string;
  readonly #defaultAvatar: string | undefined;
  readonly #published: Record<string, unknown>;
  #text: TextStatement | undefined;

  constructor(
    private readonly copy: Copy,
    { contract, defaultAvatar }: Pick<DataSettings, "contract"> & Partial<Pick<DataSettings, "defaultAvatar">>,
  ) {
    this.#contract = contractOf(contract);
    this.#pattern = recordPattern(this.#contract, defaultAvatar);
    const { records, exact, order, repeated, lost } = copy.tables;
    const inOrder = (table: string) =>
      `FROM ${order} CROSS JOIN ${table} ON ${NUMBER} = ${ROW} WHERE ${POSITION} > @after AND ${POSITION} <= @last ORDER BY ${POSITION}`;
    this.#rows = inOrder(records);
    this.#exactRows = inOrder(exact);
    this.#defaultAvatar = defaultAvatar;
    this.#published = publishedParameters(defaultAvatar);
    this.#db = connect(copy.path, 0);
    this.#db.pragma(`cache_size = ${CACHE}`);
    const isFilled = (table: string) => this.#db.prepare(`SELECT 1 FROM ${table}`).get() !== undefined;
    this.#hasRepeatedKeys = isFilled(repeated);
    this.#hasLost = isFilled(lost);
  }

  /** Reads the text of some rows, made by SQL. */
  readText(range: RowRange): PageText {
    this.#text ??= this.#db.prepare(pageTextSql(this.#contract, this.#rows));
    const isMarked = this.#hasRepeatedKeys || this.#hasLost;
    const found = isMarked ? undefined : read(this.#text, { ...this.#parametersOf(range), ...this.#published });
    const records = found?.records ?? EMPTY;
    const isComplete = found?.rows === range.rows && (found.checked === 1 || range.rows === 0);
    return { records, isPlain: (text) => isComplete && isUtf8(records) && this.#pattern.takes(text, range.rows) };
  }

  /** Reads candidates row by row, in published order. @throws SQLite's own errors */
  candidates(range: RowRange): Generator<Candidate, void> {
    const { place, tables } = this.copy;
    const { repeated, lost } = tables;
    const isLost = (at: number) => `(${NUMBER}, ${at}) IN (SELECT number, reference FROM ${lost})`;
    return selectCandidates(this.#db, {
      contract: this.#contract,
      rows: this.#exactRows,
      parameters: this.#parametersOf(range),
      place: place && { what: place, column: PLACE },
      isRepeated: this.#hasRepeatedKeys ? `${NUMBER} IN (SELECT number FROM ${repeated})` : "0",
      isLost: this.#hasLost ? referencesOf(this.#contract).map((_reference, at) => isLost(at)) : [],
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
    // A BLOB instead of text, or more text than SQLite accepts. Reading row by row reports it.
    if (error instanceof Database.SqliteError && /BLOB|too big|malformed JSON/.test(error.message)) return undefined;
    throw error;
  }
}
