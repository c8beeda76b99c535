/** Tells files that are not CSV, TSV, NDJSON or SQLite by their first bytes, with the command that converts them. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { shellWord } from "../print/text.js";
import { commandsForLists, MOST_JSON } from "./json-lists.js";
import type { TextFormat } from "./text-format.js";

export const SQLITE_MAGIC = "SQLite format 3\0";

/** Bytes of a file's beginning that tell what it is. */
export const BEGINNING_BYTES = 4096;

/** Reads the beginning of a file. @throws the system's error if it cannot be read */
export function readBeginning(path: string, most = BEGINNING_BYTES): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.min(most, fstatSync(file).size || BEGINNING_BYTES));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
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
    begins: [/^\s*<(?:!doctype html|html|head|body|table|meta)\b/i],
    what: "an HTML page",
    next: () => "download the data themselves, or save the table of the page as CSV",
  },
  { begins: [/^\s*<\?xml\s/i], what: "XML", next: () => "get the data as CSV or NDJSON" },
  { begins: ["%PDF-"], what: "a PDF file", next: () => "get the data as CSV" },
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
 * @param readAll reads more of the file; by default, its first bytes are all
 * @returns a line, or several with a command each
 */
export function foreignContent(
  name: string,
  start: Buffer,
  format: TextFormat | undefined,
  readAll = () => start,
): string | undefined {
  const text = textOf(start);
  const isDatabase = text.startsWith(SQLITE_MAGIC);
  if (isDatabase && format === undefined) return undefined;
  if (format === "csv" || format === "tsv") return packedContent(name, text);
  const isOneLine = /^\s*\{(?!\s*\r?\n)/.test(text);
  // In NDJSON, a line is a record, also with lists in it.
  const known = knownContent(name, start, format === "ndjson" && isOneLine ? undefined : readAll);
  if (known !== undefined || format === "ndjson") return known;
  if (isOneLine) return `${name} looks like NDJSON; name it .ndjson, or pass --format ndjson.`;
  // Encrypted databases begin with any bytes.
  if (!mayBeText(start)) return undefined;
  const heading = headingFormat(start);
  const step = heading
    ? `name it .${heading}, or pass --format ${heading}`
    : "name it .csv, .tsv or .ndjson, or pass --format";
  return `${name} is text, not a SQLite database; ${step}.`;
}

/** Whether bytes may be text, in UTF-8 or another encoding: without control characters, but for tabs, line ends and DOS's mark of the end. */
function mayBeText(start: Buffer): boolean {
  return (
    encodingOf(start) !== "utf-8" ||
    start.every((byte) => byte >= 0x20 || [0x09, 0x0a, 0x0c, 0x0d, 0x1a].includes(byte))
  );
}

/** The encoding that a byte order mark names; UTF-8 by default. */
export function encodingOf(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  return start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : "utf-8";
}

/** The format of a text whose first line names columns: the next line has as many cells, or there is none. */
export function headingFormat(start: Buffer): "csv" | "tsv" | undefined {
  const [heading = "", next = ""] = new TextDecoder(encodingOf(start)).decode(start).split(/\r\n|\n|\r/);
  const separator = ["\t", ",", ";", "|"].find((one) => {
    const names = heading.split(one);
    const isHeading =
      names.length > 1 && names.every((name) => NAME.test(name)) && new Set(names).size === names.length;
    return isHeading && (next === "" || next.split(one).length >= names.length);
  });
  if (separator === undefined) return undefined;
  return separator === "\t" ? "tsv" : "csv";
}

/** The name of a column in a heading, perhaps in quotes. */
const NAME = /^"?[\p{L}_][^"\p{Cc}]*"?$/u;

function textOf(start: Buffer, encoding: "latin1" | "utf8" = "latin1"): string {
  return start.toString(encoding).replace(/^(?:\xef\xbb\xbf|\ufeff)/, "");
}

/**
 * Says that a file is not a table by its first bytes, with the command that makes one of it; undefined for other content.
 * @param readAll reads more of the file, to find lists in its JSON
 */
export function knownContent(name: string, start: Buffer, readAll?: () => Buffer): string | undefined {
  const text = textOf(start);
  return packedContent(name, text) ?? jsonContent(name, text, readAll);
}

/** Reads as much of a file as lists of JSON are looked for in. */
export function readJson(path: string): Buffer {
  return readBeginning(path, MOST_JSON);
}

/** The error for a file that is not a table. @param found of several lines, the first one is the message */
export function foreignError(found: string, cause?: unknown): UserError {
  const [message = "", ...details] = found.split("\n");
  return new UserError(message, { details, cause });
}

function packedContent(name: string, text: string): string | undefined {
  const content = CONTENTS.find(({ begins }) =>
    begins.some((begin) => (typeof begin === "string" ? text.startsWith(begin) : begin.test(text))),
  );
  return content && `${name} is ${content.what}; ${content.next(shellWord(name), name)}.`;
}

function jsonContent(name: string, text: string, readAll?: () => Buffer): string | undefined {
  const file = shellWord(name);
  if (/^\s*\[\s*(?:[{[\]]|$)/.test(text))
    return `${name} is one JSON list; write one object a line: jq -c '.[]' ${file} > records.ndjson.`;
  if (/^\s*\{\s*"type"\s*:\s*"FeatureCollection"/.test(text))
    return `${name} is GeoJSON; write one feature a line: jq -c '.features[]' ${file} > records.ndjson.`;
  const commands = readAll && /^\s*\{/.test(text) ? commandsForLists(textOf(readAll(), "utf8"), name) : [];
  const [command, ...others] = commands;
  if (command !== undefined && others.length === 0)
    return `${name} is a JSON object with a list in it; write one object a line: ${command}.`;
  if (command !== undefined)
    return [
      `${name} is a JSON object with ${count(commands.length, "list")}; write one object a line, to a file for each:`,
      ...commands,
    ].join("\n");
  if (/^\s*\{\s*\r?\n/.test(text))
    return `${name} has a JSON object over several lines; write one object a line: jq -c . ${file} > records.ndjson.`;
  return undefined;
}
