/** Reads pages of a copied source, in any thread. */
import { isUtf8 } from "node:buffer";
import Database from "better-sqlite3";
import { type Contract, contractOf } from "../contract/contract.js";
import type { ContractFile } from "../contract/file/form.js";
import { type RecordPattern, recordPattern } from "../contract/record/text.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { COPY, connect, NUMBER, type RowRange } from "./copy.js";
import { pageTextSql } from "./page-text.js";
import { publishedParameters } from "./published.js";

/** What threads need to know to read a copy. */
export interface Share {
  path: string;
  /** Rows of the source that come before those that were copied. */
  before: number;
  contract: ContractFile;
  defaultAvatar: string | undefined;
}

export interface PageText {
  /** The canonical records with their separators, if every record is valid; otherwise anything. */
  records: Buffer;
  /**
   * Whether all records are valid and give no warning, and the text is canonical. False where that is not certain.
   * @param text the records with a character for each byte.
   */
  isPlain(text: string): boolean;
}

type TextStatement = Database.Statement<[object], { records: Buffer | null; checked: number | null; rows: number }>;

/** In kilobytes, which SQLite wants as a negative number: few, since each row is read once and in order. */
const CACHE = -2000;
const EMPTY = Buffer.alloc(0);

/** FROM, WHERE and ORDER BY of some rows, with what they take. */
export function rowsOfCopy({ before }: Pick<Share, "before">, { before: behind, rows }: RowRange) {
  return { rows: ROWS, parameters: { after: behind - before, last: behind - before + rows } };
}

const ROWS = `FROM ${COPY} WHERE ${NUMBER} > @after AND ${NUMBER} <= @last ORDER BY ${NUMBER}`;

export class PageReader {
  readonly #contract: Contract;
  readonly #pattern: RecordPattern;
  readonly #db: Database.Database;
  readonly #published: Record<string, unknown>;
  #text: TextStatement | undefined;

  constructor(private readonly share: Share) {
    const { path, contract, defaultAvatar } = share;
    this.#contract = contractOf(contract);
    this.#pattern = recordPattern(this.#contract, defaultAvatar);
    this.#published = publishedParameters(defaultAvatar);
    this.#db = connect(path, 0);
    this.#db.pragma(`cache_size = ${CACHE}`);
  }

  readText(range: RowRange): PageText {
    this.#text ??= this.#db.prepare(pageTextSql(this.#contract, ROWS));
    const found = read(this.#text, { ...rowsOfCopy(this.share, range).parameters, ...this.#published });
    const records = found?.records ?? EMPTY;
    const isWhole = found?.rows === range.rows && found.checked === 1;
    return { records, isPlain: (text) => isWhole && isUtf8(records) && this.#pattern.takes(text, range.rows) };
  }

  candidates(range: RowRange): Generator<Candidate, void> {
    const selection = { contract: this.#contract, ...rowsOfCopy(this.share, range), isRepeated: "0" };
    return selectCandidates(this.#db, { ...selection, defaultAvatar: this.share.defaultAvatar });
  }

  close(): void {
    this.#db.close();
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
