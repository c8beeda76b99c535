/** Places with values that are hard to write in URLs, lists, nulls, numbers and times. */
import Database from "better-sqlite3";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import type { ViewForms } from "../../src/core/contract/views.js";

export const PLACES = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Place",
  type: "object",
  "x-listing": { path: "/places/", words: ["place", "places"], key: "id", order: ["id"], version: 1 },
  properties: {
    größe: { type: "integer", "x-column": "size" },
    height: { type: ["number", "null"] },
    id: { type: "integer" },
    is_open: { type: "boolean" },
    kind: { enum: ["castle", "lake", "ruin"] },
    opened: { type: ["string", "null"], format: "date" },
    tag: { type: ["string", "null"] },
    topics: { type: "array", items: { type: "string" } },
  },
  required: ["größe", "height", "id", "is_open", "kind", "opened", "tag", "topics"],
  additionalProperties: false,
} as const satisfies ContractFile;

export interface Place {
  größe: number;
  height: number | null;
  id: number;
  is_open: boolean;
  kind: "castle" | "lake" | "ruin";
  opened: string | null;
  tag: string | null;
  topics: readonly string[];
}

/** Texts that hosts, file systems or shells treat in their own ways. */
export const HARD_TAGS: readonly (string | null)[] = [
  "a/b",
  "..",
  "...x",
  "\0",
  "%41",
  "a+b",
  "~null",
  null,
  "",
  "東京",
  "x".repeat(300),
  `${"x".repeat(299)}y`,
  "ü".repeat(60),
  "de",
  "DE",
  "New York",
  "pages",
  "index.html",
  "SHA256SUMS",
  "CON",
  "con.txt",
  "end.",
  ".git",
  "v1.2",
];

/** Places whose tags, heights and topics repeat. No lake is among them. */
export function places(count: number, tags: readonly (string | null)[] = HARD_TAGS): Place[] {
  return Array.from({ length: count }, (_, at) => ({
    größe: at % 12,
    height: at % 5 === 0 ? null : ((at * 37) % 101) - 50 + (at % 3) / 4,
    id: at + 1,
    is_open: at % 3 === 0,
    kind: at % 2 === 0 ? "castle" : "ruin",
    opened: at % 7 === 0 ? null : `${1900 + (at % 4)}-0${1 + (at % 9)}-11`,
    tag: tags[at % tags.length] ?? null,
    topics: [[], ["sea", "sun", "sea"], ["sun"], ["a/b"]][at % 4] ?? [],
  }));
}

/** Views of every form. */
export const PLACE_VIEWS: ViewForms = {
  "-height": { order: ["-height"] },
  "kind-highest": { by: "kind", order: ["-height", "tag"] },
  month: { by: "opened", part: "month" },
  open: { by: "is_open" },
  size: { by: "größe" },
  tag: { by: "tag" },
  topics: { by: "topics" },
};

/** Writes a database of places. */
export function writePlaces(file: string, rows: readonly Place[]): string {
  const db = new Database(file);
  try {
    db.exec(`DROP TABLE IF EXISTS places; CREATE TABLE places
      (id INTEGER PRIMARY KEY, size INTEGER, height REAL, is_open INTEGER, kind TEXT, opened TEXT, tag TEXT, topics TEXT)`);
    const insert = db.prepare("INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    db.transaction(() => {
      for (const { id, größe, height, is_open, kind, opened, tag, topics } of rows)
        insert.run(id, größe, height, Number(is_open), kind, opened, tag, JSON.stringify(topics));
    })();
    return file;
  } finally {
    db.close();
  }
}
