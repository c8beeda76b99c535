/** Makes candidates for users from rows. Only text that is not valid is marked; all else is left for the schema to check. */
import { isUtf8 } from "node:buffer";
import type { Database } from "better-sqlite3";
import { SOURCE_COLUMNS, toCandidate } from "./columns.js";
import type { SqlValue } from "./values.js";

/** A user made from a row, not yet checked. */
export interface Candidate {
  id: unknown;
  user: unknown;
  /** Whether another row has the same id. */
  isDuplicate: boolean;
}

interface Selection {
  rows: string;
  parameters: Record<string, unknown>;
  /** SQL that is 1 for a row whose id another row has. */
  isDuplicate: string;
  defaultAvatar: string;
}

/** The candidates of some rows, in their order. @throws SQLite's own errors. */
export function* selectCandidates(
  db: Database,
  { rows, parameters, isDuplicate, defaultAvatar }: Selection,
): Generator<Candidate, void> {
  const invalidText = findInvalidText(db, rows, parameters);
  try {
    const selected = db
      .prepare<[Record<string, unknown>], SqlValue[]>(`SELECT ${SOURCE_COLUMNS.join(", ")}, ${isDuplicate} ${rows}`)
      .raw()
      .safeIntegers()
      .iterate(parameters);
    for (const row of selected) {
      invalidText.mark(row);
      const user = toCandidate(row, defaultAvatar);
      yield { id: user.id, user, isDuplicate: row.at(-1) === 1n };
    }
  } finally {
    invalidText.close();
  }
}

/** What decoding puts in the place of bytes that are not valid text. A text may also hold it itself. */
const REPLACEMENT = "\uFFFD";

/** SQLite stores any bytes as text. Where decoding may have hidden wrong ones, the rows are read again, as bytes. */
function findInvalidText(db: Database, rows: string, parameters: Selection["parameters"]) {
  const encoding = String(db.pragma("encoding", { simple: true }));
  const isText = encoding === "UTF-8" ? isUtf8 : (bytes: Buffer) => decodes(encoding, bytes);
  const columns = SOURCE_COLUMNS.map((name) => `CAST(${name} AS BLOB)`).join(", ");
  let second: IterableIterator<(Buffer | null)[]> | undefined;
  let behind = 0;
  return {
    mark(row: SqlValue[]): void {
      behind++;
      if (!row.some((value) => typeof value === "string" && value.includes(REPLACEMENT))) return;
      second ??= db
        .prepare<[Selection["parameters"]], (Buffer | null)[]>(`SELECT ${columns} ${rows}`)
        .raw()
        .iterate(parameters);
      let bytes: (Buffer | null)[] = [];
      for (; behind > 0; behind--) bytes = second.next().value ?? [];
      for (const [index, value] of row.entries()) {
        const stored = bytes[index];
        if (typeof value === "string" && stored && !isText(stored)) row[index] = { invalid_utf8: value };
      }
    },
    close: () => second?.return?.(),
  };
}

function decodes(encoding: string, bytes: Buffer): boolean {
  try {
    new TextDecoder(encoding.toLowerCase(), { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
