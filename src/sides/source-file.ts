/** Tells files of records from releases and other files. */
import { statSync } from "node:fs";
import { codeOf, hasCode, UserError } from "../errors.js";
import { readBeginning } from "../release/plain-files.js";
import { isTextFile } from "../source/text-file.js";

const MAGIC = "SQLite format 3\0";

/** Whether a path is a file of records: a SQLite file, or a text file by its extension. @throws UserError if it cannot be read. */
export function isSourceFile(path: string): boolean {
  try {
    return statSync(path).isFile() && (isTextFile(path) || readBeginning(path, MAGIC.length) === MAGIC);
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP")) return false;
    throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}
