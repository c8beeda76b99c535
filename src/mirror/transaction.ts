/** One change of a mirror: records and the list of them, row by row, until all is committed at once. */

import type { Database } from "better-sqlite3";
import { ListingError } from "../client/errors.js";
import type { Entry, Held, KeptRecord, StoreTransaction } from "../client/sync/store.js";
import type { AnyRecord, Contract } from "../contract/contract.js";
import { LONE_SURROGATE } from "../contract/json.js";
import { recordEncoder } from "../contract/record/encode.js";
import { type Kind, kindOf } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { shorten } from "../print/text.js";
import { candidateMaker } from "../source/candidates.js";
import { explainUse, using } from "./file.js";
import { guardTables, MIRROR_TABLE, RECORDS_TABLE, shapeOf, tableFor } from "./schema.js";

interface Place {
  file: string;
  url: string;
  contract: Contract;
  /** Whether the path still leads to the file that was opened. */
  isThere: () => boolean;
  onCommit: () => void;
}

export class MirrorTransaction implements StoreTransaction<AnyRecord> {
  readonly #db: Database;
  readonly #place: Place;
  readonly #toRow: ReturnType<typeof rowMaker>;
  readonly #statements: ReturnType<typeof statementsOf>;

  /** @param db in which a transaction has begun. */
  constructor(db: Database, place: Place) {
    const { contract } = place;
    this.#db = db;
    this.#place = place;
    this.#toRow = rowMaker(contract);
    this.#statements = statementsOf(db, contract);
  }

