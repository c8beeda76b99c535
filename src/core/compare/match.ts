/** Finds added, removed and changed records of two snapshots from their lists of records, without reading pages. */
import type { Database } from "better-sqlite3";
import { hasOtherKey } from "../contract/changes.js";
import type { OrderField } from "../contract/contract.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { hasCode, UserError } from "../errors.js";
import { capital } from "../print/text.js";
import { RecordLines } from "../release/record-lines.js";
import { TemporaryDatabase } from "../scratch/database.js";
import { createTurns } from "../workers/turns.js";
import { type ListEntry, type ListedRecord, nameOf, type Side } from "./side.js";

export interface Pair {
  key: string;
  old: ListedRecord;
  new: ListedRecord;
}

/** A change of a copy: a new or changed record to put, or a removed record with its old entry. */
export type KeyedChange = ListEntry & { isPut: boolean };

/** The differences between two lists. Close it at the end. */
export interface Matches {
  counts: Record<"added" | "removed" | "changed", number>;
  added(): Generator<ListEntry>;
  removed(): Generator<ListEntry>;
  changed(): Generator<Pair>;
  /** All changes in the order of keys: integers by value, texts by the bytes of their value. */
  byKey(): Generator<KeyedChange>;
  close(): void;
}

export const NO_MATCHES: Matches = {
  counts: { added: 0, removed: 0, changed: 0 },
  *added() {},
  *removed() {},
  *changed() {},
  *byKey() {},
  close() {},
};

export type MatchSide = Pick<Side, "list" | "facts">;

/** The matches of sides with different key fields: all old records are removed, all new ones added. */
function unmatched(old: MatchSide, now: MatchSide): Matches {
  const count = ({ list: path }: MatchSide) => {
    const list = new RecordLines(path);
    let lines = 0;
    while (list.next()) lines++;
    list.close();
    return lines;
  };
  return {
    ...NO_MATCHES,
    counts: { added: count(now), removed: count(old), changed: 0 },
    added: () => entriesOf(now),
    removed: () => entriesOf(old),
    byKey() {
      throw new Error("Records with different key fields have no common order");
    },
  };
}

function* entriesOf({ list: path }: MatchSide): Generator<ListEntry> {
  const list = new RecordLines(path);
  try {
    while (list.next()) yield entryOf(list);
  } finally {
    list.close();
  }
}

function entryOf({ key, at, digest }: RecordLines): ListEntry {
  return { key, at, digest };
}

/** Lines between turns of the event loop. */
const LINES_AT_ONCE = 50_000;

/** Compares two lists by reading them in step, since most records are in the same order. Joins lines that differ by key at the end. */
export async function matchRecords(old: MatchSide, now: MatchSide, signal?: AbortSignal): Promise<Matches> {
  if (hasOtherKey(old.facts.contract, now.facts.contract)) return unmatched(old, now);
  const older = new RecordLines(old.list);
  const newer = new RecordLines(now.list);
  const differing = new Differing({ old: old.facts.contract, new: now.facts.contract });
  try {
    await walk(older, newer, differing, createTurns(LINES_AT_ONCE, signal));
    return differing.join();
  } catch (error) {
    differing.close();
    throw error;
  } finally {
    older.close();
    newer.close();
  }
}

async function walk(
  older: RecordLines,
  newer: RecordLines,
  differing: Differing,
  turn: ReturnType<typeof createTurns>,
): Promise<void> {
  let hasOld = older.next();
  let hasNew = newer.next();
  while (hasOld || hasNew) {
    const pause = turn();
    if (pause) await pause;
    if (hasOld && hasNew && older.isSame(newer)) {
      hasOld = older.next();
      hasNew = newer.next();
      continue;
    }
    // A record that the other side had before is read alone, until both sides are in step again.
    const isOldLate = hasOld && differing.has("new", older.key);
    const isNewLate = hasNew && differing.has("old", newer.key);
    if (hasOld && (isOldLate || !isNewLate)) {
      differing.add("old", entryOf(older));
      hasOld = older.next();
    }
    if (hasNew && (isNewLate || !isOldLate)) {
      differing.add("new", entryOf(newer));
      hasNew = newer.next();
    }
  }
}

type SideName = "old" | "new";

/** KiB of SQLite's cache. */
const MEMORY = 32_768;
/** Maximum lines in memory, and characters of their keys. */
const MOST_LINES = 100_000;
const MOST_CHARACTERS = 2 ** 24;
/** Maximum rows in memory at once, and bytes of their keys. */
const ROWS = 1000;
const KEY_BYTES = 2 ** 22;

/** Lines that differ, by key. A line of one side cancels the same line of the other. Many lines go to a temporary database. */
class Differing {
  readonly #contracts: Readonly<Record<SideName, Side["facts"]["contract"]>>;
  readonly #temporary: TemporaryDatabase;
  readonly #lines = { old: new Map<string, ListedRecord>(), new: new Map<string, ListedRecord>() };
  #characters = 0;
  #longest = 1;

