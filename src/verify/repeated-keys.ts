/** Finds keys that come more than once. SQLite keeps them in a temporary file, so that memory does not grow with them. */
import { hash } from "node:crypto";
import type { Statement } from "better-sqlite3";
import { fromBytes, type OrderKey } from "../contract/record/key.js";
import { TemporaryDatabase } from "../scratch/database.js";

type Key = OrderKey[number];

/** A key as people are shown it, and the first and the last page that it is on. */
interface Repeated {
  key: string;
  times: number;
  first: number;
  last: number;
}

/** KiB that SQLite holds in memory. */
const MEMORY = 16_384;
/** Bytes of a text that stands in the table itself. */
const LONGEST = 60;
/** Bytes of a longer one that are kept to be shown. */
const BEGINNING = 32;

/** What stands in the table for a key: itself, or its beginning and its digest. Two keys never have the same. */
export function standIn(key: Key): Key {
  if (typeof key === "number" || key.length <= LONGEST) return key;
  return `${key.slice(0, BEGINNING)}${hash("sha256", Buffer.from(key, "latin1"), "hex")}`;
}

/** A stand-in as people are shown the key. */
export function showStandIn(key: Key): string {
  if (typeof key === "number") return String(key);
  return key.length <= LONGEST ? fromBytes(key) : `${fromBytes(key.slice(0, BEGINNING))}…`;
}

export class KeyTable {
  readonly #temporary = new TemporaryDatabase({
    tables: "CREATE TABLE keys (key BLOB, page INTEGER)",
    memory: MEMORY,
    purpose: "look for repeated keys in",
  });
  readonly #insert: Statement<[page: number, keys: string]>;

  constructor() {
    this.#insert = this.#temporary.db.prepare("INSERT INTO keys SELECT value, ? FROM json_each(?)");
  }

  /**
   * @throws UserError when the folder for temporary files cannot hold the keys.
   * @param keys a JSON array of what stands for them: one string passes from thread to thread faster than many.
   */
  add(page: number, keys: string): void {
    this.#temporary.run(() => this.#insert.run(page, keys));
  }

  *find(): Generator<Repeated> {
    const sql = `SELECT key, count(*) AS times, min(page) AS first, max(page) AS last FROM keys
      WHERE key IN (SELECT key FROM keys GROUP BY key HAVING count(*) > 1) GROUP BY key`;
    for (const row of this.#temporary.rows<Omit<Repeated, "key"> & { key: Key }>(sql))
      yield { ...row, key: showStandIn(row.key) };
  }

  close(): void {
    this.#temporary.close();
  }
}
