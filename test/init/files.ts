/** Draws text files and tables as people have them, publishes them, and compares each published value with what was written. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect } from "vitest";
import { UserError } from "../../src/core/errors.js";
import { build } from "../../src/index.js";
import type { Found } from "../../src/init/found.js";
import { initialize } from "../../src/init/init.js";

const digits = (min: number, max: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{${min - 1},${max - 1}}$`));
const day = fc
  .date({ min: new Date("1980-01-01"), max: new Date("2030-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const word = fc.constantFrom("oak", "elm", "Linde", "東京", "Ünal", "x y", "a'b", "😀", "e\u0301", "<b>", "&amp;");
const hostile = fc.constantFrom(
  ...['"', '""', 'say "hi"', "a,b", "a;b", "a|b", " lead", "trail ", "two\nlines", "cr\rlf\r\n", "#", "'", "\\", "\\N"],
  ...["=1+1", "null", "NULL", "true", "TRUE", "-", ".", "n/a", "0x1F", "1_000", "\u00a0", "1e3", "Infinity", "NaN"],
);

/** Cells of one kind. Several kinds in a column are drawn below. */
const KINDS: readonly fc.Arbitrary<string>[] = [
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  digits(14, 18),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.tuple(fc.nat(999), fc.nat(99)).map(([whole, part]) => `${whole}.${String(part).padStart(2, "0")}`),
  fc.tuple(fc.nat(99), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.double({ min: -180, max: 180, noNaN: true }).map((value) => value.toFixed(6)),
  fc.tuple(fc.nat(3), fc.nat(20)).map(([major, minor]) => `${major}.${minor}`),
  fc.tuple(fc.nat(3), fc.nat(9), fc.nat(9)).map((parts) => parts.join(".")),
  fc.nat(9999).map((code) => String(code).padStart(5, "0")),
  fc.constantFrom("1e3", "1E5", "2.5e-3", "+3", "1.", ".5", "-0", "0.0", "00", "-0.00", "0e0"),
  day.map((time) => time.slice(0, 10)),
  fc.constantFrom("2023-02-28", "2023-02-29", "2024-02-29", "2024-02-30"),
  fc.tuple(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 1, max: 12 })).map(([d, m]) => `${d}/${m}/2024`),
  day.map((time) => `${time.slice(8, 10)}.${time.slice(5, 7)}.${time.slice(0, 4)}`),
  day.map((time) => time.slice(0, 19).replace("T", " ")),
  day,
  fc.constantFrom("true", "false"),
  fc.constantFrom("True", "False"),
  fc.constantFrom("0", "1"),
  fc.constantFrom("n/a", "N/A", "-", "NULL", "\\N", "NaN", "NA", ""),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify([value])),
  fc.record({ a: fc.integer(), b: word }).map((value) => JSON.stringify(value)),
  fc.constantFrom('{"a": 1, "b": [1, 2]}', '{"b": [1, 2], "a": 1}', '{"a":1,"b":[1,2]}', '{"a":1.0}', '{"a":1}', "[]"),
  fc.constantFrom("[9007199254740993]", "[1e400]", '{"a":1,"a":2}', "[1,]", "{}", '["\\u00e9"]', '["é"]'),
  fc.nat(2_000_000).map((value) => value.toLocaleString("en")),
  fc.nat(2_000_000).map((value) => value.toLocaleString("de")),
  fc.uuid(),
  word,
  hostile,
  fc.string({ unit: "grapheme", maxLength: 6 }),
];

interface Column {
  name: string;
  cells: string[];
}

const names = fc.uniqueArray(
  fc.constantFrom(
    ...["id", "name", "Kind", "is_active", "created_at", "größe", "名前", "Straße", "a b", "a.b", "2nd", "value", "v"],
    ...["price (EUR)", "toString", "__proto__", "rowid", "order", "x-y", "x_y", 'q"q', "path", "lat", "e-mail"],
  ),
  { minLength: 1, maxLength: 5, selector: (name) => name.toLowerCase() },
);

/** A table of texts: each column is of one kind, of two, or of one with a single odd cell. */
const tables: fc.Arbitrary<Column[]> = fc.tuple(names, fc.integer({ min: 1, max: 24 })).chain(([all, rows]) =>
  fc.tuple(
    ...all.map((name) =>
      fc
        .tuple(fc.constantFrom(...KINDS), fc.constantFrom(...KINDS), fc.constantFrom(0, 0, 1, 6))
        .chain(([main, odd, weight]) =>
          fc.array(fc.oneof({ arbitrary: main, weight: 12 }, { arbitrary: odd, weight }), {
            minLength: rows,
            maxLength: rows,
          }),
        )
        .map((cells) => ({ name, cells })),
    ),
  ),
);