  constructor(contracts: Readonly<Record<SideName, Side["facts"]["contract"]>>) {
    this.#contracts = contracts;
    const columns = "(key TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID";
    const tables = `CREATE TABLE old ${columns}; CREATE TABLE new ${columns}`;
    this.#temporary = new TemporaryDatabase({ tables, memory: MEMORY });
  }

  /** Whether memory has a line of a side with this key. */
  has(side: SideName, key: string): boolean {
    return this.#lines[side].has(key);
  }

  /** Adds a line of a side. @throws UserError if the side has the record twice. */
  add(side: SideName, { key, at, digest }: ListEntry): void {
    const own = this.#lines[side];
    if (own.has(key)) throw this.#refuse(side, key);
    const others = this.#lines[side === "old" ? "new" : "old"];
    if (others.get(key)?.digest === digest) {
      others.delete(key);
      return;
    }
    own.set(key, { at, digest });
    this.#longest = Math.max(this.#longest, key.length);
    this.#characters += key.length;
    if (own.size + others.size >= MOST_LINES || this.#characters > MOST_CHARACTERS) this.#spill();
  }

  /** The differences of both sides. */
  join(): Matches {
    this.#spill();
    const batch = Math.max(1, Math.min(ROWS, Math.floor(KEY_BYTES / this.#longest)));
    return this.#temporary.run(() => join(this.#temporary, batch, this.#contracts.new.key));
  }

  close(): void {
    this.#temporary.close();
  }

  #spill(): void {
    for (const side of ["old", "new"] as const) {
      const lines = this.#lines[side];
      const insert = this.#temporary.db.prepare(`INSERT INTO ${side} VALUES (?, ?, ?)`);
      for (const [key, { digest, at }] of lines) {
        try {
          this.#temporary.run(() => insert.run(key, digest, at));
        } catch (cause) {
          throw hasCode(cause, "SQLITE_CONSTRAINT_PRIMARYKEY") ? this.#refuse(side, key, cause) : cause;
        }
      }
      lines.clear();
    }
    this.#characters = 0;
  }

  #refuse(side: SideName, key: string, cause?: unknown): UserError {
    const name = capital(nameOf(this.#contracts[side], key));
    return new UserError(`${name} is in the ${side} snapshot twice; check it with "rollcall verify".`, { cause });
  }
}

function join(temporary: TemporaryDatabase, batch: number, key: Pick<OrderField, "kind">): Matches {
  const { db } = temporary;
  db.exec(`CREATE TABLE changed AS SELECT key, old.at, old.digest, new.at AS newAt, new.digest AS newDigest
      FROM old JOIN new USING (key) WHERE old.digest <> new.digest ORDER BY new.at;
    CREATE TABLE added AS SELECT key, at, digest FROM new WHERE key NOT IN (SELECT key FROM old) ORDER BY at;
    CREATE TABLE removed AS SELECT key, at, digest FROM old WHERE key NOT IN (SELECT key FROM new) ORDER BY at`);
  const countOf = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  return {
    counts: { added: countOf("added"), removed: countOf("removed"), changed: countOf("changed") },
    added: () => rowsOf(db, "added", batch),
    removed: () => rowsOf(db, "removed", batch),
    *changed() {
      for (const row of rowsOf<ListEntry & { newAt: number; newDigest: string }>(db, "changed", batch)) {
        const { key, at, digest, newAt, newDigest } = row;
        yield { key, old: { at, digest }, new: { at: newAt, digest: newDigest } };
      }
    },
    *byKey() {
      temporary.run(() => sortByKey(db, key));
      for (const { isPut, ...entry } of rowsOf<ListEntry & { isPut: 0 | 1 }>(db, "by_key", batch))
        yield { ...entry, isPut: isPut === 1 };
    },
    close: () => temporary.close(),
  };
}

/** Sorts by the value of keys, since a key in quotes may have escapes. */
function sortByKey(db: Database, { kind }: Pick<OrderField, "kind">): void {
  const order = kind === "integer" ? "CAST(key AS INTEGER)" : `iif(key GLOB '"*', value_of(key), key)`;
  db.function("value_of", { deterministic: true }, (key) => toBytes(JSON.parse(fromBytes(String(key)))));
  db.exec(`CREATE TABLE IF NOT EXISTS by_key AS SELECT key, at, digest, isPut FROM (
      SELECT key, newAt AS at, newDigest AS digest, 1 AS isPut FROM changed
      UNION ALL SELECT key, at, digest, 1 FROM added UNION ALL SELECT key, at, digest, 0 FROM removed
    ) ORDER BY ${order}`);
}

/** All rows of a table in insertion order. Reads in batches, so that several readers can be active. */
function* rowsOf<Row>(db: Database, table: string, batch: number): Generator<Row, void> {
  const next = db.prepare<[number], Row>(`SELECT * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${batch}`);
  // No row was deleted, so row ids count from 1.
  for (let done = 0, rows = next.all(0); rows.length > 0; rows = next.all(done)) {
    yield* rows;
    done += rows.length;
  }
}
