/** One update of a mirror in a transaction: records, and their entries in the list. */

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

/** Puts and removes records, then commits or rolls back. */
export class MirrorTransaction implements StoreTransaction<AnyRecord> {
  readonly #db: Database;
  readonly #place: Place;
  readonly #toRow: ReturnType<typeof rowMaker>;
  readonly #statements: ReturnType<typeof statementsOf>;

  /** @param db with an open transaction. */
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
        // The position is the same, so indexes on order columns need no update.
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
      this.#requireCount(count);
      if (!isThere()) throw new UserError(`${file} was removed or replaced meanwhile; run this again.`);
      guardTables(this.#db, contract);
      this.#db.exec(`DELETE FROM ${MIRROR_TABLE}`);
      this.#db
        .prepare(`INSERT INTO ${MIRROR_TABLE} VALUES (0, ?, ?, ?, ?, ?, ?, ?)`)
        .run(url, state, BigInt(count), tag ?? null, shapeOf(this.#db, contract), sha256, contract.text);
      this.#db.exec("COMMIT");
      onCommit();
    } catch (error) {
      // The caller does not roll back after `commit`.
      this.rollback();
      throw explainUse(file, error);
    }
  }

  rollback(): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
  }

  /** @throws UserError if the table does not have `count` records. */
  #requireCount(count: number): void {
    const { file, contract } = this.#place;
    const rows = this.#db
      .prepare(`SELECT count(*) FROM ${quoteName(tableFor(contract))}`)
      .pluck()
      .get();
    if (rows === count) return;
    throw new UserError(
      `${file} would have ${rows} records instead of ${count}; remove it with its -wal and -shm, then run this again.`,
    );
  }

  /** The client's kind of error, so that a step with such a record is refused, and everything is read instead. */
  #misfit(key: string): ListingError {
    const { url, contract } = this.#place;
    const what = `${shorten(contract.listing.words[0], 60)} ${shorten(key, 60)}`;
    return new ListingError(
      "malformed",
      url,
      `publishes ${what}, which does not fit its own contract, so it cannot be stored`,
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
    /** For a record whose position is the same. */
    update: updateOf(db, contract, others.length > 0 ? others : all),
    move: updateOf(db, contract, all),
    remove: db.prepare(`DELETE FROM ${table} WHERE ${quoteName(contract.key.column)} = ?`),
    list: db.prepare(`INSERT INTO ${RECORDS_TABLE} VALUES (?, ?, ?)`),
    relist: db.prepare(`UPDATE ${RECORDS_TABLE} SET digest = ? WHERE place = ?`),
    unlist: db.prepare(`DELETE FROM ${RECORDS_TABLE} WHERE key = ?`),
    entries: db.prepare<[], [string, string]>(`SELECT key, digest FROM ${RECORDS_TABLE} ORDER BY place`).raw(),
  };
}

/** Makes a function that updates some columns of the record with a row's key. */
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
 * Makes a function that turns records into rows, with a value for each field of the contract. It returns undefined for a record
 * that does not fit the contract, which only a malicious host publishes.
 */
function rowMaker(contract: Contract): (record: unknown, text: string) => Column[] | undefined {
  const kinds = contract.fields.map(({ schema }) => kindOf(schema));
  const read = candidateMaker(contract, undefined);
  const encode = recordEncoder(contract);
  return (record, text) => {
    const row = contract.fields.map((field, at) => toColumn(kinds[at] ?? "mixed", valueAt(record, field)));
    // SQLite's text is UTF-8, which cannot have lone surrogates.
    const hasLoneSurrogate =
      ESCAPED_SURROGATE.test(text) && row.some((value) => typeof value === "string" && LONE_SURROGATE.test(value));
    return !hasLoneSurrogate && encode(read(row)) === text ? row : undefined;
  };
}

/** Surrogates as canonical text escapes them. */
const ESCAPED_SURROGATE = /\\ud[89a-f]/;

/** Converts a value for a column. A value that a column cannot hold is NULL: a rule of the contract publishes it for NULL. */
function toColumn(kind: Kind, value: unknown): Column {
  // JSON null is a value here, since NULL may have its own rule.
  if (kind === "json") return JSON.stringify(value) ?? null;
  if (value === null || value === undefined) return null;
  if (kind === "array" || kind === "object") return JSON.stringify(value);
  if (typeof value === "boolean") return kind === "boolean" ? BigInt(value) : null;
  // better-sqlite3 binds every number as REAL; a bigint is an INTEGER.
  if (typeof value === "number") return kind !== "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" ? value : null;
}

/** The value of a key as written in the list. */
function keyOf({ key }: Contract, written: string): string | bigint {
  if (key.kind === "integer") return BigInt(written);
  return written.startsWith('"') ? JSON.parse(written) : written;
}
