/** A database in a temporary file, for what memory has no room for. */
import { tmpdir } from "node:os";
import Database from "better-sqlite3";
import { codeOf, UserError } from "../errors.js";

interface TemporaryOptions {
  /** What it holds, in SQL. */
  tables: string;
  /** KiB that SQLite keeps in memory. */
  memory: number;
  /** What the file is for, in a message: `look for repeated keys in`. */
  purpose: string;
  /** Bytes of a page of the file, unless SQLite chooses. */
  pageSize?: number;
}

/** To be closed in a `finally`. */
export class TemporaryDatabase {
  /** An empty name is a file that nobody else sees, and that is gone when it is closed, or with the process. */
  readonly db: Database.Database = new Database("");
  readonly #purpose: string;

  constructor({ tables, memory, purpose, pageSize }: TemporaryOptions) {
    this.#purpose = purpose;
    if (pageSize !== undefined) this.db.pragma(`page_size = ${pageSize}`);
    // Nothing has to survive this process. Threads of SQLite's own help to sort.
    this.db.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA threads = 4; PRAGMA cache_size = -${memory}; BEGIN; ${tables}`,
    );
  }

  /** @throws UserError when the folder for temporary files cannot hold what a step puts there; what else the step throws. */
  run<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      const code = codeOf(cause);
      // A constraint is for who has set it.
      if (!code?.startsWith("SQLITE_") || code.startsWith("SQLITE_CONSTRAINT")) throw cause;
      throw new UserError(
        `The folder for temporary files, ${tmpdir()}, has no room to ${this.#purpose} (${code}); point TMPDIR at one with room.`,
        { cause },
      );
    }
  }

  /** @throws as `run` does. */
  *rows<Row>(sql: string): Generator<Row, void> {
    const rows = this.run(() => this.db.prepare<[], Row>(sql).iterate());
    try {
      for (let next = this.run(() => rows.next()); !next.done; next = this.run(() => rows.next())) yield next.value;
    } finally {
      // SQLite does not close while a query is open.
      rows.return?.();
    }
  }

  close(): void {
    this.db.close();
  }
}
