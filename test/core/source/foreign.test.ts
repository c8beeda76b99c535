/** Files that are not CSV, TSV, NDJSON or SQLite are told by their first bytes, with the next step. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { foreignContent } from "../../../src/core/source/foreign.js";

const DUMP =
  "is a dump of a database server; export a table as CSV by a pipe from the server (docs/guides/your-data.md).";
const PACKED = "is a compressed file; unpack it, or pack it with gzip.";
const SQL = "is SQL text; make a database of it: sqlite3 new.sqlite < 'my file'.";
const HTML = "is an HTML page; download the data themselves, or save the table of the page as CSV.";
const SHEETS =
  "save the sheet as CSV, or make a CSV file of each: soffice --convert-to 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1' 'my file'.";
const bytes = (text: string) => Buffer.from(text, "latin1");

describe("whatever the format should be", () => {
  test.each<[start: Buffer, message: string]>([
    [bytes("PK\x03\x04\x14\0"), `is an Excel workbook or another ZIP file; ${SHEETS}`],
    [bytes("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), `is an old Excel workbook; ${SHEETS}`],
    [
      bytes("PAR1\x15\x04"),
      `is a Parquet file; pipe it: duckdb -c "COPY (FROM 'my file') TO '/dev/stdout' (FORMAT json)" | rollcall build --db - --format ndjson.`,
    ],
    [
      bytes("version https://git-lfs.github.com/spec/v1\noid sha256:"),
      'is a pointer of Git LFS, not the file; run "git lfs pull".',
    ],
    [gzipSync("x"), "is packed by gzip; unpack it: gunzip 'my file'."],
    [bytes("BZh91AY"), PACKED],
    [bytes("\xfd7zXZ\0"), PACKED],
    [bytes("\x28\xb5\x2f\xfd"), PACKED],
    [bytes("--\n-- PostgreSQL database dump\n--\n"), DUMP],
    [bytes("-- MySQL dump 10.13  Distrib 8.0"), DUMP],
    [bytes("-- MariaDB dump 10.19"), DUMP],
    [bytes("PRAGMA foreign_keys=OFF;\nBEGIN"), SQL],
    [bytes("\xef\xbb\xbfcreate table a (b);"), SQL],
    [bytes("<!DOCTYPE html>\n<title>Sign in"), HTML],
    [bytes(" <table><tr><td>id"), HTML],
    [bytes('\xef\xbb\xbf<?xml version="1.0"?><Workbook'), "is XML; get the data as CSV or NDJSON."],
    [bytes("%PDF-1.4\n"), "is a PDF file; get the data as CSV."],
    [bytes("-- mine\n\nINSERT INTO a VALUES"), SQL],
  ])("%#: %s", (start, message) => {
    for (const format of ["csv", "tsv", "ndjson", undefined] as const)
      expect(foreignContent("my file", start, format)).toMatch(`my file ${message}`);
  });
});

test.each(["csv", "tsv", "ndjson"] as const)("a SQLite file is not %s", (format) => {
  const start = bytes("SQLite format 3\0\x10\0");
  expect(foreignContent("a.csv", start, format)).toBe("a.csv is a SQLite database; rename it to a.csv.sqlite.");
  expect(foreignContent("a.csv", start, undefined)).toBeUndefined();
});

test.each(['[{"a": 1}]', " [\n", "[]", "[[1]]", "\ufeff[ {"])("a JSON list is not NDJSON: %j", (text) => {
  const start = Buffer.from(text);
  expect(foreignContent("a.json", start, "ndjson")).toMatch(
    /^a\.json is one JSON list; write one object a line: jq -c '\.\[\]' a\.json > records\.ndjson\.$/,
  );
  expect(foreignContent("a.json", start, undefined)).toMatch(/is one JSON list/);
  expect(foreignContent("a.csv", start, "csv")).toBeUndefined();
});

test("a JSON object over several lines is not NDJSON", () => {
  const message =
    "a.json has a JSON object over several lines; write one object a line: jq -c . a.json > records.ndjson.";
  expect(foreignContent("a.json", Buffer.from('{\n  "a": 1\n}\n'), "ndjson")).toBe(message);
  expect(foreignContent("a.json", Buffer.from('{\r\n  "a": 1\n}\n'), undefined)).toBe(message);
  expect(foreignContent("a.json", Buffer.from('{"a": 1}\n'), "ndjson")).toBeUndefined();
});

test("a JSON object with lists is told with the command for each", () => {
  const tell = (text: string, format?: "ndjson") => foreignContent("a.json", Buffer.from(text), format);
  const one =
    "a.json is a JSON object with a list in it; write one object a line: jq -c '.List[]' a.json > list.ndjson.";
  expect(tell('{"Version":"5.5","List":[{"Id":1,"D":[{"a":1}]},{"Id":2}]}\n')).toBe(one);
  expect(tell('\ufeff{\n  "List": [\n    {"a": "]"}\n  ]\n}\n', "ndjson")).toBe(one);
  expect(tell('{"data":{"the \\"items\\"":[{"a":"\\\\"}]},"tags":["a"],"none":[],"users":[ {} ]}')).toBe(
    `a.json is a JSON object with 2 lists; write one object a line, to a file for each:
jq -c '.data."the \\"items\\""[]' a.json > the-items.ndjson
jq -c '.users[]' a.json > users.ndjson`,
  );
  // One of them is a line of NDJSON.
  expect(tell('{"List":[{"Id":1}]}\n{"List":[{"Id":2}]}\n')).toMatch(/^a\.json looks like NDJSON/);
  expect(tell('{"List":[{"Id":1}]}\n', "ndjson")).toBeUndefined();
  expect(tell(`{"a":${"[".repeat(100_000)}`)).toMatch(/looks like NDJSON/);
});

test("a text without a format needs one, which its first line shows", () => {
  const messageOf = (start: Buffer) => foreignContent("a.txt", start, undefined);
  const message = (step: string) => `a.txt is text, not a SQLite database; ${step}.`;
  const csv = message("name it .csv, or pass --format csv");
  const tsv = message("name it .tsv, or pass --format tsv");
  expect(messageOf(Buffer.from("Hello, world\n\nThese are data.\n"))).toBe(
    message("name it .csv, .tsv or .ndjson, or pass --format"),
  );
  expect(messageOf(Buffer.from("id,name\n1,a\n"))).toBe(csv);
  expect(messageOf(bytes("id;gr\xf6\xdfe\r\n1;a\r\n"))).toBe(csv);
  expect(messageOf(Buffer.from(`id;größe\n${"1;ä\n".repeat(2000)}`).subarray(0, 4096))).toBe(csv);
  expect(messageOf(Buffer.from("\ufeffid\tname\r\n1\ta\r\n", "utf16le"))).toBe(tsv);
  expect(foreignContent("a.json", Buffer.from('{"a": 1}\n{"a": 2}\n'), undefined)).toBe(
    "a.json looks like NDJSON; name it .ndjson, or pass --format ndjson.",
  );
});

test.each([
  "id,name\n",
  "[note],b\n",
  "{x},y\n",
  "Parts\n",
  "select,from\n",
  "PKT,name\n",
  "insert,into\n",
  "<id>,b\n",
])("%j begins a CSV file", (text) => {
  expect(foreignContent("a.csv", Buffer.from(text), "csv")).toBeUndefined();
  expect(foreignContent("a.tsv", Buffer.from(text), "tsv")).toBeUndefined();
});

test("other bytes may be an encrypted database", () => {
  expect(foreignContent("a.db", Buffer.from([1, 255, 0, 7]), undefined)).toBeUndefined();
});
