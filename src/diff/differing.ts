/** Lines that differ between two lists of records, joined by key in a temporary database, however many there are. */
import type { Database } from "better-sqlite3";
import type { Contract, OrderField } from "../contract/contract.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { hasCode, UserError } from "../errors.js";
import { capital } from "../print/text.js";
import type { RecordLines } from "../release/record-lines.js";
import { TemporaryDatabase } from "../scratch/database.js";
import { type ListEntry, type Matches, nameOf } from "./matches.js";

export type Differing = ReturnType<typeof openDiffering>;

type SideName = "old" | "new";

/** KiB that SQLite keeps in memory. */
const MEMORY = 32_768;
/** Rows in memory at once, unless their keys are long. */
const ROWS = 1000;
const KEY_BYTES = 2 ** 22;

export function openDiffering(contracts: Readonly<Record<SideName, Pick<Contract, "listing" | "key">>>) {
  const columns = "(key TEXT PRIMARY KEY, digest TEXT, at INTEGER) WITHOUT ROWID";
  const tables = `CREATE TABLE old ${columns}; CREATE TABLE new ${columns}`;
  const temporary = new TemporaryDatabase({ tables, memory: MEMORY, purpose: "compare records in" });
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
        const message = `${name} is twice in the ${side} snapshot; check it with "rollcall verify".`;
        throw new UserError(message, { cause });
      }
    }
  };
  return {
    /** Adds lines that are held. */
    add,
    /** Adds all lines from one on. */
    addRest(side: SideName, lines: RecordLines, first: number): void {
      for (let at = first, held = lines.hold(at, 1); held > 0; held = lines.hold(at, 1)) {
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

/** A text in quotes may have escapes, so its value is ordered, and not how it is written. */
function sortByKey(db: Database, { kind }: Pick<OrderField, "kind">): void {
  const order = kind === "integer" ? "CAST(key AS INTEGER)" : `iif(key GLOB '"*', value_of(key), key)`;
  db.function("value_of", { deterministic: true }, (key) => toBytes(JSON.parse(fromBytes(String(key)))));
  db.exec(`CREATE TABLE IF NOT EXISTS by_key AS SELECT key, at, digest, isPut FROM (
      SELECT key, newAt AS at, newDigest AS digest, 1 AS isPut FROM changed
      UNION ALL SELECT key, at, digest, 1 FROM added UNION ALL SELECT key, at, digest, 0 FROM removed
    ) ORDER BY ${order}`);
}

/** All rows of a table in the order they were written, in batches, so that several readers can be active. */
function* rowsOf<Row>(db: Database, table: string, batch: number): Generator<Row, void> {
  const next = db.prepare<[number], Row>(`SELECT * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${batch}`);
  // Nothing was ever deleted, so row ids count from 1.
  for (let done = 0, rows = next.all(0); rows.length > 0; rows = next.all(done)) {
    yield* rows;
    done += rows.length;
  }
}
