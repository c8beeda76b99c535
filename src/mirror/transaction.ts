/** One update of a listing's records, and of their entries in the list, as a savepoint in the mirror's transaction. */
import type { Database } from "better-sqlite3";
import { ListingError } from "../client/errors.js";
import type { StoreTransaction } from "../client/sync/store.js";
import type { AnyRecord, Contract } from "../core/contract/contract.js";
import { type Kind, kindOf } from "../core/contract/record/kind.js";
import { recordCheck } from "../core/contract/record/schema.js";
import { valueAt } from "../core/contract/record/value.js";
import { quoteName } from "../core/contract/sql.js";
import { UserError } from "../core/errors.js";
import { shorten } from "../core/print/text.js";
import { explainUse, using } from "./file.js";
import { listOf, lockTables, MIRROR_TABLE, shapeOf } from "./schema.js";

interface Place {
  file: string;
  url: string;
  /** The listing's name in its site. */
  name: string;
  table: string;
  contract: Contract;
}

/** Undoes the changes since the savepoint of a listing. An error such as a full disk has rolled back everything. */
export function undo(db: Database): void {
  if (db.inTransaction) db.exec("ROLLBACK TO listing; RELEASE listing");
}

/** Makes the transaction that puts and removes records. @param db with an open savepoint. */
export function createTransaction(db: Database, place: Place): StoreTransaction<AnyRecord> {
  const { file, url, name, table, contract } = place;
  const records = quoteName(table);
  const digests = quoteName(listOf(table));
  const key = quoteName(contract.key.column);
  const columns = contract.fields.map(({ column }) => quoteName(column));
  const values = columns.map(() => "?");
  const changes = columns.map((column) => `${column} = excluded.${column}`);
  const put = db.prepare(
    `INSERT INTO ${records} (${columns}) VALUES (${values}) ON CONFLICT (${key}) DO UPDATE SET ${changes}`,
  );
  const remove = db.prepare(`DELETE FROM ${records} WHERE ${key} = ?`);
  const list = db.prepare(`REPLACE INTO ${digests} VALUES (?, ?, ?)`);
  const unlist = db.prepare(`DELETE FROM ${digests} WHERE key = ?`);
  const listed = db.prepare<[], [string, string]>(`SELECT key, digest FROM ${digests} ORDER BY place`).raw();
  const check = recordCheck(contract);
  const kinds = contract.fields.map(({ schema }) => kindOf(schema));
  return {
    put({ key: written, digest, order, record }) {
      // The client's kind of error, so that a step with such a record is refused, and everything is read instead.
      if (check(record).length > 0) throw misfit(url, contract, written);
      using(file, () => {
        put.run(contract.fields.map((field, at) => toColumn(kinds[at] ?? "mixed", valueAt(record, field))));
        list.run(Buffer.from(order.buffer, order.byteOffset, order.byteLength), written, digest);
      });
    },
    remove(written) {
      using(file, () => {
        if (unlist.run(written).changes > 0) remove.run(keyOf(contract, written));
      });
    },
    *entries() {
      try {
        for (const [written, digest] of listed.iterate()) yield { key: written, digest };
      } catch (error) {
        throw explainUse(file, error);
      }
    },
    commit({ id, state, contract: sha256, count }) {
      try {
        const rows = db.prepare(`SELECT count(*) FROM ${records}`).pluck().get();
        if (rows !== count)
          throw new UserError(
            `${file} would have ${rows} records instead of ${count}; remove it with its -wal and -shm, then run this again.`,
          );
        lockTables(db, table);
        db.prepare(`REPLACE INTO ${MIRROR_TABLE} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
          name,
          table,
          url,
          id,
          state,
          BigInt(count),
          shapeOf(db, table),
          sha256,
          contract.text,
        );
        db.exec("RELEASE listing");
      } catch (error) {
        // The caller does not roll back after `commit`.
        undo(db);
        throw explainUse(file, error);
      }
    },
    rollback: () => undo(db),
  };
}

function misfit(url: string, { listing }: Contract, key: string): ListingError {
  const what = `${shorten(listing.words[0], 60)} ${shorten(key, 60)}`;
  return new ListingError(
    "malformed",
    url,
    `publishes ${what}, which does not fit its own contract, so it cannot be stored`,
  );
}

/** Converts a value for a column. A value that a column cannot hold is NULL: a rule of the contract publishes it for NULL. */
function toColumn(kind: Kind, value: unknown): string | number | bigint | null {
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
