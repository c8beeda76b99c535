/** Opens a source for one build: its rows in published order, at one point in time, and only the columns of the contract. */
import { statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { quoteName } from "../contract/sql.js";
import { makeScratch, removeScratch } from "../scratch/folder.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { COPY, type Copied, type CopyOptions, copySource, type RowRange } from "./copy.js";
import { explainSqlite } from "./errors.js";
import { rowsOfCopy, type Share } from "./reader.js";
import { isSameFile, isUnwritten } from "./stats.js";

/** Until `close`, there is a copy of the rows in the folder for temporary files. @throws UserError as `copySource` does */
export async function openSource(options: CopyOptions): Promise<Source> {
  const folder = await makeScratch("build");
  try {
    const path = join(folder, "records.sqlite");
    return new Source(options, folder, path, copySource(options, path));
  } catch (error) {
    removeScratch(folder);
    throw explainSqlite(options.db, error);
  }
}

export class Source {
  /** Rows of the source, also those that are not copied. */
  readonly count: number;
  /** What rows depend on besides bytes; undefined for a view or a query, which may read the clock or other files. */
  readonly version: string | undefined;
  readonly share: Share;
  /** Whether two rows that were copied have the same key. */
  readonly hasRepeatedKeys: boolean;
  readonly #db: Database.Database;

  constructor(
    private readonly options: CopyOptions,
    private readonly folder: string,
    path: string,
    private readonly copied: Copied,
  ) {
    const { contract, defaultAvatar } = options;
    this.count = copied.count;
    this.version = copied.version;
    this.share = { path, before: copied.before, contract: contract.file, defaultAvatar };
    this.#db = new Database(path);
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA threads = 4");
    const key = quoteName(contract.key.column);
    this.#db.exec(
      `CREATE TABLE repeated AS SELECT ${key} AS key FROM ${COPY} GROUP BY ${key} COLLATE BINARY HAVING count(*) > 1`,
    );
    this.hasRepeatedKeys = this.#db.prepare("SELECT 1 FROM repeated").get() !== undefined;
  }

  /** Rows in published order, all that were copied unless some are named. They can be read more than once, with the same result. */
  *candidates(range: RowRange = { before: this.copied.before, rows: this.count }): Generator<Candidate, void> {
    const { contract, defaultAvatar } = this.options;
    const key = `${quoteName(contract.key.column)} COLLATE BINARY`;
    try {
      yield* selectCandidates(this.#db, {
        ...{ contract, defaultAvatar, ...rowsOfCopy(this.share, range) },
        isRepeated: this.hasRepeatedKeys ? `${key} IN (SELECT key FROM repeated)` : "0",
      });
    } catch (error) {
      throw explainSqlite(this.options.db, error);
    }
  }

  /** Whether the source's file is still the one that was read, and nobody has written to it since. */
  isStill(): boolean {
    const now = statSync(this.options.db, { bigint: true, throwIfNoEntry: false });
    return now !== undefined && isSameFile(now, this.copied.stats) && isUnwritten(now, this.copied.stats);
  }

  close(): void {
    this.#db.close();
    removeScratch(this.folder);
  }
}
