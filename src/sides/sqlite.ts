import { statSync } from "node:fs";
import { codeOf, hasCode, UserError } from "../errors.js";
import { readBeginning } from "../release/plain-files.js";

const MAGIC = "SQLite format 3\0";

/** False also when there is no file. @throws UserError when there is one that cannot be read. */
export function isSqlite(path: string): boolean {
  try {
    return statSync(path).isFile() && readBeginning(path, MAGIC.length) === MAGIC;
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP")) return false;
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}
