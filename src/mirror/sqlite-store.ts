/** A store of the client in a SQLite file: what it holds, and changes of it, each in one transaction. */
import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { Held, Store } from "../client/sync/store.js";
import type { AnyRecord, Contract } from "../contract/contract.js";
import { readContract } from "../contract/file/read.js";
import { UserError } from "../errors.js";
import { CONTRACT } from "../release/layout.js";
import { createMirror, openMirror, using, watchFile } from "./file.js";
import { emptyTables, MIRROR_TABLE, makeTables, shapeOf, tableFor } from "./schema.js";
import { MirrorTransaction } from "./transaction.js";

export interface SqliteStore extends Store<AnyRecord> {
  /** Why what was there does not count, so that everything is read anew. */
  readonly doubt: string | undefined;
  /** The contract of what it holds, or is about to hold; undefined for one that was never filled. */
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
 * Nothing is opened yet, and nothing made before there is something to write.
 * @param file that is a mirror, or is not there.
 * @param url of the listing, as the mirror tells those who ask where it comes from.
 */
export function createSqliteStore(file: string, url: string): SqliteStore {
  let db: Database | undefined;
  let doubt: string | undefined;
  /** What was there when somebody asked. */
  let seen: MirrorRow | undefined;
  let used: Contract | undefined;
  let isThere = () => true;
  /** Whether the file was begun, and never filled. */
  let isEmpty = false;

  const keep = <D extends Database | undefined>(opened: D): D => {
    if (opened) isThere = watchFile(file);
    db = opened;
    return opened;
  };
  const open = () => db ?? keep(openMirror(file));
  const read = (): MirrorRow | undefined =>
    open()?.prepare<[], MirrorRow>(`SELECT * FROM ${MIRROR_TABLE}`).get() ?? undefined;
  const contractIn = async (row: MirrorRow): Promise<Contract> => {
    const contract = await readContract(row.contract);
    if (!("mistakes" in contract)) return contract;
    throw new UserError(`${file} is damaged: it holds a contract that is none; remove it, then run this again.`);
  };

  return {
    get doubt() {
      return doubt;
    },
    get contract() {
      return used;
    },
    async held() {
      seen = using(file, read);
      if (!seen) return undefined;
      const contract = await contractIn(seen);
      used = contract;
      doubt = using(file, () => findDoubt(db as Database, seen as MirrorRow, contract));
      return doubt === undefined ? heldOf(seen, url) : undefined;
    },
    async begin(given, isAnew) {
      const contract = await readContract(`${JSON.stringify(given, null, 2)}\n`);
      if ("mistakes" in contract) throw new UserError(`${url}/${CONTRACT} is no contract: ${contract.mistakes[0]}`);
      // Not every word can be a table's.
      tableFor(contract);
      const before = seen && (await contractIn(seen));
      return using(file, () => {
        const opened = open() ?? keep(createMirror(file));
        opened.exec("BEGIN IMMEDIATE");
        try {
          requireSame(file, seen, read());
          isEmpty = seen === undefined;
          if (seen && seen.url !== url && before !== contract) throw ofAnother(file, seen.url);
          opened.prepare(`UPDATE ${MIRROR_TABLE} SET is_writing = 1`).run();
          if (isAnew && doubt === undefined && before === contract) emptyTables(opened, contract);
          else if (isAnew) makeTables(opened, contract, before);
          used = contract;
          const onCommit = () => {
            isEmpty = false;
          };
          return new MirrorTransaction(opened, { file, url, contract, isThere, onCommit });
        } catch (error) {
          opened.exec("ROLLBACK");
          throw error;
        }
      });
    },
    close() {
      db?.close();
      db = undefined;
      // A first fill that failed leaves nothing.
      if (isEmpty && isThere()) for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
      isEmpty = false;
    },
  };
}

function heldOf({ state, contract_sha256, count, tag, ...row }: MirrorRow, url: string): Held {
  // Another address has tags of its own.
  return { state, contract: contract_sha256, count, ...(tag !== null && row.url === url && { tag }) };
}

/** Records cannot be changed by others. So whoever wants to must have changed a table or a trigger before. */
function findDoubt(db: Database, row: MirrorRow, contract: Contract): string | undefined {
  if (row.is_writing !== 0 || row.shape !== shapeOf(db, contract))
    return "its tables or triggers were changed, so that its records may have been, too";
  return undefined;
}

/** @throws UserError where another run has been faster. */
function requireSame(file: string, seen: MirrorRow | undefined, now: MirrorRow | undefined): void {
  if (JSON.stringify(seen) === JSON.stringify(now)) return;
  throw new UserError(`${file} was brought up to date by another run meanwhile; run this again.`);
}

function ofAnother(file: string, url: string): UserError {
  return new UserError(`${file} is a mirror of ${url}, whose contract is another one; name another file.`);
}
