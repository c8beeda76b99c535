/** Bytes that memory has no room for. SQLite keeps them in a temporary file. */
import type { Statement } from "better-sqlite3";
import { TemporaryDatabase } from "../scratch/database.js";

/** KiB that SQLite holds in memory: few, since each piece is read once. */
const MEMORY = 4096;
/** Bytes of a page of the file: larger than usual, since a piece takes so many calls of the system. */
const PAGE = 2 ** 15;

/** Each piece is a row of many kilobytes: a row for each term would take several times as long. To be closed in a `finally`. */
export class TemporaryBytes {
  readonly #temporary: TemporaryDatabase;
  readonly #insert: Statement<[bytes: Uint8Array]>;
  readonly #select: Statement<[number: number], Buffer>;

  /** @param purpose what the folder is to have room for, in a message: `compare keys in`. */
  constructor(purpose = "sort what records are looked up by in") {
    const tables = "CREATE TABLE pieces (number INTEGER PRIMARY KEY, bytes BLOB)";
    this.#temporary = new TemporaryDatabase({ tables, memory: MEMORY, purpose, pageSize: PAGE });
    const { db } = this.#temporary;
    this.#insert = db.prepare("INSERT INTO pieces (bytes) VALUES (?)");
    this.#select = db.prepare<[number], Buffer>("SELECT bytes FROM pieces WHERE number = ?").pluck();
  }

  /** @returns the number of the piece, from 1. @throws UserError when the folder for temporary files cannot hold it. */
  put(bytes: Uint8Array): number {
    return this.#temporary.run(() => Number(this.#insert.run(bytes).lastInsertRowid));
  }

  get(number: number): Buffer {
    const bytes = this.#temporary.run(() => this.#select.get(number));
    if (!bytes) throw new Error(`There is no piece ${number}`);
    return bytes;
  }

  close(): void {
    this.#temporary.close();
  }
}
