/** Converts CSV, TSV and NDJSON files to a SQLite file, as a stream. */
import { type BigIntStats, createReadStream, rmSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { pipeline, Readable } from "node:stream";
import Database from "better-sqlite3";
import { CsvError, parse } from "csv-parse";
import type { Contract, Field } from "../contract/contract.js";

import { parseConfig } from "../contract/file/config-json.js";
import { acceptorOf } from "../contract/file/value-rules.js";
import { isObject } from "../contract/json.js";
import { type Kind, kindOf, takesNull } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { shorten, showValue } from "../print/text.js";
import { overwritten } from "./errors.js";
import { isSameFile, isUnwritten, requireFile } from "./stats.js";

type Text = AsyncGenerator<string>;
type Stored = string | bigint | number | null;

export interface Imported {
  /** The only table, named after the file. */
  table: string;
  /** The `stat` of the text file when it was read. */
  stats: BigIntStats;
}

/** Maximum attempts to read a file that is being written to. */
const MOST_READINGS = 3;
/** SQLite allows 2,000 columns, and a copy adds one. */
const MOST_COLUMNS = 1999;

export interface ImportEffects {
  signal?: AbortSignal | undefined;
  /** Called with the bytes that were read so far, and all bytes of the file. */
  onRead?: ((bytes: number, total: number) => void) | undefined;
}

/** Whether a path is that of a text file, by its extension. */
export function isTextFile(path: string): boolean {
  return /\.(?:csv|tsv|tab|ndjson|jsonl)$/i.test(path);
}

/**
 * Converts a text file to a SQLite file.
 * @param to the path of the SQLite file; an existing file is replaced.
 * @param contract gives the types of columns; without it, a column has the type that all its values have.
 * @throws UserError with line and column if the text is malformed, or is not UTF-8.
 */
export async function importText(
  path: string,
  to: string,
  contract?: Contract,
  effects: ImportEffects = {},
): Promise<Imported> {
  const table = basename(path, extname(path));
  for (let readings = 1; readings <= MOST_READINGS; readings++) {
    const stats = requireFile(path);
    rmSync(to, { force: true });
    const db = new Database(to);
    try {
      db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
      const isJson = /json/i.test(extname(path));
      const types = contract ? [] : isJson ? JSON_TYPES : TEXT_TYPES;
      const writer = new TableWriter(db, table, path, types);
      let read = 0;
      const input = textOf(path, (bytes) => {
        read += bytes;
        effects.onRead?.(read, Number(stats.size));
        effects.signal?.throwIfAborted();
      });
      if (isJson) await readLines(path, input, writer, contract);
      else await readCsv(path, input, writer, contract);
      writer.finish();
      db.exec("COMMIT");
    } finally {
      db.close();
    }
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (now && isSameFile(now, stats) && isUnwritten(now, stats)) return { table, stats };
  }
  throw overwritten(path);
}

async function readCsv(path: string, input: Text, writer: TableWriter, contract?: Contract): Promise<void> {
  const rows = parse({ delimiter: await delimiterOf(path), skip_empty_lines: true });
  // An error of one stream ends all of them, and the loop throws it.
  pipeline(Readable.from(input), rows, () => {});
  const readers = new Map(contract?.fields.map((field) => [field.column.toLowerCase(), csvReader(field)]));
  let read: ((text: string) => Stored)[] = [];
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      if (read.length === 0) {
        const names = row.map((name) => name.trim());
        requireHeader(path, names);
        for (const name of names) writer.column(name);
        read = names.map((name) => readers.get(name.toLowerCase()) ?? emptyIsNull);
      } else writer.add(row.map((text, at) => read[at]?.(text) ?? null));
    }
  } catch (error) {
    throw error instanceof CsvError ? new UserError(describe(path, error), { cause: error }) : error;
  }
}

/** Finds the delimiter. Programs that write decimal commas separate values by semicolons. */
async function delimiterOf(path: string): Promise<string> {
  if (!/\.csv$/i.test(path)) return "\t";
  for await (const text of textOf(path)) {
    const [first = ""] = text.split("\n", 1);
    return first.includes(";") && !first.includes(",") ? ";" : ",";
  }
  return ",";
}

