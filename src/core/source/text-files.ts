/** Finds the text files of a source: one, or those of a folder or a list, each of which is a table as in a database. */
import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { MOST_LISTINGS } from "../contract/listing-names.js";
import { lowerCase } from "../contract/sql.js";
import { codeOf, UserError, unreadableFile, usageError } from "../errors.js";
import { STDIN } from "../settings/kinds.js";
import { DB_PURPOSE } from "./errors.js";
import { knownContent, readBeginning, SQLITE_MAGIC } from "./foreign.js";
import { requireFile } from "./stats.js";
import {
  nameOfSource,
  type SourcePath,
  type TextFormat,
  type TextSettings,
  tableNameOf,
  textFormatOf,
} from "./text-format.js";

export interface TextFile {
  path: string;
  format: TextFormat;
  settings: TextSettings;
  /** The name of its table. */
  table: string;
}

/** A file of a folder that is not a table. */
interface LeftFile {
  name: string;
  /** A sentence. */
  why: string;
}

export interface TextFiles {
  files: readonly TextFile[];
  left: readonly LeftFile[];
  /** Whether the source is a folder or a list. One file alone needs no name for its table. */
  isSeveral: boolean;
}

/**
 * Finds the text files of a source; undefined if it is a SQLite file.
 * @throws UserError if there are none, two have one name, there are more than a site has listings, or the folder cannot be read
 */
export function findTextFiles(db: SourcePath, settings: TextSettings): TextFiles | undefined {
  if (typeof db !== "string")
    return several(
      db,
      db.map((path) => listedFile(path, settings)),
      [],
    );
  if (isFolder(db)) return filesIn(db, settings);
  const format = textFormatOf(db, settings);
  if (format === undefined) return undefined;
  return { files: [{ path: db, format, settings, table: tableNameOf(db) }], left: [], isSeveral: false };
}

/** The paths of the files of a source, whether they exist or not: of a folder, all that are not passing. */
export function sourceFiles(db: SourcePath): string[] {
  if (typeof db !== "string") return [...db];
  return isFolder(db) ? pathsIn(db) : [db];
}

/** Whether a path is a folder. */
export function isFolder(path: string): boolean {
  try {
    return path !== STDIN && statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    // Reading it as a file reports why.
    return false;
  }
}

/** Names of hidden files, of those that programs write for a while, and of Rollcall's own. */
const PASSING = /^[.]|^rollcall[.]|^~\$|^#.*#$|~$|[.](?:tmp|temp|part|partial|crdownload|swp)$/i;

function filesIn(folder: string, settings: TextSettings): TextFiles {
  const files: TextFile[] = [];
  const left: LeftFile[] = [];
  for (const path of pathsIn(folder)) {
    const format = formatByContent(path);
    if (format === undefined) left.push({ name: basename(path), why: whyLeft(path) });
    else files.push({ path, format: settings.sourceFormat ?? format, settings, table: tableNameOf(path) });
  }
  return several(folder, files, left);
}

function pathsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => !PASSING.test(name));
    const paths = names.sort().map((name) => join(folder, name));
    return paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  } catch (cause) {
    throw unreadableFile(folder, DB_PURPOSE, cause);
  }
}

function listedFile(path: string, settings: TextSettings): TextFile {
  if (path === STDIN) throw usageError("Standard input is one table; write it to a file to read it with others.");
  if (isFolder(path)) throw usageError(`${path} is a folder; give it alone, or give the files in it.`);
  requireFile(path);
  const format = settings.sourceFormat ?? formatByContent(path);
  if (format === undefined) throw usageError(`${whyLeft(path)} Several files are text files, a table each.`);
  return { path, format, settings, table: tableNameOf(path) };
}

function several(db: SourcePath, files: readonly TextFile[], left: readonly LeftFile[]): TextFiles {
  const name = nameOfSource(db);
  if (files.length === 0)
    throw new UserError(
      `${name} has no table: no file in it is .csv, .tsv, .tab, .ndjson or .jsonl, or .gz of these.`,
      {
        details: left.map(({ why }) => why),
      },
    );
  if (files.length > MOST_LISTINGS)
    throw new UserError(`${name} has ${files.length} text files, and at most ${MOST_LISTINGS} can be read; name some.`);
  const seen = new Map<string, TextFile>();
  for (const file of files) {
    const other = seen.get(lowerCase(file.table));
    if (other !== undefined)
      throw new UserError(`${other.path} and ${file.path} are both the table ${file.table}; rename or remove one.`);
    seen.set(lowerCase(file.table), file);
  }
  return { files, left, isSeveral: true };
}

/** The format of a file by its name; of a `.txt` file by its first line. */
function formatByContent(path: string): TextFormat | undefined {
  if (extname(path).toLowerCase() !== ".txt") return textFormatOf(path);
  const separator = headingSeparator(readBeginning(path));
  if (separator === undefined) return undefined;
  return separator === "\t" ? "tsv" : "csv";
}

/** The separator of a first line that names columns, if it does: the next line has as many cells, or there is none. */
function headingSeparator(start: Buffer): string | undefined {
  const [heading = "", next = ""] = start
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/);
  return ["\t", ",", ";", "|"].find((separator) => {
    const names = heading.split(separator);
    const isHeading =
      names.length > 1 && names.every((name) => NAME.test(name)) && new Set(names).size === names.length;
    return isHeading && (next === "" || next.split(separator).length >= names.length);
  });
}

/** The name of a column in a heading, perhaps in quotes. */
const NAME = /^"?[\p{L}_][^"\p{Cc}]*"?$/u;

/** Why a file is not a table, as a sentence. */
function whyLeft(path: string): string {
  const start = readBeginning(path);
  if (start.toString("latin1").startsWith(SQLITE_MAGIC)) return `${path} is a SQLite database, a source of its own.`;
  return knownContent(path, start) ?? `${basename(path)} is not CSV, TSV or NDJSON by its name.`;
}
