/** Which users of two snapshots are the same, which differ, and which only one has: told from their digests alone. */
import Database from "better-sqlite3";
import { hasCode, UserError } from "../errors.js";
import { createTurns } from "../workers/turns.js";
import { IndexLines, LOOK_AHEAD } from "./index-lines.js";

/** A user, its number (from 0) in published order, and what the index says of its record. */
export interface Place {
  id: string;
  at: number;
  digest: string;
}

/** One user's places on both sides. */
export interface Pair {
  old: Place;
  new: Place;
}

/** Where users that differ are, in published order. */
export interface Matches {
  counts: Record<"added" | "removed" | "changed", number>;
  added(): Generator<Place>;
  removed(): Generator<Place>;
  /** Users whose records have other digests. */
  changed(): Generator<Pair>;
  close(): void;
}

/** Of two snapshots with equal indexes. */
export const NO_MATCHES: Matches = {
  counts: { added: 0, removed: 0, changed: 0 },
  *added() {},
  *removed() {},
  *changed() {},
  close() {},
};

/** Lines compared at once while all is equal. */
const RUN = 512;
/** Runs between two looks at whether to stop. */
const RUNS_AT_ONCE = 256;

/**
 * Walks both files side by side. Users come in the same order on both sides but for who was added, removed or joined
 * at another time: those are laid aside in a temporary database, which SQLite keeps in memory only while it is small,
 * and joined by id in the end.
 * @param oldIndex,newIndex paths of files in the form of users.sha256.
 */
export async function matchUsers(oldIndex: string, newIndex: string, signal?: AbortSignal): Promise<Matches> {
  const [older, newer] = [new IndexLines(oldIndex), new IndexLines(newIndex)];
  const aside = new Aside();
  try {
    const turn = createTurns(RUNS_AT_ONCE, signal);
    let [at, to] = [0, 0];
    const layOld = (count: number) => {
      for (const end = at + count; at < end; at++) aside.add("old", older.id(at), older.digest(at), at);
    };
    const layNew = (count: number) => {
      for (const end = to + count; to < end; to++) aside.add("new", newer.id(to), newer.digest(to), to);
    };
    while (at < older.count && to < newer.count) {
      await turn();
      const same = older.sameAs(newer, at, to, RUN);
      at += same;
      to += same;
      if (same > 0) continue;
      const { oldSkip, newSkip } = findNext(older, newer, at, to);
      layOld(oldSkip);
      layNew(newSkip);
    }
    layOld(older.count - at);
    layNew(newer.count - to);
    return aside.join();
  } catch (error) {
    aside.close();
    throw error;
  } finally {
    older.close();
    newer.close();
  }
}

/** How many lines of each side to lay aside before the sides go on side by side. */
function findNext(older: IndexLines, newer: IndexLines, at: number, to: number) {
  if (older.isSameUser(newer, at, to)) return { oldSkip: 1, newSkip: 1 };
  // Farther than that, both are laid aside.
  for (let skip = 1; skip <= LOOK_AHEAD; skip++) {
    if (older.isSameUser(newer, at, to + skip)) return { oldSkip: 0, newSkip: skip };
    if (older.isSameUser(newer, at + skip, to)) return { oldSkip: skip, newSkip: 0 };
  }
  return { oldSkip: 1, newSkip: 1 };
}

/** Users laid aside, by side. */
class Aside {
  /** An empty name is a database of its own that nobody else sees and that goes with its connection. */
  readonly #db = new Database("");
  readonly #insert: Record<"old" | "new", Database.Statement<[string, string, number]>>;

  constructor() {
    // Half of what is laid aside is in memory at most, and nothing of it has to outlast this process.
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
        for (const { id, at, digest } of pages<Place>(db, "added")) yield { id, at, digest };
      },
      *removed() {
        for (const { id, at, digest } of pages<Place>(db, "removed")) yield { id, at, digest };
      },
      *changed() {
        type Row = Place & { newAt: number; newDigest: string };
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

/** All rows of a table in the order they were written, some at a time, so that several readers can be under way. */
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
