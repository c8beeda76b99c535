/** Opens the SQLite file of users for one build: read-only, one point in time, contract columns only. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import Database from "better-sqlite3";
import { codeOf, UserError } from "../errors.js";
import { COLUMNS, type SqlValue, toCandidate } from "./columns.js";
import { InvalidText } from "./invalid-text.js";
import { findRelation, type RelationOptions } from "./relation.js";
import { explain, reading } from "./trouble.js";

export interface SourceOptions extends RelationOptions {
  /** The SQLite file. */
  db: string;
  /** The image URL of users whose own is NULL. */
  defaultAvatar: string;
}

/** One row on its way to a user. */
export interface Candidate {
  /** The id as the source has it, whatever it is, in a form that JSON can say. */
  id: unknown;
  /** What to check against the user schema. */
  user: unknown;
  /** Whether another row has the same id. */
  isDuplicate: boolean;
}

export interface Source {
  /** Rows in the relation, valid or not. */
  count: number;
  /** All rows in published order, newest first; can be read more than once, with the same result. */
  candidates(): Generator<Candidate, void>;
  close(): void;
}

/** How long another process's lock is waited for, in milliseconds. */
const LOCK_WAIT = 5000;

/**
 * Opens a source. Everything that is read from it until `close` is of one point in time: a single read transaction
 * spans it, in WAL mode and in rollback mode.
 * @throws UserError when the file, the table or a column is not there or cannot be read.
 */
export function openSource({ db: file, defaultAvatar, ...where }: SourceOptions): Source {
  requireFile(file);
  const db = reading(
    file,
    () => new Database(resolve(file), { readonly: true, fileMustExist: true, timeout: LOCK_WAIT }),
  );
  try {
    return reading(file, () => {
      db.exec("BEGIN");
      const relation = findRelation(db, file, where);
      const count = db.prepare(`SELECT count(*) FROM ${relation}`).pluck().get() as number;
      const hasDuplicates = findDuplicates(db, relation);
      return {
        count,
        candidates: () => readCandidates(db, file, relation, hasDuplicates, defaultAvatar),
        close: () => db.close(),
      };
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Names the plain mistakes, which SQLite would all call "unable to open database file". */
function requireFile(file: string): void {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new UserError(`${file} is a folder; --db names the SQLite file of users.`);
    if (stats.size === 0)
      throw new UserError(`${file} is empty (0 bytes); --db names the SQLite file of users.`);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const why =
      codeOf(cause) === "ENOENT" ? `There is no file ${file}` : `Cannot read ${file} (${codeOf(cause)})`;
    throw new UserError(`${why}; --db names the SQLite file of users.`, { cause });
  }
}

/** Keeps the ids that stand in more than one row in a table of the connection's own; true if there are any. */
function findDuplicates(db: Database.Database, relation: string): boolean {
  const repeated = `SELECT id FROM ${relation} GROUP BY id COLLATE BINARY HAVING count(*) > 1`;
  if (db.prepare(`${repeated} LIMIT 1`).get() === undefined) return false;
  db.exec(`CREATE TEMP TABLE rollcall_duplicates AS ${repeated}`);
  return true;
}

function* readCandidates(
  db: Database.Database,
  file: string,
  relation: string,
  hasDuplicates: boolean,
  defaultAvatar: string,
): Generator<Candidate, void> {
  const isDuplicate = hasDuplicates ? "id COLLATE BINARY IN (SELECT id FROM temp.rollcall_duplicates)" : "0";
  // Ties go by id; both in byte order whatever collation the columns declare (contract part 2).
  const from = `FROM ${relation} ORDER BY date_joined COLLATE BINARY DESC, id COLLATE BINARY`;
  const invalidText = new InvalidText(db, from);
  try {
    const rows = db
      .prepare<[], SqlValue[]>(`SELECT ${COLUMNS.join(", ")}, ${isDuplicate} ${from}`)
      .raw()
      .safeIntegers()
      .iterate();
    for (const row of rows) {
      invalidText.mark(row);
      const user = toCandidate(row, defaultAvatar);
      yield { id: user.id, user, isDuplicate: row.at(-1) === 1n };
    }
  } catch (error) {
    throw explain(file, error);
  } finally {
    invalidText.close();
  }
}
