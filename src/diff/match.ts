/** Finds added, removed and changed records of two snapshots from their lists of records, without reading pages. */
import type { Database } from "better-sqlite3";
import { hasOtherKey } from "../contract/changes.js";
import type { OrderField } from "../contract/contract.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { hasCode, UserError } from "../errors.js";
import { capital } from "../print/text.js";
import { KEY_AT, RecordLines } from "../release/record-lines.js";
import { TemporaryDatabase } from "../scratch/database.js";
import { createTurns } from "../workers/turns.js";
import { type ListEntry, type Listed, nameOf, type Side } from "./side.js";

export interface Pair {
  key: string;
  old: Listed;
  new: Listed;
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
    const { lines } = list.measure();
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
    for (let at = 0; list.load(at, 1) > 0; at++) yield { key: list.key(at), at, digest: list.digest(at) };
  } finally {
    list.close();
  }
}

/** Lines that are compared at once. */
const RUN = 512;
/** Runs before the event loop gets a turn. */
const RUNS_AT_ONCE = 256;
/** Maximum lines to look ahead for the same record. */
const LOOK_AHEAD = 48;

/** Compares two lists by walking them side by side, since most records are in the same order. Joins lines that differ by key at the end. */
export async function matchRecords(old: MatchSide, now: MatchSide, signal?: AbortSignal): Promise<Matches> {
  if (hasOtherKey(old.facts.contract, now.facts.contract)) return unmatched(old, now);
  const [older, newer] = [new RecordLines(old.list), new RecordLines(now.list)];
  const differing = openDiffering({ old: old.facts.contract, new: now.facts.contract });
  try {
    await walk(older, newer, differing, createTurns(RUNS_AT_ONCE, signal));
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
  differing: ReturnType<typeof openDiffering>,
  turn: ReturnType<typeof createTurns>,
) {
  let [at, to] = [0, 0];
  for (;;) {
    await turn();
    const held = older.load(at, RUN + LOOK_AHEAD);
    const newHeld = newer.load(to, RUN + LOOK_AHEAD);
    if (held === 0 || newHeld === 0) break;
    const same = countSame(older, newer, at, to, Math.min(held, newHeld, RUN));
    const [oldSkip, newSkip] = same > 0 ? [0, 0] : findNext(older, newer, { at, held }, { at: to, held: newHeld });
    differing.add("old", older, at, oldSkip);
    differing.add("new", newer, to, newSkip);
    at += same + oldSkip;
    to += same + newSkip;
  }
  differing.addFrom("old", older, at);
  differing.addFrom("new", newer, to);
}

interface Held {
  at: number;
  /** Lines in memory from there on. */
  held: number;
}

/** The numbers of old and new lines to skip as different, until both sides are at the same record again. */
function findNext(older: RecordLines, newer: RecordLines, old: Held, now: Held): [oldSkip: number, newSkip: number] {
  if (isSameKey(older, newer, old.at, now.at)) return [1, 1];
  // If the record is farther away, both lines count as different.
  for (let skip = 1; skip <= LOOK_AHEAD; skip++) {
    if (skip < now.held && isSameKey(older, newer, old.at, now.at + skip)) return [0, skip];
    if (skip < old.held && isSameKey(older, newer, old.at + skip, now.at)) return [skip, 0];
  }
  return [1, 1];
}

/** The number of equal lines of two lists from `at` and `to` on, up to `most` that both hold in memory. */
function countSame(one: RecordLines, other: RecordLines, at: number, to: number, most: number): number {
  const [begin, otherBegin] = [one.startOf(at), other.startOf(to)];
  const otherEnd = other.startOf(to + most);
  // Equal lines end at the same offsets, so the ends of one side's lines are enough.
  const isSame = (from: number, until: number) => {
    const [first, last] = [one.startOf(at + from), one.startOf(at + until)];
    const [otherFirst, otherLast] = [otherBegin + first - begin, otherBegin + last - begin];
    return otherLast <= otherEnd && one.memory.compare(other.memory, otherFirst, otherLast, first, last) === 0;
  };
  if (isSame(0, most)) return most;
  let [same, different] = [0, most];
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (isSame(same, middle)) same = middle;
    else different = middle;
  }
  return same;
}

/** Whether two held lines have the same key. */
function isSameKey(one: RecordLines, other: RecordLines, at: number, to: number): boolean {
  const [begin, end] = [one.startOf(at) + KEY_AT, one.startOf(at + 1)];
  const [otherBegin, otherEnd] = [other.startOf(to) + KEY_AT, other.startOf(to + 1)];
  if (end - begin !== otherEnd - otherBegin) return false;
  return one.memory.compare(other.memory, otherBegin, otherEnd, begin, end) === 0;
}

type SideName = "old" | "new";

/** KiB of SQLite's cache. */
const MEMORY = 32_768;
/** Maximum rows in memory at once, and bytes of their keys. */
const ROWS = 1000;
const KEY_BYTES = 2 ** 22;

/** Collects lines that differ in a temporary database, and joins them by key. */
function openDiffering(contracts: Readonly<Record<SideName, Side["facts"]["contract"]>>) {
  const columns = "(key TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID";
  const tables = `CREATE TABLE old ${columns}; CREATE TABLE new ${columns}`;
  const temporary = new TemporaryDatabase({ tables, memory: MEMORY });
  const prepare = (side: SideName) =>
    temporary.db.prepare<[string, string, number]>(`INSERT INTO ${side} VALUES (?, ?, ?)`);
  const insert = { old: prepare("old"), new: prepare("new") };
  let longest = 1;
  const add = (side: SideName, lines: RecordLines, first: number, count: number) => {
    for (let at = first; at < first + count; at++) {
      const key = lines.key(at);
      if (key.length > longest) longest = key.length;
      try {
        temporary.run(() => insert[side].run(key, lines.digest(at), at));
      } catch (cause) {
        if (!hasCode(cause, "SQLITE_CONSTRAINT_PRIMARYKEY")) throw cause;
        const name = capital(nameOf(contracts[side], key));
        const message = `${name} is in the ${side} snapshot twice; check it with "rollcall verify".`;
        throw new UserError(message, { cause });
      }
    }
  };
  return {
    /** Adds lines that are in memory. */
    add,
    /** Adds all lines from one on. */
    addFrom(side: SideName, lines: RecordLines, first: number): void {
      for (let at = first, held = lines.load(at, 1); held > 0; held = lines.load(at, 1)) {
        add(side, lines, at, held);
        at += held;
      }
    },
    join(): Matches {
      const batch = Math.max(1, Math.min(ROWS, Math.floor(KEY_BYTES / longest)));
      return temporary.run(() => join(temporary, batch, contracts.new.key));
    },
    close: () => temporary.close(),
  };
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
