/** Notices that a database was written to, so that several connections can begin at one point in time. */
import { resolve } from "node:path";
import Database from "better-sqlite3";

/** A connection that never begins a transaction: its `data_version` moves with every commit of anybody else. */
export class Watchman {
  readonly #db: Database.Database;
  readonly #version: Database.Statement;

  constructor(file: string) {
    this.#db = new Database(resolve(file), { readonly: true, fileMustExist: true });
    this.#version = this.#db.prepare("PRAGMA data_version").pluck();
  }

  /** A number that is the same again only if nobody has committed in between. */
  look(): unknown {
    return this.#version.get();
  }

  close(): void {
    this.#db.close();
  }
}