  put({ key, digest, order, record, text }: KeptRecord<AnyRecord>): void {
    const row = this.#toRow(record, text);
    if (!row) throw this.#misfit(key);
    using(this.#place.file, () => {
      const { find, insert, update, move, list, relist, unlist } = this.#statements;
      const place = Buffer.from(order.buffer, order.byteOffset, order.byteLength);
      const before = find.get(key);
      if (before?.equals(place)) {
        // Indexes that have this record already are left alone.
        update(row);
        relist.run(digest, place);
        return;
      }
      if (before) {
        move(row);
        unlist.run(key);
      } else insert.run(row);
      list.run(place, key, digest);
    });
  }

  remove(key: string): void {
    using(this.#place.file, () => {
      const { unlist, remove } = this.#statements;
      if (unlist.run(key).changes > 0) remove.run(keyOf(this.#place.contract, key));
    });
  }

  *entries(): Generator<Entry, void> {
    try {
      for (const [key, digest] of this.#statements.entries.iterate()) yield { key, digest };
    } catch (error) {
      throw explainUse(this.#place.file, error);
    }
  }

  commit({ state, contract: sha256, count, tag }: Held): void {
    const { file, url, contract, isThere, onCommit } = this.#place;
    try {
      this.#requireWhole(count);
      if (!isThere()) throw new UserError(`${file} was removed or replaced meanwhile; run this again.`);
      guardTables(this.#db, contract);
      this.#db.exec(`DELETE FROM ${MIRROR_TABLE}`);
      this.#db
        .prepare(`INSERT INTO ${MIRROR_TABLE} VALUES (0, ?, ?, ?, ?, ?, ?, ?)`)
        .run(url, state, BigInt(count), tag ?? null, shapeOf(this.#db, contract), sha256, contract.text);
      this.#db.exec("COMMIT");
      onCommit();
    } catch (error) {
      // Whoever commits does not roll back any more.
      this.rollback();
      throw explainUse(file, error);
    }
  }

  rollback(): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
  }

  /** @throws UserError where the table and the list do not hold equally many. */
  #requireWhole(count: number): void {
    const { file, contract } = this.#place;
    const rows = this.#db
      .prepare(`SELECT count(*) FROM ${quoteName(tableFor(contract))}`)
      .pluck()
      .get();
    if (rows === count) return;
    throw new UserError(
      `${file} would hold ${rows} records, and there are ${count}; remove it with its -wal and -shm, then run this again.`,
    );
  }

  /** The reader's own kind of error: a step that has such a record is not enough, and everything is read instead. */
  #misfit(key: string): ListingError {
    const { url, contract } = this.#place;
    const what = `${shorten(contract.listing.words[0], 60)} ${shorten(key, 60)}`;
    return new ListingError(
      "malformed",
      url,
      `publishes ${what}, which does not fit its own contract, so that no table can hold it`,
    );
  }
}

function statementsOf(db: Database, contract: Contract) {
  const table = quoteName(tableFor(contract));
  const columns = contract.fields.map(({ column }) => quoteName(column));
  const all = contract.fields.map((_, at) => at);
  const others = all.filter((at) => contract.order.every(({ path }) => path !== contract.fields[at]?.path));
  return {
    find: db.prepare<[string], Buffer>(`SELECT place FROM ${RECORDS_TABLE} WHERE key = ?`).pluck(),
    insert: db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => "?")})`),
    /** For a record whose place is the same. */
    update: updateOf(db, contract, others.length > 0 ? others : all),
    move: updateOf(db, contract, all),
    remove: db.prepare(`DELETE FROM ${table} WHERE ${quoteName(contract.key.column)} = ?`),
    list: db.prepare(`INSERT INTO ${RECORDS_TABLE} VALUES (?, ?, ?)`),
    relist: db.prepare(`UPDATE ${RECORDS_TABLE} SET digest = ? WHERE place = ?`),
    unlist: db.prepare(`DELETE FROM ${RECORDS_TABLE} WHERE key = ?`),
    entries: db.prepare<[], [string, string]>(`SELECT key, digest FROM ${RECORDS_TABLE} ORDER BY place`).raw(),
  };
}

/** Puts some columns of a row over those of the record that has its key. */
function updateOf(db: Database, contract: Contract, places: readonly number[]): (row: readonly Column[]) => void {
  const { fields, key } = contract;
  const set = places.map((at) => `${quoteName(fields[at]?.column ?? "")} = ?`);
  const table = quoteName(tableFor(contract));
  const statement = db.prepare(`UPDATE ${table} SET ${set} WHERE ${quoteName(key.column)} = ?`);
  const values = [...places, fields.findIndex(({ path }) => path === key.path)];
  return (row) => void statement.run(values.map((at) => row[at]));
}

type Column = string | number | bigint | null;

/**
 * Makes rows, with a value for each of the contract's fields in their order. A row is undefined where no table could hold
 * the record: one that is not of the contract, which only a host that deceives can have.
 */
function rowMaker(contract: Contract): (record: unknown, text: string) => Column[] | undefined {
  const kinds = contract.fields.map(({ schema }) => kindOf(schema));
  const read = candidateMaker(contract, undefined);
  const encode = recordEncoder(contract);
  return (record, text) => {
    const row = contract.fields.map((field, at) => toColumn(kinds[at] ?? "mixed", valueAt(record, field)));
    // SQLite's text is UTF-8, which has no half of a pair.
    const isHalf = HALVES.test(text) && row.some((value) => typeof value === "string" && LONE_SURROGATE.test(value));
    return !isHalf && encode(read(row)) === text ? row : undefined;
  };
}

/** As canonical text has them. */
const HALVES = /\\ud[89a-f]/;

/** What a column cannot hold is only published where it is NULL, by a rule of the contract. */
function toColumn(kind: Kind, value: unknown): Column {
  // NULL may have a rule of its own.
  if (kind === "json") return JSON.stringify(value) ?? null;
  if (value === null || value === undefined) return null;
  if (kind === "array" || kind === "object") return JSON.stringify(value);
  if (typeof value === "boolean") return kind === "boolean" ? BigInt(value) : null;
  // better-sqlite3 binds every number as REAL; a bigint is an INTEGER.
  if (typeof value === "number") return kind !== "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" ? value : null;
}

/** The value of a key in the list, which is one that was written there. */
function keyOf({ key }: Contract, written: string): string | bigint {
  if (key.kind === "integer") return BigInt(written);
  return written.startsWith('"') ? JSON.parse(written) : written;
}
