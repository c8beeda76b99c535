/** Recognizes SQLite files. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { codeOf, hasCode, UserError } from "../errors.js";

const MAGIC = "SQLite format 3\0";

/**
 * Whether a path is a SQLite file; false also when there is no file.
 * @throws UserError when there is a file that cannot be read.
 */
export function isSqlite(path: string): boolean {
  try {
    return statSync(path).isFile() && readMagic(path) === MAGIC;
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP")) return false;
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

function readMagic(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(file, bytes);
    return bytes.toString("latin1");
  } finally {
    closeSync(file);
  }
}
