/** A contract with an integer key, and an order of texts and numbers in both directions. */
import Database from "better-sqlite3";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import type { Row } from "./database.js";

/** Only its first two conditions can be evaluated from records: a NULL is published as another value. */
export const ENTRIES = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Entry",
  description: "An entry of a log.",
  type: "object",
  "x-listing": {
    path: "/log/entries/",
    words: ["entry", "entries"],
    key: "seq",
    order: ["topic", "-level", "seq"],
    label: "title",
    version: 3,
  },
  properties: {
    closed: { type: ["string", "null"], format: "date" },
    is_open: { type: "boolean" },
    level: { type: "integer", "x-observed": { maximum: 100 } },
    seq: { type: "integer" },
    short: { type: "string", "x-null": { field: "title" } },
    title: { type: "string" },
    topic: { type: "string" },
  },
  required: ["closed", "is_open", "level", "seq", "short", "title", "topic"],
  additionalProperties: false,
  "x-observed": [
    { name: "open-or-closed", sql: "is_open <> (closed IS NOT NULL)" },
    // Integer division: 61 / 2 is 30.
    { name: "low-level", sql: '"LEVEL" / 2 <= 30 AND title <> topic' },
    { name: "short-title", sql: "length(short) < 8 OR short IS NULL" },
  ],
} as const satisfies ContractFile;

/** U+FFEE comes before U+1F54A in UTF-8, and after it in UTF-16. */
const TOPICS = ["", "Zebra", 'a "quote" \\ and\nmore', "zebra", "ä", "\uffee", "\u{1f54a}"];

/** `count` entries, of which some give warnings, in published order. */
export function entries(count: number): Row[] {
  const rows = Array.from(
    { length: count },
    (_, at): Row => ({
      topic: TOPICS[at % TOPICS.length] ?? "",
      level: BigInt((at % 6) * 20 - 19),
      seq: BigInt(at % 2 === 0 ? -at : at * 1000),
      closed: at % 3 === 0 ? "2026-02-28" : null,
      is_open: at % 3 === 0 && at % 11 !== 0 ? 0n : 1n,
      short: at % 4 === 0 ? null : `short ${at}`,
      title: `title “${at}”`,
    }),
  );
  return rows.sort(
    (one, other) =>
      Buffer.compare(Buffer.from(String(one["topic"])), Buffer.from(String(other["topic"]))) ||
      Number(other["level"]) - Number(one["level"]) ||
      Number(one["seq"]) - Number(other["seq"]),
  );
}

/** Writes a new file with the table `entries` and these rows, the last first; `text` is the declared type of texts. */
export function writeEntries(file: string, rows: readonly Row[], text = "TEXT"): string {
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  db.exec(`CREATE TABLE entries (topic ${text}, level INTEGER, seq INTEGER PRIMARY KEY, closed ${text},
    is_open INTEGER, short ${text}, title ${text})`);
  const insert = db.prepare("INSERT INTO entries VALUES (@topic, @level, @seq, @closed, @is_open, @short, @title)");
  db.transaction(() => {
    for (const row of rows.toReversed()) insert.run(row);
  })();
  db.close();
  return file;
}
