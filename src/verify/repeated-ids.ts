/** Finds ids that come more than once. SQLite keeps them in a temporary file, so that memory does not grow with them. */
import { tmpdir } from "node:os";
import Database from "better-sqlite3";
import { codeOf, UserError } from "../errors.js";

/** An id, and the first and the last page that it is on. */
type Repeated<Id> = { id: Id; times: number; first: number; last: number };

/** KiB that SQLite holds in memory. */
const MEMORY = 16_384;
const ID_BYTES = 16;

export class IdTable {
  /** An empty name is a file that nobody else sees, and that is gone when it is closed, or with the process. */
  readonly #db = new Database("");
  readonly #insert: Database.Statement<[page: number, ids: string]>;

  constructor() {
    this.#db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${MEMORY}; BEGIN;
      CREATE TABLE ids (id BLOB, page INTEGER)`);
    this.#insert = this.#db.prepare("INSERT INTO ids SELECT unhex(value, '-'), ? FROM json_each(?)");
  }

  /**
   * Whatever is no UUID is never repeated. @throws UserError when the folder for temporary files cannot hold the ids.
   * @param ids a JSON array: one string passes from thread to thread faster than many.
   */
  add(page: number, ids: string): void {
    try {
      this.#insert.run(page, ids);
    } catch (cause) {
      throw explain(cause);
    }
  }

  *find(): Generator<Repeated<string>> {
    const repeated = this.#db.prepare(`SELECT id, count(*) AS times, min(page) AS first, max(page) AS last FROM ids
      WHERE id IN (SELECT id FROM ids WHERE length(id) = ${ID_BYTES} GROUP BY id HAVING count(*) > 1) GROUP BY id`);
    try {
      for (const row of repeated.iterate() as IterableIterator<Repeated<Buffer>>) yield { ...row, id: toUuid(row.id) };
    } catch (cause) {
      throw explain(cause);
    }
  }

  close(): void {
    this.#db.close();
  }
}

function toUuid(id: Buffer): string {
  return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function explain(cause: unknown): unknown {
  const code = codeOf(cause);
  if (!code?.startsWith("SQLITE_")) return cause;
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has no room to look for repeated ids in (${code}); point TMPDIR at one with room.`,
    { cause },
  );
}
