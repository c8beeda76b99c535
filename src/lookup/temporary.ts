/** Bytes that memory has no room for. SQLite keeps them in a temporary file. */
import Database from "better-sqlite3";
import { explainScratch } from "../errors.js";

/** KiB that SQLite holds in memory: few, since each piece is read once. */
const MEMORY = 4096;
/** Bytes of a page of the file: larger than usual, since a piece takes so many calls of the system. */
const PAGE = 2 ** 15;

/** Each piece is a row of many kilobytes: a row for each term would take several times as long. To be closed in a `finally`. */
export class TemporaryBytes {
  /** An empty name is a file that nobody else sees, and that is gone when it is closed, or with the process. */
  readonly #db = new Database("");
  readonly #insert: Database.Statement<[bytes: Uint8Array]>;
  readonly #select: Database.Statement<[number: number], Buffer>;

  /** @param purpose what the folder is to have room for, in a message: `compare keys in`. */
  constructor(private readonly purpose = "sort what records are looked up by in") {
    this.#db.exec(`PRAGMA page_size = ${PAGE}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${MEMORY}; BEGIN;
      CREATE TABLE pieces (number INTEGER PRIMARY KEY, bytes BLOB)`);
    this.#insert = this.#db.prepare("INSERT INTO pieces (bytes) VALUES (?)");
    this.#select = this.#db.prepare<[number], Buffer>("SELECT bytes FROM pieces WHERE number = ?").pluck();
  }

  /** @returns the number of the piece, from 1. @throws UserError when the folder for temporary files cannot hold it. */
  put(bytes: Uint8Array): number {
    return this.#run(() => Number(this.#insert.run(bytes).lastInsertRowid));
  }

  get(number: number): Buffer {
    const bytes = this.#run(() => this.#select.get(number));
    if (!bytes) throw new Error(`There is no piece ${number}`);
    return bytes;
  }

  close(): void {
    this.#db.close();
  }

  #run<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      throw explainScratch(cause, this.purpose);
    }
  }
}
