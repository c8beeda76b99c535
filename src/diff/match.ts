/** Finds the users that were added, removed or changed between two snapshots, from their indexes alone. */
import Database from "better-sqlite3";
import { hasCode, UserError } from "../errors.js";
import { createTurns } from "../workers/turns.js";
import { IndexLines, LOOK_AHEAD } from "./index-lines.js";

/** A user in an index. */
export interface IndexEntry {
  id: string;
  /** The user's number in published order, from 0. */
  at: number;
  /** The digest of the user's record. */
  digest: string;
}

/** One user in both indexes. */
export interface Pair {
  old: IndexEntry;
  new: IndexEntry;
}

/** The users that differ, in published order. */
export interface Matches {
  counts: Record<"added" | "removed" | "changed", number>;
  added(): Generator<IndexEntry>;
  removed(): Generator<IndexEntry>;
  /** Users whose digests differ. */
  changed(): Generator<Pair>;
  close(): void;
}

/** The result for equal indexes. */
export const NO_MATCHES: Matches = {
  counts: { added: 0, removed: 0, changed: 0 },
  *added() {},
  *removed() {},
  *changed() {},
  close() {},
};

/** Lines that are compared at once while they are equal. */
const RUN = 512;
/** Such runs between two checks of the signal. */
const RUNS_AT_ONCE = 256;

/**
 * Walks both files side by side. Users are in the same order in both, except those that were added, removed or moved.
 * Lines that differ are put into a temporary database, which SQLite keeps in memory while it is small, and joined by id
 * in the end.
 * @param oldIndex,newIndex paths of files in the format of users.sha256.
 */
export async function matchUsers(oldIndex: string, newIndex: string, signal?: AbortSignal): Promise<Matches> {
  const [older, newer] = [new IndexLines(oldIndex), new IndexLines(newIndex)];
  const differing = new Differing();
  try {
    const turn = createTurns(RUNS_AT_ONCE, signal);
    let [at, to] = [0, 0];
    const addOld = (count: number) => {
      for (const end = at + count; at < end; at++) differing.add("old", older.id(at), older.digest(at), at);
    };
    const addNew = (count: number) => {
      for (const end = to + count; to < end; to++) differing.add("new", newer.id(to), newer.digest(to), to);
    };
    while (at < older.count && to < newer.count) {
      await turn();
      const same = older.sameAs(newer, at, to, RUN);
      at += same;
      to += same;
      if (same > 0) continue;
      const { oldSkip, newSkip } = findNext(older, newer, at, to);
      addOld(oldSkip);
      addNew(newSkip);
    }
    addOld(older.count - at);
    addNew(newer.count - to);
    return differing.join();
  } catch (error) {
    differing.close();
    throw error;
  } finally {
    older.close();
    newer.close();
  }
}

/** How many lines of each side to lay differing before the sides go on side by side. */
function findNext(older: IndexLines, newer: IndexLines, at: number, to: number) {
  if (older.isSameUser(newer, at, to)) return { oldSkip: 1, newSkip: 1 };
  // If the user is farther away, both lines count as different.
  for (let skip = 1; skip <= LOOK_AHEAD; skip++) {
    if (older.isSameUser(newer, at, to + skip)) return { oldSkip: 0, newSkip: skip };
    if (older.isSameUser(newer, at + skip, to)) return { oldSkip: skip, newSkip: 0 };
  }
  return { oldSkip: 1, newSkip: 1 };
}

/** Lines that differ, in a temporary database. */
class Differing {
  /** A database with an empty name is private and temporary. */
  readonly #db = new Database("");
  readonly #insert: Record<"old" | "new", Database.Statement<[string, string, number]>>;

  constructor() {
    // At most 32 MB in memory, and nothing has to survive this process.
    this.#db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN;
      CREATE TABLE old (id TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID;
      CREATE TABLE new (id TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID;`);
    const insert = (side: string) => this.#db.prepare(`INSERT INTO ${side} VALUES (?, ?, ?)`);
    this.#insert = {
      old: insert("old") as Database.Statement<[string, string, number]>,
      new: insert("new") as Database.Statement<[string, string, number]>,
    };
  }

  add(side: "old" | "new", id: string, digest: string, at: number): void {
    try {
      this.#insert[side].run(id, digest, at);
    } catch (cause) {
      if (!hasCode(cause, "SQLITE_CONSTRAINT_PRIMARYKEY")) throw cause;
      throw new UserError(`User ${id} is twice in the ${side} snapshot; check it with "rollcall verify".`, {
        cause,
      });
    }
  }

  join(): Matches {
    const db = this.#db;
    db.exec(`CREATE TABLE changed AS SELECT id, old.at, old.digest, new.at AS newAt, new.digest AS newDigest
        FROM old JOIN new USING (id) WHERE old.digest <> new.digest ORDER BY new.at;
      CREATE TABLE added AS SELECT id, at, digest FROM new WHERE id NOT IN (SELECT id FROM old) ORDER BY at;
      CREATE TABLE removed AS SELECT id, at, digest FROM old WHERE id NOT IN (SELECT id FROM new) ORDER BY at`);
    const countOf = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    return {
      counts: { added: countOf("added"), removed: countOf("removed"), changed: countOf("changed") },
      *added() {
        for (const { id, at, digest } of pages<IndexEntry>(db, "added")) yield { id, at, digest };
      },
      *removed() {
        for (const { id, at, digest } of pages<IndexEntry>(db, "removed")) yield { id, at, digest };
      },
      *changed() {
        type Row = IndexEntry & { newAt: number; newDigest: string };
        for (const { id, at, digest, newAt, newDigest } of pages<Row>(db, "changed"))
          yield { old: { id, at, digest }, new: { id, at: newAt, digest: newDigest } };
      },
      close: () => db.close(),
    };
  }

  close(): void {
    this.#db.close();
  }
}

/** All rows of a table in the order they were written, in batches, so that several readers can be active. */
function* pages<Row>(db: Database.Database, table: string): Generator<Row, void> {
  const next = db.prepare(`SELECT rowid, * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1000`);
  for (let last = 0; ; ) {
    const rows = next.all(last) as (Row & { rowid: number })[];
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    last = end.rowid;
  }
}
