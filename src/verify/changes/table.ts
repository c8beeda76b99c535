/** The lines of a step by key, and what was met of these keys at its ends. SQLite keeps them in a temporary file. */
import type { Statement } from "better-sqlite3";
import { TemporaryDatabase } from "../../scratch/database.js";
import { showStandIn, standIn } from "../repeated-keys.js";
import type { Difference } from "./lines.js";

/** The records before a step, or after it. */
export type End = "from" | "to";

/** KiB that SQLite holds in memory. */
const MEMORY = 16_384;
/** A bit for each key's hash: most keys of a long list are in no step, and need not be looked for in the table. */
const BITS = 2 ** 23;
interface Row {
  key: string;
  /** Null for a line that removes. */
  digest: string | null;
  /** Null where the end has no such record. */
  from_digest: string | null;
  to_digest: string | null;
}

/** Keys are as records.sha256 has them, byte by byte. Call `close` in the end. */
export class StepTable {
  readonly #temporary = new TemporaryDatabase({
    tables: "CREATE TABLE lines (key TEXT PRIMARY KEY, digest TEXT, from_digest TEXT, to_digest TEXT) WITHOUT ROWID",
    memory: MEMORY,
    purpose: "compare a step with its ends in",
  });
  readonly #bits = new Uint8Array(BITS / 8);
  readonly #insert: Statement<[key: string, digest: string | null]>;
  readonly #meet: Readonly<Record<End, Statement<[digest: string, key: string]>>>;

  constructor() {
    const { db } = this.#temporary;
    this.#insert = db.prepare("INSERT INTO lines (key, digest) VALUES (?, ?)");
    const meet = (end: End) => db.prepare<[string, string]>(`UPDATE lines SET ${end}_digest = ? WHERE key = ?`);
    this.#meet = { from: meet("from"), to: meet("to") };
  }

  /** @throws UserError when the folder for temporary files cannot hold it. */
  add(key: string, digest: string | null): void {
    const kept = String(standIn(key));
    const bit = hashOf(kept);
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    this.#temporary.run(() => this.#insert.run(kept, digest));
  }

  /**
   * Notes that an end has a record.
   * @param digestOf gives its digest, where that is needed.
   * @returns whether the step says something of it.
   */
  meet(end: End, key: string, digestOf: () => string): boolean {
    const kept = String(standIn(key));
    const bit = hashOf(kept);
    if (((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    return this.#temporary.run(() => this.#meet[end].run(digestOf(), kept)).changes > 0;
  }

  /**
   * The lines that contradict an end of which all that is there was met.
   * @param isWhole whether that is all of it, so that what was not met is not there.
   */
  *flaws(end: End, isWhole = true): Generator<Difference> {
    const wrong = end === "to" ? "digest IS NOT to_digest" : "digest IS from_digest";
    const met = isWhole ? "" : `AND ${end}_digest IS NOT NULL`;
    for (const row of this.#temporary.rows<Row>(`SELECT * FROM lines WHERE ${wrong} ${met} ORDER BY key`))
      yield { id: showStandIn(row.key), ...FLAWS[end](row) };
  }

  close(): void {
    this.#temporary.close();
  }
}

const FLAWS: Readonly<Record<End, (row: Row) => Pick<Difference, "found" | "expected">>> = {
  from: ({ digest }) =>
    digest === null
      ? { found: "a remove", expected: "none, since there was no such record before" }
      : { found: "a put", expected: "none, since the record was the same before" },
  to: ({ digest, to_digest: there }) => {
    if (digest === null) return { found: "a remove", expected: "none, since the record is there afterwards" };
    const expected = there === null ? "a remove, since the record is gone afterwards" : `the record of ${there}`;
    return { found: `a put of the record of ${digest}`, expected };
  },
};

/** FNV-1a, cut to the number of a bit. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 16)) & (BITS - 1);
}
