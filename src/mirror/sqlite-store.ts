/** The client's stores in a SQLite file: one for each listing, all changed in one transaction. */
import type { Database } from "better-sqlite3";
import type { Store } from "../client/sync/store.js";
import type { AnyRecord, Contract } from "../core/contract/contract.js";
import { parseContract } from "../core/contract/file/load.js";
import { mirrorTable } from "../core/contract/listing-names.js";
import { UserError } from "../core/errors.js";
import { CONTRACT } from "../core/release/layout.js";
import { openMirror, removeBare, using, watchFile } from "./file.js";
import { dropTables, emptyTables, isBare, MIRROR_TABLE, makeTables, shapeOf, unlockTables } from "./schema.js";
import { createTransaction, undo } from "./transaction.js";

/** The store of one listing. */
interface SqliteStore extends Store<AnyRecord> {
  /** Why the existing records cannot be trusted, so that everything is read again. */
  readonly distrust: string | undefined;
  /** The contract of its records; undefined for a store that was never filled. */
  readonly contract: Contract | undefined;
}

export interface SqliteStores {
  /** The names of the listings in the file; an empty one for a listing that is not of a site. */
  names(): string[];
  store(name: string): SqliteStore;
  /** Drops the tables of all other listings. */
  keepOnly(names: readonly string[]): void;
  /** Makes the changes of all listings visible at once. */
  commit(): void;
  /** Discards changes that were not committed. */
  close(): void;
}

interface MirrorRow {
  name: string;
  records: string;
  url: string;
  id: string;
  state: string;
  count: number;
  shape: string;
  contract_sha256: string;
  contract: string;
}

/**
 * Makes the stores of a mirror. Opens the file at the first use, and creates it only when there is something to write.
 * @param file a mirror, or a path where no file exists.
 * @param url the base URL of the listing or the site, stored in the mirror.
 */
export function createSqliteStores(file: string, url: string): SqliteStores {
  let db: Database | undefined;
  /** The rows before the transaction. */
  let seen: MirrorRow[] | undefined;
  let isThere = () => true;
  /** Whether this run fills the file for the first time. */
  let isEmpty = false;

  const open = (isWanted: boolean) => {
    if (db) return db;
    db = openMirror(file, isWanted);
    if (db) isThere = watchFile(file);
    return db;
  };
  const read = () => open(false)?.prepare<[], MirrorRow>(`SELECT * FROM ${MIRROR_TABLE} ORDER BY name`).all() ?? [];
  const rows = () => {
    if (db?.inTransaction) return read();
    seen ??= read();
    return seen;
  };
  const begin = (): Database => {
    const opened = open(true) as Database;
    if (opened.inTransaction) return opened;
    opened.exec("BEGIN IMMEDIATE");
    if (JSON.stringify(seen) !== JSON.stringify(read())) {
      opened.exec("ROLLBACK");
      throw new UserError(`${file} was updated by another run meanwhile; run this again.`);
    }
    isEmpty = isBare(opened);
    return opened;
  };
  const refuseOther = (row: MirrorRow, what: string) => {
    if (row.url !== url)
      throw new UserError(`${file} is a mirror of ${row.url}, which has ${what}; name another file.`);
  };

  const createStore = (name: string): SqliteStore => {
    let row: MirrorRow | undefined;
    let distrust: string | undefined;
    let used: Contract | undefined;
    /** Prepares the tables for changes. */
    const prepare = (opened: Database, table: string, contract: Contract, isAnew: boolean) => {
      if (row) unlockTables(opened, row.records);
      const isSame = row !== undefined && row.contract === contract.text && distrust === undefined;
      if (isAnew && isSame) emptyTables(opened, table);
      if (!isAnew || isSame) return;
      if (row) dropTables(opened, row.records);
      makeTables(opened, table, contract);
    };
    return {
      get distrust() {
        return distrust;
      },
      get contract() {
        return used;
      },
      async held() {
        row = using(file, rows).find((one) => one.name === name);
        if (!row) return undefined;
        const { id, state, count, contract_sha256, records, shape } = row;
        const contract = await parseContract(row.contract);
        if ("mistakes" in contract)
          throw new UserError(`${file} is damaged: its contract is not valid; remove it, then run this again.`);
        used = contract;
        // Triggers protect records, so a program that changed a record must have changed a table or a trigger first.
        const isSame = using(file, () => shapeOf(db as Database, records) === shape);
        distrust = isSame ? undefined : "its tables or triggers were changed, so that its records may have been, too";
        // Without an id, the row is written again with this URL.
        return isSame ? { state, contract: contract_sha256, count, id: row.url === url ? id : "" } : undefined;
      },
      async begin(given, isAnew) {
        const contract = await parseContract(`${JSON.stringify(given, null, 2)}\n`);
        if ("mistakes" in contract) {
          const from = [url, name, CONTRACT].filter((part) => part !== "").join("/");
          throw new UserError(`${from} is not a contract: ${contract.mistakes[0]}`);
        }
        const table = mirrorTable(name, contract.listing.words[1]);
        if (row && row.contract !== contract.text) refuseOther(row, "another contract");
        return using(file, () => {
          const opened = begin();
          opened.exec("SAVEPOINT listing");
          try {
            prepare(opened, table, contract, isAnew);
            used = contract;
            return createTransaction(opened, { file, url, name, table, contract });
          } catch (error) {
            undo(opened);
            throw error;
          }
        });
      },
    };
  };

  return {
    names: () => using(file, rows).map(({ name }) => name),
    store: createStore,
    keepOnly: (names) =>
      using(file, () => {
        for (const row of rows()) {
          if (names.includes(row.name)) continue;
          refuseOther(row, `a listing ${row.name}`);
          const opened = begin();
          dropTables(opened, row.records);
          opened.prepare(`DELETE FROM ${MIRROR_TABLE} WHERE name = ?`).run(row.name);
        }
      }),
    commit: () =>
      using(file, () => {
        if (!db?.inTransaction) return;
        if (!isThere()) throw new UserError(`${file} was removed or replaced meanwhile; run this again.`);
        db.exec("COMMIT");
        isEmpty = false;
      }),
    close() {
      // If the first fill failed, remove the file.
      if (db && isEmpty) removeBare(db, file, isThere);
      // SQLite rolls back a transaction that is open.
      db?.close();
      db = undefined;
      isEmpty = false;
    },
  };
}