function requireHeader(path: string, names: readonly string[]): void {
  const lower = names.map((name) => name.toLowerCase());
  const wrong = names.findIndex((name, at) => name === "" || lower.indexOf(lower[at] ?? "") < at);
  if (wrong === -1) return;
  const why = names[wrong] === "" ? "has no name" : `repeats the name ${showValue(names[wrong])}`;
  throw new UserError(`${path}, line 1: column ${wrong + 1} ${why}; the first line names each column once.`);
}

function describe(path: string, { message, code, ...place }: CsvError): string {
  const { lines, column, record } = place as { lines?: number; column?: number | string; record?: unknown[] };
  const where = [
    path,
    ...(lines ? [`line ${lines}`] : []),
    ...(typeof column === "number" ? [`column ${column + 1}`] : []),
  ];
  const why =
    code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH"
      ? `the row has ${count(record?.length ?? 0, "value")}, where the first line has ${/expect (\d+)/.exec(message)?.[1]}`
      : message.replace(/ (?:on|at) line \d+.*$/, "");
  return `${where.join(", ")}: ${why}. Correct the line, then run this again.`;
}

const emptyIsNull = (text: string): Stored => (text === "" ? null : text);

/** Makes the converter of a field. A text that cannot be converted stays text, and is reported as a problem of its record. */
function csvReader({ schema }: Field): (text: string) => Stored {
  const convert = CONVERT[kindOf(schema)] ?? ((text) => text);
  const empty = !takesNull(schema) && acceptorOf(schema)("") ? "" : null;
  return (text) => (text === "" ? empty : convert(text));
}

const CONVERT: Partial<Record<Kind, (text: string) => Stored>> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? BigInt(text) : text),
  number: (text) => (DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : text),
  boolean: (text) => BOOLEANS.get(text.toLowerCase()) ?? text,
};
const DECIMAL = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const BOOLEANS = new Map<string, Stored>(Object.entries({ true: 1n, false: 0n, 1: 1n, 0: 0n }));

/** Reads NDJSON. Lists and objects become JSON text. With a contract, a field is also found by its path. */
async function readLines(path: string, input: Text, writer: TableWriter, contract?: Contract): Promise<void> {
  const fields = contract && [...new Map(contract.fields.map((field) => [field.column.toLowerCase(), field])).values()];
  for (const { column } of fields ?? []) writer.column(column);
  let line = 0;
  for await (const text of linesOf(input)) {
    line++;
    if (text.trim() === "") continue;
    const record = parseLine(path, line, text);
    const values = fields
      ? fields.map((field) => stored(record[field.column] ?? valueAt(record, field)))
      : Object.entries(record).reduce<Stored[]>((row, [name, value]) => {
          row[writer.column(name)] = typeof value === "boolean" ? String(value) : stored(value);
          return row;
        }, []);
    writer.add(values);
  }
}

function parseLine(path: string, line: number, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const parsed = parseConfig(text);
    const why = "mistake" in parsed ? parsed.mistake.replace(/^line 1, /, "") : String(cause);
    throw new UserError(`${path}, line ${line}, ${why}. Correct the line, then run this again.`, { cause });
  }
  if (isObject(value)) return value;
  throw new UserError(`${path}, line ${line}: expected an object, found ${shorten(text, 40)}.`);
}

function stored(value: unknown): Stored {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

async function* linesOf(input: Text): Text {
  let unfinished = "";
  for await (const text of input) {
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop() ?? "";
    yield* lines;
  }
  yield unfinished;
}

/**
 * Reads the text in pieces, without a byte order mark.
 * @param onRead called with the number of bytes of each piece, before the piece is given
 * @throws UserError if it is not UTF-8
 */
async function* textOf(path: string, onRead: (bytes: number) => void = () => {}): Text {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let lines = 1;
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      const text = new TextDecoder().decode(bytes).split("\uFFFD")[0] ?? "";
      const line = lines + text.split("\n").length - 1;
      throw new UserError(`${path} is not text in UTF-8, from line ${line} on; save it as UTF-8.`, { cause });
    }
  };
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    onRead(bytes.length);
    const text = decode(bytes);
    yield text;
    lines += text.split("\n").length - 1;
  }
  decode();
}

