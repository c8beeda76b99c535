/** Tells files and folders of records from releases and other files. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode, unreadableFile } from "../../core/errors.js";
import { CONTRACT, CURRENT, RELEASES, SNAPSHOT, SUMS } from "../../core/release/layout.js";
import { readBeginning, SQLITE_MAGIC } from "../../core/source/foreign.js";
import { isFolder, isTextFile, sourceFiles } from "../../core/source/text-files.js";
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

/** What makes a folder a release, or a folder of releases. */
const OF_RELEASES = [SNAPSHOT, SUMS, CONTRACT, "pages", CURRENT, RELEASES];

/** Whether a path is a source: a file of records, or a folder with text files that is not a release. @throws UserError as `isSourceFile` does */
export function isSourcePath(path: string): boolean {
  if (!isFolder(path)) return isSourceFile(path);
  if (OF_RELEASES.some((name) => existsSync(join(path, name)))) return false;
  return sourceFiles(path).some(isTextFile);
}
