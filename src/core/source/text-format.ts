/** Which files are CSV, TSV or NDJSON, by their names and settings. */
import { basename, extname } from "node:path";
import { usageError } from "../errors.js";
import { listed, shellWord } from "../print/text.js";
import { type SettingsOfFile, STDIN } from "../settings/kinds.js";
import type { OptionsOf, TEXT_KEYS } from "../settings/settings.js";

/** Settings of how text files are read. */
export type TextSettings = OptionsOf<(typeof TEXT_KEYS)[number]>;
export type TextFormat = NonNullable<SettingsOfFile["sourceFormat"]>;

const ENDINGS: Readonly<Record<string, TextFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".tab": "tsv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

/** The format of a text file, by the setting or its name: `stations.csv`, `stations.csv.gz`; undefined for any other name. */
export function textFormatOf(path: string, { sourceFormat }: SettingsOfFile = {}): TextFormat | undefined {
  if (sourceFormat !== undefined) return sourceFormat;
  if (path === STDIN) throw usageError("Standard input needs its format: pass --format csv, tsv or ndjson.");
  return ENDINGS[extname(withoutGz(path)).toLowerCase()];
}

/** Picks the settings of how text files are read. */
export function textSettingsOf({ sourceFormat, separator, quote, encoding, files }: TextSettings): TextSettings {
  return { sourceFormat, separator, quote, encoding, files };
}

/** A SQLite or text file, a folder of text files, several text files, or `-` for standard input. */
export type SourcePath = string | readonly string[];

/** Maximum number of files that a message names. */
const MOST_NAMED = 5;

/** The name of a source in messages. */
export function nameOfSource(path: SourcePath): string {
  if (typeof path !== "string") return listed(path, MOST_NAMED);
  return path === STDIN ? "standard input" : path;
}

/** How a command line names a source. */
export function shellSource(path: SourcePath): string {
  return [path].flat().map(shellWord).join(" ");
}

/** The name of a text file's table: `stations` for `data/stations.csv.gz`, `records` for standard input. */
export function tableNameOf(path: string): string {
  const file = withoutGz(basename(path));
  const name = path === STDIN ? "records" : basename(file, extname(file));
  // SQLite reserves such names.
  return /^sqlite_/i.test(name) ? `_${name}` : name;
}

function withoutGz(path: string): string {
  return path.replace(/\.gz$/i, "");
}
