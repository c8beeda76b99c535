/** Tells files of records from releases and other files. */
import { statSync } from "node:fs";
import { hasCode, unreadableFile } from "../../core/errors.js";
import { readBeginning, SQLITE_MAGIC } from "../../core/source/foreign.js";
import { textFormatOf } from "../../core/source/text-format.js";

/** Whether a path is a file of records: a SQLite file, or a text file by its extension. @throws UserError if it cannot be read. */
export function isSourceFile(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    return textFormatOf(path) !== undefined || readBeginning(path).toString("latin1").startsWith(SQLITE_MAGIC);
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP")) return false;
    throw unreadableFile(path, "a release or a file of records is expected", cause);
  }
}