/** How a file is written. */
interface Form {
  format: "csv" | "tsv" | "sqlite";
  separator: string;
  isNamed: boolean;
  lineEnd: "\n" | "\r\n" | "\r";
  quotes: "all" | "needed";
  mark: "" | "\uFEFF" | "utf16le";
  isPacked: boolean;
  convert: boolean;
}

const forms: fc.Arbitrary<Form> = fc.record({
  format: fc.constantFrom("csv", "csv", "csv", "tsv", "sqlite"),
  separator: fc.constantFrom(",", ";", "\t", "|"),
  isNamed: fc.boolean(),
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  quotes: fc.constantFrom("all", "needed", "needed"),
  mark: fc.constantFrom("", "", "\uFEFF", "utf16le"),
  isPacked: fc.constantFrom(false, false, false, true),
  convert: fc.constantFrom(false, false, false, true),
});

function csvOf(columns: readonly Column[], { format, separator, lineEnd, quotes, mark }: Form): Buffer {
  const rows = [
    columns.map(({ name }) => name),
    ...(columns[0]?.cells ?? []).map((_, at) => columns.map(({ cells }) => cells[at] ?? "")),
  ];
  const needsQuotes = (cell: string) => cell.includes(separator) || /["\r\n]/.test(cell);
  const write = (cell: string) =>
    format === "csv" && (quotes === "all" || needsQuotes(cell)) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const text = rows.map((row) => row.map(write).join(format === "tsv" ? "\t" : separator) + lineEnd).join("");
  return mark === "utf16le" ? Buffer.from(`\uFEFF${text}`, "utf16le") : Buffer.from(mark + text);
}

/** Cells that a form cannot hold are replaced: TSV has no tabs, line ends or quotes around values. */
function writable(columns: readonly Column[], { format }: Form): Column[] {
  if (format !== "tsv") return [...columns];
  const clean = (text: string) => text.replace(/[\t\r\n]/g, "_").replace(/^"/, "'");
  return columns.map(({ name, cells }) => ({ name: clean(name), cells: cells.map(clean) }));
}

function databaseOf(path: string, columns: readonly Column[]): void {
  const db = new Database(path);
  const quoted = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  db.exec(`CREATE TABLE things (${quoted.map((name) => `${name} TEXT`).join(", ")})`);
  const insert = db.prepare(`INSERT INTO things VALUES (${quoted.map(() => "?").join(", ")})`);
  for (const at of (columns[0]?.cells ?? []).keys()) insert.run(columns.map(({ cells }) => cells[at]));
  db.close();
}

/**
 * Publishes a table in a form, and checks that nothing changed.
 * @returns the message of init if it refuses the file
 */
async function checkTable(folder: string, drawn: readonly Column[], form: Form): Promise<string | undefined> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const columns = writable(drawn, form);
  const from = join(
    folder,
    form.format === "sqlite" ? "things.sqlite" : `things.${form.format}${form.isPacked ? ".gz" : ""}`,
  );
  if (form.format === "sqlite") databaseOf(from, columns);
  else {
    const bytes = csvOf(columns, form);
    writeFileSync(from, form.isPacked ? gzipSync(bytes) : bytes);
  }
  const separator = form.format === "csv" && form.isNamed ? form.separator : undefined;
  let found: Found | undefined;
  try {
    ({ found } = await initialize({ folder: folder, from, separator, convert: form.convert }));
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  if (!found) throw new Error("init found nothing");
  const { records } = await publish(folder, from, found, separator);
  expect(records).toHaveLength(form.format === "sqlite" ? (columns[0]?.cells.length ?? 0) : recordsOf(columns));
  expect(found.columns.map(({ column }) => column)).toEqual(columns.map(({ name }) => name.trim()));
  comparePublished(found, columns, records, form);
  return undefined;
}

/** How many rows of a text file are records: all but those whose cells are all blank. */
function recordsOf(columns: readonly Column[]): number {
  const rows = [...(columns[0]?.cells ?? []).keys()];
  return rows.filter((at) => columns.some(({ cells }) => cells[at]?.trim() !== "")).length;
}

type Published = Readonly<Record<string, unknown>>;

async function publish(folder: string, from: string, found: Found, separator: string | undefined) {
  const { folder: release } = await build({
    db: from,
    separator,
    contract: join(folder, "rollcall.contract.json"),
    table: found.kind === "file" || found.sql !== undefined ? undefined : found.name,
    query: found.sql === undefined ? undefined : join(folder, "rollcall.query.sql"),
    dist: join(folder, "dist"),
    baseUrl: "https://example.com",
    pageSize: 1000,
    workers: 0,
  });
  const pages = join(release, found.contract["x-listing"].path ?? "/", "pages");
  const [page = ""] = readdirSync(pages);
  const { results } = JSON.parse(readFileSync(join(pages, page), "utf8")) as { results: Published[] };
  return { records: results };
}

/** The line of a text file on which each row ends, below the line of names. */
function linesOf(columns: readonly Column[]): number[] {
  const breaksIn = (cell = "") => cell.match(/\r\n|\n|\r/g)?.length ?? 0;
  let line = 1;
  return [...(columns[0]?.cells ?? []).keys()].map((at) => {
    line += columns.reduce((breaks, { cells }) => breaks + breaksIn(cells[at]), 1);
    return line;
  });
}

/** Compares every published value with its cell, and that two cells never became one value. */
function comparePublished(
  found: Found,
  columns: readonly Column[],
  records: readonly Published[],
  { format, convert }: Form,
): void {
  const { key } = found;
  const isConvertedKey = convert && found.columns.some(({ field, offer }) => field === key.field && offer);
  if (isConvertedKey) return;
  const cells = columns[0]?.cells ?? [];
  const keyCells = columns.find((_, at) => found.columns[at]?.field === key.field)?.cells;
  const rowOf = (record: Published) => {
    const value = record[key.field];
    const parts = key.added?.parts?.map(
      ({ column }) => columns[found.columns.findIndex((one) => one.column === column)],
    );
    if (parts) return cells.findIndex((_, at) => value === joined(parts.map((part) => part?.cells[at] ?? "")));
    if (key.added) return format === "sqlite" ? Number(value) - 1 : lines.indexOf(Number(value));
    return keyCells?.findIndex((cell) => saysSame(value, cell, [])) ?? -1;
  };
  const lines = linesOf(columns);
  const placed = records.map((record) => ({ record, row: rowOf(record) }));
  expect(new Set(placed.map(({ row }) => row)).size).toBe(records.length);
  for (const [at, { cells, name }] of columns.entries()) {
    const { field = "", schema, nulls = [], offer } = found.columns[at] ?? {};
    if (!schema) continue;
    const isConverted = convert && offer?.isPossible;
    const marks = [...nulls.map(([mark]) => mark), ...(format === "sqlite" ? [] : [""])];
    const seen = new Map<string, string>();
    for (const { record, row } of placed) {
      const cell = cells[row] ?? "";
      const value = record[field];
      if (isConverted && value !== null) continue;
      if (!saysSame(value, cell, marks))
        throw new Error(`${name}, row ${row}: ${JSON.stringify(cell)} became ${JSON.stringify(value)}`);
      const text = JSON.stringify(value);
      const other = seen.get(text);
      if (
        value !== null &&
        other !== undefined &&
        other !== cell &&
        !(format === "sqlite" && typeof value === "object")
      )
        throw new Error(`${name}: both ${JSON.stringify(other)} and ${JSON.stringify(cell)} became ${text}`);
      seen.set(text, cell);
    }
  }
}

/** Values of NDJSON, each as JSON. */
const members: fc.Arbitrary<string> = fc.oneof(
  ...KINDS.slice(0, 8).filter((_, at) => at !== 2),
  fc.constantFrom("1e3", "2.5e-3", "1.0", "12.50", "-0", "1e400", "0.1000000000000000055", "123456789012345678901234"),
  fc.constantFrom(
    "true",
    "false",
    "null",
    "[]",
    "{}",
    '[1, "a", {"b": null}]',
    '{"b":1,"a":[1.50]}',
    '{"x":9007199254740993}',
  ),
  fc.oneof(...KINDS).map((text) => JSON.stringify(text)),
);

/** Objects of NDJSON, by name the JSON of each member; names may be missing. */
const objects: fc.Arbitrary<ReadonlyMap<string, string>[]> = names.chain((all) =>
  fc
    .tuple(...all.map(() => fc.array(members, { minLength: 1, maxLength: 3 })))
    .chain((choices) =>
      fc.array(fc.tuple(...choices.map((some) => fc.option(fc.constantFrom(...some), { freq: 8 }))), {
        minLength: 1,
        maxLength: 12,
      }),
    )
    .map((rows) =>
      rows.map((row) => new Map(row.flatMap((json, at) => (json === null ? [] : [[all[at] ?? "", json] as const])))),
    ),
);

/** Publishes NDJSON, and checks that nothing changed. @returns the message of init if it refuses the file */
async function checkObjects(
  folder: string,
  rows: readonly ReadonlyMap<string, string>[],
  lineEnd: Form["lineEnd"],
): Promise<string | undefined> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const from = join(folder, "things.ndjson");
  const lines = rows.map((row) => `{${[...row].map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(", ")}}`);
  writeFileSync(from, lines.join(lineEnd));
  let found: Found | undefined;
  try {
    ({ found } = await initialize({ folder: folder, from }));
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  if (!found) throw new Error("init found nothing");
  const { records } = await publish(folder, from, found, undefined);
  expect(records).toHaveLength(rows.length);
  const { key, columns } = found;
  const keyColumn = columns.find(({ field }) => field === key.field)?.column ?? "";
  for (const record of records) {
    const value = record[key.field];
    const partsOf = (one: ReadonlyMap<string, string>) =>
      key.added?.parts?.map(({ column }) => {
        const json = one.get(column) ?? "null";
        return json.startsWith('"') ? JSON.parse(json) : json;
      });
    const isRow = (one: ReadonlyMap<string, string>) => {
      const parts = partsOf(one);
      if (parts) return value === joined(parts);
      return one.has(keyColumn) && isMember(value, one.get(keyColumn) ?? "null");
    };
    const isNumbered = key.added && !key.added.parts;
    const row = isNumbered ? rows[Number(value) - 1] : rows.find(isRow);
    if (!row) throw new Error(`No row has the key ${JSON.stringify(value)}`);
    for (const { column, field, schema } of columns) {
      const json = row.get(column) ?? "null";
      if (schema && !isMember(record[field], json))
        throw new Error(`${column}: ${json} became ${JSON.stringify(record[field])}`);
    }
  }
  return undefined;
}

/** A key made of several values, as a query of init makes it. */
function joined(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll("~", "~0").replaceAll(":", "~1")).join(":");
}

/** Whether a published value says the same as JSON: whole numbers that readers would round are their digits. */
function isMember(value: unknown, json: string): boolean {
  if (typeof value === "string") return json === value || JSON.parse(json) === value;
  if (typeof value === "number") return isNumber(json) && decimal(String(value)) === decimal(json.toLowerCase());
  return JSON.stringify(sorted(JSON.parse(json))) === JSON.stringify(sorted(value));
}

function isNumber(json: string): boolean {
  return /^-?\d/.test(json);
}

function saysSame(value: unknown, cell: string, marks: readonly string[]): boolean {
  if (value === null) return marks.includes(cell);
  if (typeof value === "string") return value === cell;
  if (typeof value === "boolean") return cell === String(value);
  if (typeof value === "number") return /^-?\d+(\.\d+)?$/.test(cell) && decimal(String(value)) === decimal(cell);
  return JSON.stringify(sorted(JSON.parse(cell))) === JSON.stringify(sorted(value));
}

/** A decimal value, whatever its zeros: `-12.50` as `-1250e-2` without the zero. */
function decimal(text: string): string {
  const [, sign, whole = "", part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/.exec(text) ?? [];
  let number = BigInt(whole + part);
  let scale = Number(exponent) - part.length;
  if (number === 0n) return "0";
  while (number % 10n === 0n) {
    number /= 10n;
    scale++;
  }
  return `${sign}${number}e${scale}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, item]) => [name, sorted(item)]);
}

/** Publishes many tables in many forms. Few files of one column may be refused, since commas in most rows may be separators. */
export async function checkTables(folder: string, numRuns: number): Promise<void> {
  const refused: string[] = [];
  const check = fc.asyncProperty(tables, forms, async (columns, form) => {
    const message = await checkTable(folder, columns, form);
    if (message !== undefined) refused.push(message);
  });
  await fc.assert(check, { numRuns });
  for (const message of refused) expect(message).toMatch(/ or pass --separator\.$/);
  expect(refused.length).toBeLessThan(numRuns / 20);
}

/** Publishes many NDJSON files. */
export async function checkManyObjects(folder: string, numRuns: number): Promise<void> {
  const lineEnds = fc.constantFrom("\n" as const, "\r\n" as const, "\r" as const);
  const check = fc.asyncProperty(objects, lineEnds, async (rows, lineEnd) => {
    expect(await checkObjects(folder, rows, lineEnd)).toBeUndefined();
  });
  await fc.assert(check, { numRuns });
}
