/** Finds the users that were added, removed or changed between two snapshots, from their indexes alone. */
import Database from "better-sqlite3";
import { hasCode, UserError } from "../errors.js";
import { createTurns } from "../workers/turns.js";
import { IndexLines, LOOK_AHEAD } from "./index-lines.js";

export interface IndexEntry {
  id: string;
  /** The user's number in published order, from 0. */
  at: number;
  digest: string;
}

export interface Pair {
  old: IndexEntry;
  new: IndexEntry;
}

export interface Matches {
  counts: Record<"added" | "removed" | "changed", number>;
  added(): Generator<IndexEntry>;
  removed(): Generator<IndexEntry>;
  changed(): Generator<Pair>;
  close(): void;
}

export const NO_MATCHES: Matches = {
  counts: { added: 0, removed: 0, changed: 0 },
  *added() {},
  *removed() {},
  *changed() {},
  close() {},
};

const RUN = 512;
const RUNS_AT_ONCE = 256;

/** Walks both files side by side: users stand in the same order. Lines that differ are joined by id in the end. */
export async function matchUsers(oldIndex: string, newIndex: string, signal?: AbortSignal): Promise<Matches> {
  const [older, newer] = [new IndexLines(oldIndex), new IndexLines(newIndex)];
  const differing = openDiffering();
  try {
    const turn = createTurns(RUNS_AT_ONCE, signal);
    let [at, to] = [0, 0];
    while (at < older.count && to < newer.count) {
      await turn();
      const same = older.sameAs(newer, at, to, RUN);
      const [oldSkip, newSkip] = same > 0 ? [0, 0] : findNext(older, newer, at, to);
      differing.add("old", older, at, oldSkip);
      differing.add("new", newer, to, newSkip);
      at += same + oldSkip;
      to += same + newSkip;
    }
    differing.add("old", older, at, older.count - at);
    differing.add("new", newer, to, newer.count - to);
    return differing.join();
  } catch (error) {
    differing.close();
    throw error;
  } finally {
    older.close();
    newer.close();
  }
}

/** How many lines of the old and the new side to lay differing before the sides go on side by side. */
function findNext(older: IndexLines, newer: IndexLines, at: number, to: number): [oldSkip: number, newSkip: number] {
  if (older.isSameUser(newer, at, to)) return [1, 1];
  // If the user is farther away, both lines count as different.
  for (let skip = 1; skip <= LOOK_AHEAD; skip++) {
    if (older.isSameUser(newer, at, to + skip)) return [0, skip];
    if (older.isSameUser(newer, at + skip, to)) return [skip, 0];
  }
  return [1, 1];
}

function openDiffering() {
  // A database with an empty name is private and temporary.
  const db = new Database("");
  // At most 32 MB in memory, and nothing has to survive this process.
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; BEGIN;
    CREATE TABLE old (id TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID;
    CREATE TABLE new (id TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID;`);
  const prepare = (side: string) => db.prepare<[string, string, number]>(`INSERT INTO ${side} VALUES (?, ?, ?)`);
  const insert = { old: prepare("old"), new: prepare("new") };
  return {
    add(side: "old" | "new", lines: IndexLines, first: number, count: number): void {
      for (let at = first; at < first + count; at++) {
        const id = lines.id(at);
        try {
          insert[side].run(id, lines.digest(at), at);
        } catch (cause) {
          if (!hasCode(cause, "SQLITE_CONSTRAINT_PRIMARYKEY")) throw cause;
          const message = `User ${id} is twice in the ${side} snapshot; check it with "rollcall verify".`;
          throw new UserError(message, { cause });
        }
      }
    },
    join(): Matches {
      db.exec(`CREATE TABLE changed AS SELECT id, old.at, old.digest, new.at AS newAt, new.digest AS newDigest
          FROM old JOIN new USING (id) WHERE old.digest <> new.digest ORDER BY new.at;
        CREATE TABLE added AS SELECT id, at, digest FROM new WHERE id NOT IN (SELECT id FROM old) ORDER BY at;
        CREATE TABLE removed AS SELECT id, at, digest FROM old WHERE id NOT IN (SELECT id FROM new) ORDER BY at`);
      const countOf = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
      return {
        counts: { added: countOf("added"), removed: countOf("removed"), changed: countOf("changed") },
        added: () => rowsOf(db, "added"),
        removed: () => rowsOf(db, "removed"),
        *changed() {
          for (const row of rowsOf<IndexEntry & { newAt: number; newDigest: string }>(db, "changed")) {
            const { id, at, digest, newAt, newDigest } = row;
            yield { old: { id, at, digest }, new: { id, at: newAt, digest: newDigest } };
          }
        },
        close: () => db.close(),
      };
    },
    close: () => db.close(),
  };
}

/** All rows of a table in the order they were written, in batches, so that several readers can be active. */
function* rowsOf<Row>(db: Database.Database, table: string): Generator<Row, void> {
  const next = db.prepare<[number], Row>(`SELECT * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1000`);
  // Nothing was ever deleted, so row ids count from 1.
  for (let done = 0, rows = next.all(0); rows.length > 0; rows = next.all(done)) {
    yield* rows;
    done += rows.length;
  }
}
