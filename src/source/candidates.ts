/** Rows into candidates for users, checked for bytes that are no text, and otherwise as they are. */
import type { Database } from "better-sqlite3";
import { SOURCE_COLUMNS, toCandidate } from "./columns.js";
import { InvalidText } from "./invalid-text.js";
import type { SqlValue } from "./values.js";

/** One row on its way to a user. */
export interface Candidate {
  /** The id as the source has it, whatever it is, in a form that JSON can say. */
  id: unknown;
  /** What to check against the user schema. */
  user: unknown;
  /** Whether another row has the same id. */
  isDuplicate: boolean;
}

export interface Selection {
  /** FROM, WHERE and ORDER BY, and the values of their parameters. */
  rows: string;
  parameters: Record<string, unknown>;
  /** SQL that is 1 for a row whose id another row has. */
  isDuplicate: string;
  defaultAvatar: string;
}

/** The candidates of some rows, in the rows' order; SQLite's errors come as they are. */
export function* selectCandidates(
  db: Database,
  { rows, parameters, isDuplicate, defaultAvatar }: Selection,
): Generator<Candidate, void> {
  const invalidText = new InvalidText(db, rows, parameters);
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
