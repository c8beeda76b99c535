/** Finds the text files of a source: one, or those of a folder or a list, each of which is a table as in a database. */
import { readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { MOST_LISTINGS } from "../contract/listing-names.js";
import { lowerCase } from "../contract/sql.js";
import { codeOf, hasCode, UserError, unreadableFile, usageError } from "../errors.js";
import { findNear } from "../print/near.js";
import { type SettingsOfFile, STDIN } from "../settings/kinds.js";
import { DB_PURPOSE } from "./errors.js";
import { headingFormat, knownContent, readBeginning, readJson, SQLITE_MAGIC } from "./foreign.js";
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
  settings: SettingsOfFile;
  /** Whether it is one of several, so that flags are for others, too. */
  isOfSeveral: boolean;
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
  const paths = sourceFiles(db);
  requireNamed(db, paths, settings);
  if (typeof db !== "string")
    return several(
      db,
      paths.map((path) => listedFile(path, settingsOfFile(path, settings))),
      [],
    );
  if (isFolder(db)) return filesIn(db, settings);
  const own = settingsOfFile(db, settings);
  const format = textFormatOf(db, own);
  if (format === undefined) return undefined;
  return { files: [textFile(db, format, own, false)], left: [], isSeveral: false };
}

function textFile(path: string, format: TextFormat, settings: SettingsOfFile, isOfSeveral: boolean): TextFile {
  return { path, format, settings, table: tableNameOf(path), isOfSeveral };
}

/** The settings of a file: its own before those of all files. */
function settingsOfFile(path: string, settings: TextSettings): SettingsOfFile {
  const { files: _, ...all } = settings;
  return { ...all, ...ownSettings(path, settings) };
}

function ownSettings(path: string, { files = {} }: TextSettings): SettingsOfFile {
  const own = Object.entries(files).filter(([name]) => isNamed(path, name));
  return Object.assign({}, ...own.map(([, settings]) => settings));
}

/** Whether a name in `files` is that of a file: `people.csv` or the end of its path, such as `data/people.csv`. */
function isNamed(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name.replace(/^[.][/]/, "")}`);
}

/** @throws UserError (usage) if `files` names a file that the source does not have */
function requireNamed(db: SourcePath, paths: readonly string[], { files = {} }: TextSettings): void {
  const unknown = Object.keys(files).find((name) => !paths.some((path) => isNamed(path, name)));
  if (unknown === undefined) return;
  const near = findNear(
    unknown,
    paths.map((path) => basename(path)),
  );
  const next = near === undefined ? "remove it, or correct its name." : `did you mean ${near}?`;
  throw usageError(`files.${unknown} names a file that ${nameOfSource(db)} does not have; ${next}`);
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
  for (const path of entriesIn(folder)) {
    const why = whyNoFile(path);
    if (why !== undefined) {
      left.push({ name: basename(path), why });
      continue;
    }
    const own = settingsOfFile(path, settings);
    // A format for all files makes no table of a file that is not a text file by its name.
    const format = ownSettings(path, settings).sourceFormat ?? formatByContent(path);
    if (format === undefined) left.push({ name: basename(path), why: whyLeft(path) });
    else files.push(textFile(path, own.sourceFormat ?? format, own, true));
  }
  return several(folder, files, left);
}

function pathsIn(folder: string): string[] {
  return entriesIn(folder).filter((path) => whyNoFile(path) === undefined);
}

/** The paths in a folder that are not passing, but for folders: of files, links to nothing, devices and pipes. */
function entriesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => !PASSING.test(name));
    return names
      .sort()
      .map((name) => join(folder, name))
      .filter((path) => !isFolder(path));
  } catch (cause) {
    throw unreadableFile(folder, DB_PURPOSE, cause);
  }
}

/** Why an entry of a folder is no file, as a sentence; undefined if it is one. */
function whyNoFile(path: string): string | undefined {
  const name = basename(path);
  let isFile: boolean;
  try {
    isFile = statSync(path).isFile();
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ELOOP")) throw unreadableFile(path, DB_PURPOSE, error);
    return `${name} is a symbolic link to no file; remove it, or correct it.`;
  }
  return isFile ? undefined : `${name} is a device or pipe; write what comes from it to a file.`;
}

function listedFile(path: string, settings: SettingsOfFile): TextFile {
  if (path === STDIN) throw usageError("Standard input is one table; write it to a file to read it with others.");
  if (isFolder(path)) throw usageError(`${path} is a folder; give it alone, or give the files in it.`);
  requireFile(path);
  const format = settings.sourceFormat ?? formatByContent(path);
  if (format === undefined) throw usageError(`${whyLeft(path)} Several files are text files, a table each.`);
  return textFile(path, format, settings, true);
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

/** Whether a file of a folder is a table. @throws the system's error if it cannot be read */
export function isTextFile(path: string): boolean {
  return formatByContent(path) !== undefined;
}

/** The format of a file by its name; of a `.txt` file by its first line. */
function formatByContent(path: string): TextFormat | undefined {
  return extname(path).toLowerCase() === ".txt" ? headingFormat(readBeginning(path)) : textFormatOf(path);
}

/** Why a file is not a table, as a sentence. */
function whyLeft(path: string): string {
  const start = readBeginning(path);
  if (start.toString("latin1").startsWith(SQLITE_MAGIC)) return `${path} is a SQLite database, a source of its own.`;
  const known = knownContent(path, start, () => readJson(path))?.replaceAll("\n", " ");
  return known ?? `${basename(path)} is not CSV, TSV or NDJSON by its name.`;
}
