/** Finds text that is not what it seems: SQLite stores any bytes as text, and decoding hides the wrong ones. */
import { isUtf8 } from "node:buffer";
import type { Database } from "better-sqlite3";
import { SOURCE_COLUMNS } from "./columns.js";
import type { SqlValue } from "./values.js";

/** What decoding puts in the place of bytes that are no text; it can also be there by right. */
const REPLACEMENT = "\uFFFD";

/**
 * Reads the same rows a second time as bytes, but only from the first row on that holds a replacement character,
 * and in step with the first reading: at most one more pass over the source, whatever it holds.
 */
export class InvalidText {
  readonly #db: Database;
  readonly #rows: string;
  readonly #parameters: Record<string, unknown>;
  readonly #isText: (bytes: Buffer) => boolean;
  #bytes: IterableIterator<(Buffer | null)[]> | undefined;
  #behind = 0;

  /** @param rows the FROM, WHERE and ORDER BY of the first reading, with its parameters. */
  constructor(db: Database, rows: string, parameters: Record<string, unknown>) {
    this.#db = db;
    this.#rows = rows;
    this.#parameters = parameters;
    const encoding = String(db.pragma("encoding", { simple: true }));
    this.#isText = encoding === "UTF-8" ? isUtf8 : (bytes) => decodes(encoding, bytes);
  }

  /** Replaces the values in the first reading's next row whose bytes are no text. */
  mark(row: SqlValue[]): void {
    this.#behind++;
    if (!row.some((value) => typeof value === "string" && value.includes(REPLACEMENT))) return;
    const bytes = this.#catchUp();
    for (const [index, value] of row.entries()) {
      const stored = bytes[index];
      if (typeof value === "string" && stored && !this.#isText(stored)) row[index] = { invalid_utf8: value };
    }
  }

  close(): void {
    this.#bytes?.return?.();
  }

  /** The row, as bytes, at which the first reading stands. */
  #catchUp(): (Buffer | null)[] {
    const columns = SOURCE_COLUMNS.map((name) => `CAST(${name} AS BLOB)`).join(", ");
    this.#bytes ??= this.#db
      .prepare<[Record<string, unknown>], (Buffer | null)[]>(`SELECT ${columns} ${this.#rows}`)
      .raw()
      .iterate(this.#parameters);
    let row: (Buffer | null)[] = [];
    for (; this.#behind > 0; this.#behind--) row = this.#bytes.next().value ?? [];
    return row;
  }
}

/** The same test for a database whose text is UTF-16le or UTF-16be. */
function decodes(encoding: string, bytes: Buffer): boolean {
  try {
    new TextDecoder(encoding.toLowerCase(), { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
