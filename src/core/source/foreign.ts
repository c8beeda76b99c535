/** Tells files that are not CSV, TSV, NDJSON or SQLite by their first bytes, with the command that converts them. */
import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { shellWord } from "../print/text.js";
import type { TextFormat } from "./text-format.js";

export const SQLITE_MAGIC = "SQLite format 3\0";

/** Bytes of a file's beginning that tell what it is. */
export const BEGINNING_BYTES = 4096;

/** Reads the beginning of a file. @throws the system's error if it cannot be read */
export function readBeginning(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(BEGINNING_BYTES);
    return bytes.subarray(0, readSync(file, bytes, 0, BEGINNING_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

interface Content {
  /** Bytes, one character each, or a pattern of text. The first content that begins so counts. */
  begins: readonly (string | RegExp)[];
  what: string;
  /** What to do. @param file the file's name for a shell */
  next(file: string, name: string): string;
}

/** LibreOffice's format of CSV in UTF-8, with formulas as values and all sheets. */
const SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1";

function saveSheets(file: string): string {
  return `save the sheet as CSV, or make a CSV file of each: soffice --convert-to ${shellWord(SHEETS)} ${file}`;
}

const CONTENTS: readonly Content[] = [
  { begins: [SQLITE_MAGIC], what: "a SQLite database", next: (file) => `rename it to ${file}.sqlite` },
  {
    begins: ["PK\x03\x04"],
    what: "an Excel workbook or another ZIP file",
    next: (file, name) =>
      /[.]zip$/i.test(name) ? `unpack it: unzip ${file} -d ${shellWord(dirname(name))}` : saveSheets(file),
  },
  { begins: ["\xd0\xcf\x11\xe0"], what: "an old Excel workbook", next: saveSheets },
  {
    begins: ["PAR1"],
    what: "a Parquet file",
    next: (_, name) =>
      `pipe it: duckdb -c "COPY (FROM '${name}') TO '/dev/stdout' (FORMAT json)" | rollcall build --db - --format ndjson`,
  },
  {
    begins: ["version https://git-lfs.github.com/spec"],
    what: "a pointer of Git LFS, not the file",
    next: () => 'run "git lfs pull"',
  },
  { begins: ["\x1f\x8b"], what: "packed by gzip", next: (file) => `unpack it: gunzip ${file}` },
  {
    begins: ["BZh", "\xfd7zXZ\0", "\x28\xb5\x2f\xfd"],
    what: "a compressed file",
    next: () => "unpack it, or pack it with gzip",
  },
  {
    begins: [/^(?:--[^\n]*\n\s*)*-- (?:PostgreSQL database dump|MySQL dump|MariaDB dump)/],
    what: "a dump of a database server",
    next: () => "export a table as CSV by a pipe from the server (docs/guides/your-data.md)",
  },
  {
    begins: [/^\s*(?:--[^\n]*\n\s*)*(?:PRAGMA |BEGIN TRANSACTION|CREATE TABLE|INSERT INTO)/i],
    what: "SQL text",
    next: (file) => `make a database of it: sqlite3 new.sqlite < ${file}`,
  },
];

/**
 * Says that a file is not what its name or `--format` says, with the next step; undefined if it may be.
 * @param start its first bytes
 * @param format the format that it should have; undefined for a SQLite file
 */
export function foreignContent(name: string, start: Buffer, format: TextFormat | undefined): string | undefined {
  const text = textOf(start);
  const isDatabase = text.startsWith(SQLITE_MAGIC);
  if (isDatabase && format === undefined) return undefined;
  if (format === "csv" || format === "tsv") return packedContent(name, text);
  const known = knownContent(name, start);
  if (known !== undefined || format === "ndjson") return known;
  if (/^\s*\{/.test(text)) return `${name} looks like NDJSON; name it .ndjson, or pass --format ndjson.`;
  // Encrypted databases begin with any bytes.
  const isText = isUtf8(start) && !text.includes("\0");
  return isText
    ? `${name} is text, not a SQLite database; name it .csv, .tsv or .ndjson, or pass --format.`
    : undefined;
}

function textOf(start: Buffer): string {
  return start.toString("latin1").replace(/^\xef\xbb\xbf/, "");
}

/** Says that a file is not a table by its first bytes, with the command that makes one of it; undefined for other content. */
export function knownContent(name: string, start: Buffer): string | undefined {
  const text = textOf(start);
  return packedContent(name, text) ?? jsonContent(name, text);
}

function packedContent(name: string, text: string): string | undefined {
  const content = CONTENTS.find(({ begins }) =>
    begins.some((begin) => (typeof begin === "string" ? text.startsWith(begin) : begin.test(text))),
  );
  return content && `${name} is ${content.what}; ${content.next(shellWord(name), name)}.`;
}

function jsonContent(name: string, text: string): string | undefined {
  const file = shellWord(name);
  if (/^\s*\[\s*(?:[{[\]]|$)/.test(text))
    return `${name} is one JSON list; write one object a line: jq -c '.[]' ${file} > records.ndjson.`;
  if (/^\s*\{\s*"type"\s*:\s*"FeatureCollection"/.test(text))
    return `${name} is GeoJSON; write one feature a line: jq -c '.features[]' ${file} > records.ndjson.`;
  if (/^\s*\{\s*\r?\n/.test(text))
    return `${name} has a JSON object over several lines; write one object a line: jq -c . ${file} > records.ndjson.`;
  return undefined;
}
