/** Explains errors from reading a source. */
import { codeOf, UserError, unreadableFile } from "../errors.js";
import { explainTemporary } from "../scratch/folder.js";
import { foreignContent, foreignError, readBeginning, readJson } from "./foreign.js";

/** What a source can be, in messages. */
export const DB_PURPOSE = "give a SQLite, CSV, TSV or NDJSON file";

/** Advice by prefixes of SQLite's extended result codes. The first match counts. */
const ADVICE = {
  SQLITE_NOTADB: "is not a SQLite database, or it is encrypted; name a plain SQLite file",
  SQLITE_BUSY: 'is locked by another process (waited 5 s); let it finish, or publish a copy made with ".backup"',
  SQLITE_LOCKED: "is locked by another connection; let it finish, then run this again",
  SQLITE_CORRUPT:
    'is damaged; check it with "PRAGMA integrity_check": "REINDEX" repairs indexes, a backup anything else',
  SQLITE_READONLY_ROLLBACK:
    "was left by a writer that crashed and must be recovered; open it, or a copy of it with its journal, once with sqlite3, then run this again",
  SQLITE_READONLY:
    'is in WAL mode in a folder that this user may not write; allow it, or publish a copy made with ".backup"',
  SQLITE_CANTOPEN:
    'cannot be opened; its folder must be writable when it is in WAL mode, or publish a copy made with ".backup"',
  SQLITE_IOERR: "cannot be read to the end; check the disk",
  SQLITE_ERROR:
    "has a table or view that SQLite cannot read, or a query fails; correct it, or name another table with --table",
};

/** What is read for a listing of a site, for messages. */
export interface ReadContext {
  /** The name of the listing. */
  listing: string;
  /** What its records come from: `table orders`, or `query orders.sql`. */
  relation: string;
}

/**
 * Turns an error from reading a source into a UserError; returns other errors as they are.
 * @param context what is read; undefined for the whole file, or without a site
 */
export function explainReading(db: string, error: unknown, context?: ReadContext): unknown {
  const explained = explainTemporary(error);
  if (explained !== error) return explained;
  if (error instanceof UserError) return context ? withListing(error, context) : error;
  const isFromSystem = error instanceof Error && "syscall" in error;
  return isFromSystem ? unreadableFile(db, DB_PURPOSE, error) : explainSqlite(db, error, context);
}

/** Makes the message of an error name the listing, unless it names a setting of it. */
function withListing(error: UserError, { listing }: ReadContext): UserError {
  const { message, exitCode } = error;
  if (message.includes(`listings.${listing}.`)) return error;
  return new UserError(`listings.${listing}: ${message}`, { exitCode, cause: error });
}

/** Turns SQLite's errors, also those from other threads, into a UserError with advice. Returns other errors as they are. */
export function explainSqlite(db: string, error: unknown, context?: ReadContext): unknown {
  const code = codeOf(error);
  if (!(error instanceof Error) || !code?.startsWith("SQLITE_")) return error;
  const { message } = error;
  const what = context ? `listings.${context.listing}: ${context.relation} in ${db}` : db;
  const foreign =
    code === "SQLITE_NOTADB" ? foreignContent(db, readBeginning(db), undefined, () => readJson(db)) : undefined;
  if (foreign !== undefined) return foreignError(foreign, error);
  if (/^(integer overflow|ESCAPE expression)/.test(message)) {
    const next = "a condition of the contract, a view or a query fails; fix that, or leave such rows out";
    return new UserError(`${what} has a row that SQLite cannot evaluate: ${next} (${message}).`, { cause: error });
  }
  const [prefix, ofFile] = Object.entries(ADVICE).find(([prefix]) => code.startsWith(prefix)) ?? [];
  const advice =
    context && prefix === "SQLITE_ERROR"
      ? `cannot be read by SQLite; correct it, or name another one in listings.${context.listing}.table`
      : ofFile;
  const detail = advice ? `${what} ${advice} (${message}).` : `Cannot read ${what}: ${message} (${code}).`;
  return new UserError(detail, { cause: error });
}

/** The error for a source that was written to or replaced each time it was read. */
export function changedWhileRead(name: string, times: number): UserError {
  return new UserError(
    `${name} changed while it was read, ${times} times, so nothing was published; run this again when no program writes to it. A program that writes it for long, or writes a SQLite file without SQLite, should write another file, then rename that.`,
  );
}
