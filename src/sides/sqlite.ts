/** Tells a SQLite file from others. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { codeOf, UserError } from "../errors.js";

/** What every SQLite file begins with. */
const MAGIC = "SQLite format 3\0";

/**
 * False also where there is no file.
 * @throws UserError when there is one that cannot be read.
 */
export function isSqlite(path: string): boolean {
  try {
    return statSync(path).isFile() && readMagic(path) === MAGIC;
  } catch (cause) {
    const code = codeOf(cause);
    if (code !== undefined && NOTHING_THERE.includes(code)) return false;
    throw new UserError(`${path} cannot be read (${code}).`, { cause });
  }
}

const NOTHING_THERE = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"];

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
