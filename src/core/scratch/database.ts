/** A temporary SQLite database for data that does not fit into memory. */
import Database from "better-sqlite3";
import { codeOf } from "../errors.js";
import { lackOfRoom } from "./folder.js";

interface TemporaryOptions {
  /** SQL that makes its tables. */
  tables: string;
  /** KiB of SQLite's cache. */
  memory: number;
}

/** A temporary database. Close it in a `finally`. */
export class TemporaryDatabase {
  /** An empty name makes a private temporary file, which is removed at close or with the process. */
  readonly db: Database.Database = new Database("");

  constructor({ tables, memory }: TemporaryOptions) {
    // The data need not survive the process, so no journal is needed. SQLite's threads help to sort.
    this.db.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA threads = 4; PRAGMA cache_size = -${memory}; BEGIN; ${tables}`,
    );
  }

  /** Runs a step. @throws UserError if the temporary directory has too little room; anything else that the step throws. */
  run<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      const code = codeOf(cause);
      // The caller handles constraints.
      if (!code?.startsWith("SQLITE_") || code.startsWith("SQLITE_CONSTRAINT")) throw cause;
      throw lackOfRoom(cause);
    }
  }

  /** The rows of a query. @throws as `run` does. */
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
