/** The client's store in a SQLite file. Each update is one transaction. */
import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { Held, Store } from "../client/sync/store.js";
import type { AnyRecord, Contract } from "../contract/contract.js";
import { parseContract } from "../contract/file/load.js";
import { UserError } from "../errors.js";
import { CONTRACT } from "../release/layout.js";
import { openMirror, using, watchFile } from "./file.js";
import { emptyTables, MIRROR_TABLE, makeTables, shapeOf, tableFor } from "./schema.js";
import { createTransaction } from "./transaction.js";

export interface SqliteStore extends Store<AnyRecord> {
  /** Why the existing records cannot be trusted, so that everything is read again. */
  readonly distrust: string | undefined;
  /** The contract of its records; undefined for a store that was never filled. */
  readonly contract: Contract | undefined;
  close(): void;
}

interface MirrorRow {
  is_writing: number;
  url: string;
  state: string;
  count: number;
  tag: string | null;
  shape: string;
  contract_sha256: string;
  contract: string;
}

/**
 * Makes a store. Opens the file at the first use, and creates it only when there is something to write.
 * @param file a mirror, or a path where no file exists.
 * @param url the base URL of the listing, stored in the mirror.
 */
export function createSqliteStore(file: string, url: string): SqliteStore {
  let db: Database | undefined;
  let distrust: string | undefined;
  /** The mirror's row at the last `held`. */
  let seen: MirrorRow | undefined;
  let used: Contract | undefined;
  let isThere = () => true;
  /** Whether this run created the file, and it is not filled yet. */
  let isEmpty = false;

  const open = (isWanted: boolean) => {
    if (db) return db;
    db = openMirror(file, isWanted);
    if (db) isThere = watchFile(file);
    return db;
  };
  const read = (): MirrorRow | undefined =>
    open(false)?.prepare<[], MirrorRow>(`SELECT * FROM ${MIRROR_TABLE}`).get() ?? undefined;
  const contractIn = async (row: MirrorRow): Promise<Contract> => {
    const contract = await parseContract(row.contract);
    if (!("mistakes" in contract)) return contract;
    throw new UserError(`${file} is damaged: its contract is not valid; remove it, then run this again.`);
  };

  return {
    get distrust() {
      return distrust;
    },
    get contract() {
      return used;
    },
    async held() {
      seen = using(file, read);
      if (!seen) return undefined;
      const contract = await contractIn(seen);
      used = contract;
      distrust = using(file, () => findDistrust(db as Database, seen as MirrorRow, contract));
      return distrust === undefined ? heldOf(seen, url) : undefined;
    },
    async begin(given, isAnew) {
      const contract = await parseContract(`${JSON.stringify(given, null, 2)}\n`);
      if ("mistakes" in contract) throw new UserError(`${url}/${CONTRACT} is not a contract: ${contract.mistakes[0]}`);
      // Refuses reserved table names.
      tableFor(contract);
      const before = seen && (await contractIn(seen));
      return using(file, () => {
        const opened = open(true) as Database;
        opened.exec("BEGIN IMMEDIATE");
        try {
          requireSame(file, seen, read());
          isEmpty = seen === undefined;
          if (seen && seen.url !== url && before !== contract) throw otherListing(file, seen.url);
          opened.prepare(`UPDATE ${MIRROR_TABLE} SET is_writing = 1`).run();
          if (isAnew && distrust === undefined && before === contract) emptyTables(opened, contract);
          else if (isAnew) makeTables(opened, contract, before);
          used = contract;
          const onCommit = () => {
            isEmpty = false;
          };
          return createTransaction(opened, { file, url, contract, isThere, onCommit });
        } catch (error) {
          opened.exec("ROLLBACK");
          throw error;
        }
      });
    },
    close() {
      db?.close();
      db = undefined;
      // If the first fill failed, remove the file.
      if (isEmpty && isThere()) for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
      isEmpty = false;
    },
  };
}

function heldOf({ state, contract_sha256, count, tag, ...row }: MirrorRow, url: string): Held {
  // ETags of another URL do not apply.
  return { state, contract: contract_sha256, count, ...(tag !== null && row.url === url && { tag }) };
}

/** Triggers protect records, so a program that changed a record must have changed a table or a trigger first. */
function findDistrust(db: Database, row: MirrorRow, contract: Contract): string | undefined {
  if (row.is_writing !== 0 || row.shape !== shapeOf(db, contract))
    return "its tables or triggers were changed, so that its records may have been, too";
  return undefined;
}

/** @throws UserError if another run has updated the mirror meanwhile. */
function requireSame(file: string, seen: MirrorRow | undefined, now: MirrorRow | undefined): void {
  if (JSON.stringify(seen) === JSON.stringify(now)) return;
  throw new UserError(`${file} was updated by another run meanwhile; run this again.`);
}

function otherListing(file: string, url: string): UserError {
  return new UserError(`${file} is a mirror of ${url}, which has another contract; name another file.`);
}
