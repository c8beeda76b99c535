/** Opens the SQLite file of records for one build: read-only, one file, one point in time, and only the columns of the contract. */
import type { Database } from "better-sqlite3";
import type { Contract } from "../contract/contract.js";
import { UserError } from "../errors.js";
import type { TemporaryDatabase } from "../scratch/database.js";
import { type Candidate, selectCandidates } from "./candidates.js";
import { explainReading, explainSqlite, overwritten, reading } from "./errors.js";
import { connect, isLocked, SourceFile } from "./file.js";
import {
  chooseOrder,
  countRows,
  isRepeated,
  keepRepeatedKeys,
  type OrderKind,
  orderSql,
  type PageStart,
  pageStarts,
  type RowRange,
} from "./order.js";
import { publishedParameters } from "./published.js";
import type { Share } from "./reader.js";
import { findRelation, isPlainTable, isTable, type RelationOptions, tableOf } from "./relation.js";
import { COPY, copyAsUtf8 } from "./utf8.js";

export interface SourceOptions extends RelationOptions {
  db: string;
  contract: Contract;
  defaultAvatar?: string | undefined;
}

const LOCK_WAIT = 5000;

const ATTEMPTS = 50;

/** One read transaction lasts until `close`. @throws UserError when the file, the table or a column cannot be read. */
export function openSource(options: SourceOptions): Source {
  const source = new Source(options);
  try {
    source.begin();
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

export class Source {
  #opened: ReturnType<typeof open>;
  #copy: TemporaryDatabase | undefined;
  #relation = "";
  /** What stands behind FROM: a table without its indexes, whose values may be damaged, or a view or query. */
  #rows = "";
  #count: number | undefined;
  #hasRepeatedKeys: boolean | undefined;
  #order: { pageSize: number; kind: OrderKind } | undefined;

  constructor(private readonly options: SourceOptions) {
    this.#opened = reading(options.db, () => open(options.db));
  }

  /** After `begin` it is another one, if the path leads to another. */
  get file(): SourceFile {
    return this.#opened.file;
  }

  get count(): number {
    this.#count ??= reading(this.options.db, () => countRows(this.#opened.db, this.#rows));
    return this.#count;
  }

  /** Rows in published order, all unless some are named. They can be read more than once, with the same result. */
  *candidates(range?: RowRange): Generator<Candidate, void> {
    const { db: file, contract, defaultAvatar } = this.options;
    try {
      const { db, rows } = this.#inUtf8();
      this.#hasRepeatedKeys ??= keepRepeatedKeys(db, rows, contract);
      const selection = {
        contract,
        rows: `FROM ${rows} ${orderSql(contract)}${range ? ` LIMIT ${range.rows} OFFSET ${range.before}` : ""}`,
        parameters: publishedParameters(defaultAvatar),
        isRepeated: this.#hasRepeatedKeys ? isRepeated(contract) : "0",
      };
      yield* selectCandidates(db, { ...selection, defaultAvatar });
    } catch (error) {
      throw explainSqlite(file, error);
    }
  }

  #inUtf8(): { db: Database; rows: string } {
    const { db } = this.#opened;
    if (db.pragma("encoding", { simple: true }) === "UTF-8") return { db, rows: this.#rows };
    this.#copy ??= copyAsUtf8(db, this.#rows, this.options.contract);
    return { db: this.#copy.db, rows: COPY };
  }

  /** What rows depend on besides bytes; undefined for a view or a query, which may read the clock or other files. */
  version(): string | undefined {
    if (this.#rows === this.#relation) return undefined;
    return `${this.#opened.db.prepare("SELECT sqlite_version()").pluck().get()} ${this.#relation}`;
  }

  get isShareable(): boolean {
    const { db, query } = this.options;
    const table = tableOf(this.options);
    return query === undefined && reading(db, () => isPlainTable(this.#opened.db, table));
  }

  /** How pages of this size are read; asked of SQLite once for each point in time. */
  share(pageSize: number): Share {
    const { db, contract, defaultAvatar } = this.options;
    if (this.#order?.pageSize !== pageSize) {
      const kind = reading(db, () => chooseOrder(this.#opened.db, this.#relation, contract, pageSize));
      this.#order = { pageSize, kind };
    }
    const { kind } = this.#order;
    return { contract: contract.file, relation: this.#relation, kind, defaultAvatar };
  }

  *pageStarts({ kind }: Share, pageSize: number, range: RowRange): Generator<PageStart, void> {
    try {
      const { contract } = this.options;
      yield* pageStarts(this.#opened.db, this.#relation, contract, { kind, pageSize, ...range });
    } catch (error) {
      throw explainSqlite(this.options.db, error);
    }
  }

  /** Moves on to the present point in time, of the file that the path leads to now. */
  begin(): void {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) if (this.#tryBegin(attempt === ATTEMPTS)) return;
    throw new UserError(
      `${this.options.db} is replaced faster than it can be opened, ${ATTEMPTS} times in a row; deliver it less often, then run this again.`,
    );
  }

  /** @param isLast whether one file is enough, although somebody may commit meanwhile: writers may leave no pause. */
  #tryBegin(isLast: boolean): boolean {
    const { db: path } = this.options;
    try {
      if (!this.file.isOne(1)) this.reopen();
      const { file, db } = this.#opened;
      if (db.inTransaction) db.exec("ROLLBACK");
      file.note();
      db.exec("BEGIN; SELECT 1 FROM sqlite_schema");
      file.requireOwnLog();
      this.#relation = findRelation(db, path, this.options);
      const isInFile = this.options.query === undefined && isTable(db, tableOf(this.options));
      this.#rows = isInFile ? `${this.#relation} NOT INDEXED` : this.#relation;
      this.#count = this.#hasRepeatedKeys = this.#order = undefined;
      this.#forgetCopy();
      if (isLast) file.note({ hasBegun: true });
      return file.isStill() && file.isOne(1);
    } catch (error) {
      if (isLocked(error) || this.file.isStill()) throw explainReading(path, error);
      // While a file is being replaced or overwritten, an error may go away in a moment.
      if (!isLast) return false;
      throw error instanceof UserError ? error : overwritten(path, error);
    }
  }

  /** Whether so many other connections, which have begun since this one, see the same file at the same point in time. */
  isBegunBy(others: number): boolean {
    return reading(this.options.db, () => this.file.isAsNoted(1 + others));
  }

  reopen(): void {
    const opened = open(this.options.db);
    this.close();
    this.#opened = opened;
  }

  /** @throws UserError when somebody overwrote the file during the step, which makes any result of it worthless. */
  async whole<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } finally {
      this.file.requireUntouched();
    }
  }

  close(): void {
    this.#forgetCopy();
    this.#opened.db.close();
    this.file.close();
  }

  #forgetCopy(): void {
    this.#copy?.close();
    this.#copy = undefined;
  }
}

function open(path: string) {
  const file = new SourceFile(path);
  try {
    return { file, db: connect(path, LOCK_WAIT) };
  } catch (error) {
    file.close();
    throw error;
  }
}