/** Column types and checks of their values. A column gets the first type that fits all its values. */
type Types = readonly (readonly [name: string, takes: (value: string | bigint | number) => boolean])[];

const BOOLEAN = ["BOOLEAN", (value: unknown) => /^(?:true|false)$/i.test(String(value))] as const;
const TEXT_TYPES: Types = [
  BOOLEAN,
  // A number with leading zeros is a code, so it stays text.
  ["INTEGER", (value) => /^(?:0|-?[1-9]\d{0,14})$/.test(String(value))],
  ["REAL", (value) => /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(String(value))],
];
const JSON_TYPES: Types = [
  BOOLEAN,
  ["INTEGER", (value) => typeof value === "bigint"],
  ["REAL", (value) => typeof value !== "string"],
];

/** Writes the rows of a table. Columns can be added at any time. */
class TableWriter {
  readonly #places = new Map<string, number>();
  readonly #columns: { name: string; types: Types; isEmpty: boolean }[] = [];
  #insert: Database.Statement | undefined;

  constructor(
    private readonly db: Database.Database,
    private readonly table: string,
    private readonly path: string,
    /** The types to detect; none if a contract gives the types. */
    private readonly types: Types,
  ) {}

  /** The position of a column. Adds the column if it is new. */
  column(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const same = this.#columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
    if (same !== undefined)
      throw new UserError(
        `${this.path} has the columns ${same.name} and ${name}, which are the same for SQLite; rename one.`,
      );
    if (this.#columns.length === MOST_COLUMNS)
      throw new UserError(`${this.path} has more than ${MOST_COLUMNS} columns; leave some out.`);
    const place = this.#columns.push({ name, types: this.types, isEmpty: true }) - 1;
    this.#places.set(name, place);
    // Without a declared type, SQLite stores each value unchanged.
    const sql =
      place === 0 ? `CREATE TABLE ${RAW} (${quoteName(name)})` : `ALTER TABLE ${RAW} ADD COLUMN ${quoteName(name)}`;
    this.db.exec(sql);
    this.#insert = undefined;
    return place;
  }

  /** Adds a row. @param row values by position; missing ones are NULL. */
  add(row: readonly (Stored | undefined)[]): void {
    this.#insert ??= this.db.prepare(`INSERT INTO ${RAW} VALUES (${this.#columns.map(() => "?").join(", ")})`);
    this.#insert.run(this.#columns.map((_, at) => row[at] ?? null));
    for (const [at, column] of this.#columns.entries()) {
      const value = row[at] ?? null;
      if (value === null) continue;
      column.isEmpty = false;
      if (!column.types.every(([, takes]) => takes(value)))
        column.types = column.types.filter(([, takes]) => takes(value));
    }
  }

  /** Finishes the table. Gives each column the type that all its values have, if types are detected. */
  finish(): void {
    if (this.#columns.length === 0) throw new UserError(`${this.path} has no columns; its first line names them.`);
    if (this.types.length === 0) return void this.db.exec(`ALTER TABLE ${RAW} RENAME TO ${quoteName(this.table)}`);
    const declared = this.#columns.map(({ name, types, isEmpty }) => {
      return { name: quoteName(name), type: (isEmpty ? undefined : types[0]?.[0]) ?? "TEXT" };
    });
    const values = declared.map(({ name, type }) => (type === "BOOLEAN" ? `lower(${name}) = 'true' AS ${name}` : name));
    // SQLite converts what it stores in a column with a type.
    this.db.exec(`CREATE TABLE ${quoteName(this.table)} (${declared.map(({ name, type }) => `${name} ${type}`).join(", ")});
      INSERT INTO ${quoteName(this.table)} SELECT ${values.join(", ")} FROM ${RAW}; DROP TABLE ${RAW}`);
  }
}

const RAW = "rollcall_raw";
