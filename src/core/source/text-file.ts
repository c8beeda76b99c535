/** Imports CSV, TSV and NDJSON files into the tables of a SQLite file, as streams. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { CsvError } from "csv-parse";
import type { Contract, Field } from "../contract/contract.js";
import { kindOf } from "../contract/record/kind.js";
import { lowerCase, quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { count } from "../print/numbers.js";
import { shorten, showValue } from "../print/text.js";
import { CellColumn, cellReader, hasNumbers, memberReader, type Stored, storedMember, typedReader } from "./cells.js";
import { EmptyRows, isEmptyRow, readRows } from "./csv-rows.js";
import { AmbiguousFields, DecimalColumn, mayBeGrouped } from "./decimals.js";
import { changedWhileRead, explainReading, type ReadContext } from "./errors.js";
import { readMembers } from "./json-text.js";
import { freeRowid, ROWID_NAMES, requireColumns } from "./relation.js";
import { findDialect, MOST_CHARACTERS, WHOLE_FILE } from "./separator.js";
import type { TextFile } from "./text-files.js";
import { nameOfSource, type TextFormat } from "./text-format.js";
import { type Text, TextInput } from "./text-input.js";

/** How columns are imported. */
export type ImportAs =
  /** The columns of a contract, with the types of its fields. */
  | { contract: Contract }
  /** All columns for a query, each with a type that says the same as each of its values. The query yields those of the contract, if there is one. */
  | { queriedFor: Contract | undefined }
  /** The same for queries of several files. Texts that mean NULL in a column of one of the contracts do so in each column of that name. */
  | { queriedBy: readonly Contract[] }
  /** All columns as they are written: cells as text, values of NDJSON as JSON. */
  | "written";

/** A file to import, and how. */
export interface TextImport {
  file: TextFile;
  /** The name of its table in the SQLite file. */
  table: string;
  as: ImportAs;
  /** The listing that it is read for, in messages; undefined for all, or without a site. */
  context?: ReadContext | undefined;
}

/** What to import from the files of a source, as they are now. */
export interface ImportPlan {
  imports: readonly TextImport[];
}

export interface Imported {
  /** The name of its table. */
  table: string;
  /** The columns of the file, each with its name in the table. */
  columns: readonly ImportedColumn[];
  /** The names of all columns of the file, whether they were imported or not; at most the first 1,999 names in NDJSON. */
  names: readonly string[];
  format: TextFormat;
  /** The separator of cells. */
  separator?: string | undefined;
  /** What a user should know about how the file was read, as a sentence, before there is a contract. */
  note?: string | undefined;
  /** Sentences on rows that were left out, and on numbers that may be read in two ways. */
  notes: string[];
}

interface ImportedColumn {
  name: string;
  column: string;
  /** Whether the file has no name for it, so that its name is its position. */
  isUnnamed: boolean;
}

/** What was imported, as of one moment. */
export interface ImportedFiles<Plan> {
  plan: Plan;
  tables: readonly Imported[];
  /** Whether each file is still the one that was read, and no other has come to the source. */
  isUnchanged(): boolean;
}

export interface ImportEffects {
  signal?: AbortSignal | undefined;
  /** Called with the bytes that were read so far, and all bytes of the files. */
  onRead?: ((bytes: number, total: number) => void) | undefined;
}

/** Maximum attempts to read files that are being written to, and milliseconds between two. */
const MOST_READINGS = 3;
const PAUSE = 300;
/** SQLite allows 2,000 columns, and a copy adds one. */
const MOST_COLUMNS = 1999;
/** The column with the line on which a row ends, in a table of values as they are written. */
export const LINE = "rollcall_line";
/** The same in a table for a contract. No field has this name. */
export const UNNAMED_LINE = "";

/**
 * Imports text files. If one of them changes, comes or goes while they are read, all are read again.
 * @param name of the source in messages
 * @param find finds what to import; called before the first and after the last read
 * @param to the path of the SQLite file, in a folder for temporary files; an existing file is replaced.
 * @throws UserError with line and column if a text is malformed, is not in the encoding, or lacks a column of the contract.
 */
export async function importTexts<Plan extends ImportPlan>(
  name: string,
  find: () => Plan,
  to: string,
  effects: ImportEffects = {},
): Promise<ImportedFiles<Plan>> {
  for (let readings = 1; ; readings++) {
    const plan = find();
    const { imports } = plan;
    const inputs: TextInput[] = [];
    const isUnchanged = () => inputs.every((input) => input.isUnchanged()) && isSamePlan(plan, find);
    try {
      for (const { file, context } of imports) inputs.push(await openInput(file, dirname(to), context));
      const tables = await importOnce(imports, inputs, to, effects);
      if (isUnchanged()) return { plan, tables, isUnchanged };
    } catch (error) {
      effects.signal?.throwIfAborted();
      // A file that another program is writing may look damaged.
      if (isUnchanged()) throw error;
    }
    if (readings === MOST_READINGS) throw changedWhileRead(name, readings);
    await setTimeout(PAUSE);
  }
}

/** Whether the same files would be imported now. */
function isSamePlan(plan: ImportPlan, find: () => ImportPlan): boolean {
  const pathsOf = ({ imports }: ImportPlan) => JSON.stringify(imports.map(({ file }) => file.path));
  try {
    return pathsOf(find()) === pathsOf(plan);
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

async function openInput(file: TextFile, spool: string, context: ReadContext | undefined): Promise<TextInput> {
  const { path, format, settings, isOfSeveral } = file;
  try {
    return await TextInput.open(path, format, settings, spool, isOfSeveral);
  } catch (error) {
    throw explainReading(nameOfSource(path), adviseLeavingOut(error, file), context);
  }
}

/** Adds to an error of one of several files how to go on without it: no file is left out unsaid. */
function adviseLeavingOut(error: unknown, { isOfSeveral }: TextFile): unknown {
  if (!isOfSeveral || !(error instanceof UserError)) return error;
  const { exitCode, details } = error;
  const [message = ""] = error.message.split("\n");
  const advised = `${message} To go on without this file, move it away, or name the others instead.`;
  return new UserError(advised, { exitCode, details, cause: error });
}

async function importOnce(
  imports: readonly TextImport[],
  inputs: readonly TextInput[],
  to: string,
  { signal, onRead }: ImportEffects,
): Promise<Imported[]> {
  rmSync(to, { force: true });
  const db = new Database(to);
  const total = inputs.reduce((sum, { stats }) => sum + Number(stats.size), 0);
  let before = 0;
  try {
    db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    const tables: Imported[] = [];
    for (const [at, one] of imports.entries()) {
      const input = inputs[at] as TextInput;
      const text = input.read((bytes) => {
        onRead?.(before + bytes, total);
        signal?.throwIfAborted();
      });
      try {
        tables.push(await importTable(db, input, text, one));
      } catch (error) {
        throw explainReading(input.name, adviseLeavingOut(error, one.file), one.context);
      }
      before += Number(input.stats.size);
    }
    return tables;
  } finally {
    db.close();
  }
}

async function importTable(
  db: Database.Database,
  input: TextInput,
  text: Text,
  { table: name, as }: TextImport,
): Promise<Imported> {
  const { format } = input;
  db.exec("BEGIN");
  const isQueried = typeof as === "object" && !("contract" in as);
  // No file has such a name, since a slash is in it.
  const table = new TableWriter(db, isQueried ? `${name}/as written` : name);
  const contract = typeof as === "object" && "contract" in as ? as.contract : undefined;
  const step = format === "ndjson" ? readLines : readCells;
  const read = await step(input, text, table, contract);
  if (isQueried && read.columns.length === 0) throw noColumns(input.name);
  const columns = isQueried ? typeColumns(table, name, read.columns, format, as) : read.columns;
  db.exec("COMMIT");
  return { ...read, columns, table: name, format };
}

/**
 * Makes the table that a query reads from a table of values as they are written. A column that the contract names too is read as
 * without a query; any other gets the type that says the same as all its values.
 */
function typeColumns(
  { db, name: written }: TableWriter,
  to: string,
  columns: readonly ImportedColumn[],
  format: TextFormat,
  as: Exclude<ImportAs, "written" | { contract: Contract }>,
): ImportedColumn[] {
  const own = "queriedFor" in as ? (as.queriedFor?.fields ?? []) : [];
  const fields = new Map(own.map((field) => [lowerCase(field.column), field]));
  const others = "queriedBy" in as ? as.queriedBy.flatMap((contract) => contract.fields) : [];
  const rows = `FROM ${quoteName(written)}`;
  const select = (values: readonly string[]) => `SELECT ${values.join(", ")} ${rows}`;
  const isJson = format === "ndjson";
  const empty = isJson ? "null" : "";
  const readers = columns.map(({ name, column }) => {
    const field = fields.get(lowerCase(name));
    if (isJson) return field ? memberReader(field) : storedMember;
    const cells = db.prepare<[], string>(`${select([column])} WHERE ${column} IS NOT NULL`).pluck();
    if (field) return cellReader(field, hasNumbers(field) && hasDecimalCommas(cells.iterate()));
    const same = others.filter((other) => lowerCase(other.column) === lowerCase(name));
    const nulls = new Set(["", ...same.flatMap(({ schema }) => schema["x-null-marks"] ?? [])]);
    const found = new CellColumn();
    let isGrouped = false;
    for (const cell of cells.iterate()) {
      if (nulls.has(cell)) continue;
      found.add(cell);
      isGrouped ||= mayBeGrouped(cell);
    }
    const isConverted = isGrouped && found.type === "number" && same.some(isOfIntegers);
    const read = typedReader(isConverted ? "integer" : found.type);
    return (cell: string) => (nulls.has(cell) ? null : read(cell));
  });
  db.function("typed", (at, text) => readers[Number(at)]?.(String(text ?? empty)));
  const names = columns.map(({ name }) => name);
  new TableWriter(db, to).create(names);
  const rowid = freeRowid(names);
  const numbers = rowid === undefined ? [] : [rowid];
  const into = [...numbers, ...names.map(quoteName)].join(", ");
  const typed = columns.map(({ column }, at) => `typed(${at}, ${column})`);
  db.exec(`INSERT INTO ${quoteName(to)} (${into}) ${select([...numbers.map(() => "rowid"), ...typed])};
    DROP TABLE ${quoteName(written)}`);
  return columns.map((column) => ({ ...column, column: column.name }));
}

/** Whether a field is of whole numbers. Then a query that reads `1.234` makes 1234 of it, and needs the text. */
function isOfIntegers({ schema }: Field): boolean {
  return kindOf(schema) === "integer";
}

/** Whether the numbers of a column have decimal commas. Then `1.234` is 1234, which a query may make of it. */
function hasDecimalCommas(cells: Iterable<string>): boolean {
  const decimals = new DecimalColumn();
  for (const cell of cells) decimals.add(cell);
  return decimals.mark === ",";
}

function noColumns(file: string): UserError {
  return new UserError(`${file} has no columns; its first line names them.`);
}

type Read = Pick<Imported, "columns" | "names" | "separator" | "note" | "notes">;

/** Reads CSV or TSV. */
async function readCells(input: TextInput, text: Text, table: TableWriter, contract?: Contract): Promise<Read> {
  const { separator: delimiter, quote, firstLine, note } = await findDialect(input);
  const empty = new EmptyRows();
  let names: readonly string[] | undefined;
  let cells: CellWriter | undefined;
  const add = (row: readonly string[], line: number) => {
    if (isEmptyRow(row)) {
      if (names === undefined && row.length > 1) throw noColumns(input.name);
      empty.add(line);
      return;
    }
    if (names === undefined) names = columnNames(input, row, line);
    else if (row.length !== names.length) throw wrongLength(input.name, row.length, names.length, line);
    if (cells) cells.add(row, line);
    else cells = cellWriter(input.name, names, table, contract);
  };
  try {
    await readRows(text, { ...WHOLE_FILE, delimiter, quote, from_line: firstLine }, add);
  } catch (error) {
    throw error instanceof CsvError ? new UserError(describe(input, error), { cause: error }) : error;
  }
  if (names === undefined || cells === undefined) throw noColumns(input.name);
  const { columns, notes } = (cells as CellWriter).finish(delimiter);
  if (empty.note !== undefined) notes.unshift(empty.note);
  return { columns, names, separator: delimiter, note: note ?? noteOnNames(names), notes };
}

/** A note if the first line may be a record or a title: names look like numbers or dates, or most are missing. */
function noteOnNames(names: readonly string[]): string | undefined {
  const unnamed = names.filter((name, at) => name === nameAt(at)).length;
  if (unnamed > names.length / 2)
    return `its first line names ${names.length - unnamed} of ${names.length} columns; if it is a title, remove the lines above the names`;
  if (!names.some((name) => /^[-+]?[0-9][0-9.,/'\u2019\s-]*$/.test(name))) return undefined;
  return `its first line names the columns ${shorten(names.join(", "), 40)}; if it is a record, add a line of names above it`;
}

/** Writes rows of cells. */
interface CellWriter {
  /** @param line the line on which the row ends */
  add(cells: readonly string[], line: number): void;
  finish(separator: string): Pick<Imported, "columns" | "notes">;
}

function cellWriter(file: string, names: readonly string[], table: TableWriter, contract?: Contract): CellWriter {
  return contract ? cellsOfContract(file, names, table, contract) : writtenCells(file, names, table);
}

function cellsOfContract(file: string, names: readonly string[], table: TableWriter, contract: Contract): CellWriter {
  requireColumns(contract, names, { where: file, file, rename: "Name them so in its first line", hasRowid: true });
  const columns = contract.fields.flatMap((field) => {
    const at = placeOf(field.column, names);
    return at === -1 ? [] : [{ at, name: field.column, field, read: cellReader(field) }];
  });
  const numbers = columns.filter(({ field }) => hasNumbers(field));
  const ambiguous = new AmbiguousFields(
    numbers.map(({ at, name, field }) => ({ at, column: name, marks: field.schema["x-null-marks"] ?? [] })),
    names,
  );
  table.create(
    columns.map(({ name }) => name),
    UNNAMED_LINE,
  );
  return {
    add(cells, line) {
      ambiguous.add(cells);
      table.add([BigInt(line), ...columns.map(({ at, read }) => read(cells[at] ?? ""))]);
    },
    finish: (separator) => ({ columns: [], notes: ambiguous.notes(separator) }),
  };
}

/** The position of a column: the name itself, or else one that differs only by case. */
function placeOf(column: string, names: readonly string[]): number {
  const exact = names.indexOf(column);
  return exact === -1 ? names.map(lowerCase).indexOf(lowerCase(column)) : exact;
}

function writtenCells(file: string, names: readonly string[], table: TableWriter): CellWriter {
  const seen = new Map<string, string>();
  for (const name of names) requireAnother(file, name, seen);
  const columns = names.map((name, at) => {
    return { name, column: `c${at + 1}`, isUnnamed: name === nameAt(at) };
  });
  table.create(
    columns.map(({ column }) => column),
    LINE,
  );
  return {
    add: (cells, line) => table.add([BigInt(line), ...cells.map((cell) => (cell === "" ? null : cell))]),
    finish: () => ({ columns, notes: [] }),
  };
}

/** The name of a column that has none. */
function nameAt(at: number): string {
  return `column_${at + 1}`;
}

/** The names of columns. @throws UserError if there are none, or if some cannot be told apart */
function columnNames(input: TextInput, record: readonly string[], line: number): string[] {
  const file = input.name;
  const names = record.map((name, at) => name.trim() || nameAt(at));
  const repeated = names.findIndex((name, at) => names.indexOf(name) < at);
  if (repeated !== -1)
    throw new UserError(
      `${file}, line ${line}: column ${repeated + 1} repeats the name ${showValue(names[repeated])}; name each column once, in a line of names above the rows.`,
    );
  const odd = names.findIndex((name) => /\p{Cc}/u.test(name));
  if (odd === -1) return names;
  const utf16 = names[odd]?.includes("\0")
    ? `, or pass ${input.wayToSet("encoding", "utf-16le")} if the file is in UTF-16`
    : "";
  throw new UserError(
    `${file}, line ${line}: the name of column ${odd + 1} has a control character, ${showValue(names[odd])}; rename it${utf16}.`,
  );
}

/** Adds a name to those that were seen, by lower case. @throws UserError if SQLite cannot tell it from another, or there are too many */
function requireAnother(file: string, name: string, seen: Map<string, string>): void {
  const lower = lowerCase(name);
  const other = seen.get(lower);
  if (other !== undefined)
    throw new UserError(`${file} has the columns ${other} and ${name}, which are the same for SQLite; rename one.`);
  seen.set(lower, name);
  if (seen.size > MOST_COLUMNS) throw new UserError(`${file} has more than ${MOST_COLUMNS} columns; leave some out.`);
}

function wrongLength(file: string, values: number, expected: number, line: number): UserError {
  const why = `the row has ${count(values, "value")}, where the first line has ${expected}`;
  return new UserError(
    `${file}, line ${line}: ${why}, which names the columns. Correct one of them, then run this again.`,
  );
}

function describe(input: TextInput, { code, message, ...place }: CsvError): string {
  const { lines, column, field } = place as { lines?: number; column?: number | string; field?: unknown };
  if (lines === 1 && column === 0 && /^\s*[[{]/.test(String(field)))
    return `${input.name} looks like JSON; name it .ndjson, or pass --format ndjson.`;
  const where = [input.name, ...(lines ? [`line ${lines}`] : [])];
  if (typeof column === "number") where.push(`column ${column + 1}`);
  const why = QUOTE_MISTAKES[code] ?? message.replace(/ (?:on|at) line \d+.*$/, "");
  return `${where.join(", ")}: ${why}. Correct the line, or pass ${input.wayToSet("quote", "none")} if quotes are characters like others.`;
}

/** What is wrong with quotes, by codes of csv-parse. */
const QUOTE_MISTAKES: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: `a quote is in a value that does not begin with one; write "6"" pipe" for 6" pipe`,
  CSV_INVALID_CLOSING_QUOTE: `a quote ends the value before its separator; write a quote in it twice, as in "6"" pipe", not \\"`,
  CSV_QUOTE_NOT_CLOSED: "a value begins with a quote, and no quote ends it",
};

/** Reads NDJSON. With a contract, a field inside of objects is also found by its path. */
async function readLines(input: TextInput, text: Text, table: TableWriter, contract?: Contract): Promise<Read> {
  const writer = contract ? membersOfContract(input.name, table, contract) : writtenMembers(input.name, table);
  const names = new Set<string>();
  let line = 0;
  const tooLong = () =>
    new UserError(
      `${input.name}, line ${line + 1}: longer than ${MOST_CHARACTERS} characters. Split the record, then run this again.`,
    );
  for await (const json of linesOf(text, tooLong)) {
    line++;
    if (json.trim() === "") continue;
    const where = `${input.name}, line ${line}`;
    const read = readMembers(json);
    if ("why" in read) {
      const why = read.why.replace(/^line 1, /, ", ").replace(/^(?!, )/, ": ");
      throw new UserError(`${where}${why}. Correct the line, then run this again.`);
    }
    for (const name of read.members.keys()) if (names.size < MOST_COLUMNS) names.add(name);
    writer.add(read.members, line, where);
  }
  return { columns: writer.finish(), names: [...names], notes: [] };
}

/** Writes objects of NDJSON. */
interface MemberWriter {
  add(members: ReadonlyMap<string, string>, line: number, where: string): void;
  finish(): ImportedColumn[];
}

/** Writes members as they are, in columns that are added as names appear. */
function writtenMembers(file: string, table: TableWriter): MemberWriter {
  const columns: ImportedColumn[] = [];
  const places = new Map<string, number>();
  const seen = new Map<string, string>();
  table.create([], LINE);
  const add = (name: string, line: number) => {
    if (name === "" || /\p{Cc}/u.test(name)) {
      const what = name === "" ? "is empty" : `has a control character, ${showValue(name)}`;
      throw new UserError(`${file}, line ${line}: the name of a member ${what}; rename it.`);
    }
    const column = `c${columns.length + 1}`;
    columns.push({ name, column, isUnnamed: false });
    places.set(name, columns.length);
    requireAnother(file, name, seen);
    table.extend(column);
  };
  return {
    add(members, line) {
      for (const name of members.keys()) if (!places.has(name)) add(name, line);
      const row: Stored[] = new Array(1 + columns.length).fill(null);
      row[0] = BigInt(line);
      for (const [name, json] of members) row[places.get(name) ?? 0] = json === "null" ? null : json;
      table.add(row);
    },
    finish: () => columns,
  };
}

/** Maximum number of names that a message may choose from. */
const MOST_NAMES = 1000;

function membersOfContract(file: string, table: TableWriter, contract: Contract): MemberWriter {
  const taken = new Set(contract.fields.map(({ column }) => lowerCase(column)));
  const all = contract.fields.map((field) => {
    const names = field.path.split(".");
    // A member that is another field's column is not on the path to this one. A path of one name is the same place as the
    // column: with x-column, a member of that name is another value.
    const isOther = names.length === 1 || taken.has(lowerCase(names[0] ?? ""));
    return { column: field.column, names: isOther ? [] : names, read: memberReader(field) };
  });
  const columns = all.filter(({ column }) => !isRowid(column));
  // Such a name is that of the row's number, unless a member has it.
  let maybeNumbers = all.filter(({ column }) => isRowid(column));
  const found = new Set<string>();
  let isEmpty = true;
  table.create(
    columns.map(({ column }) => column),
    UNNAMED_LINE,
  );
  return {
    add(members, line, where) {
      isEmpty = false;
      for (const name of members.keys()) if (found.size < MOST_NAMES) found.add(name);
      const record = new RecordMembers(members, where);
      for (const added of maybeNumbers.filter(({ column }) => record.find(column) !== undefined)) {
        columns.push(added);
        table.extend(added.column);
        maybeNumbers = maybeNumbers.filter((other) => other !== added);
      }
      const values = columns.map(({ column, names, read }) => {
        const json = record.find(column) ?? record.at(names);
        if (json === undefined) return null;
        found.add(column);
        return Buffer.isBuffer(json) ? json : read(json);
      });
      table.add([BigInt(line), ...values]);
    },
    finish() {
      const place = { where: file, file, rename: "Name them so in its objects", hasRowid: true };
      if (!isEmpty) requireColumns(contract, [...found], place);
      return [];
    },
  };
}

function isRowid(column: string): boolean {
  return (ROWID_NAMES as readonly string[]).includes(lowerCase(column));
}

/** Finds members of a record by name or path. */
class RecordMembers {
  #lower: Map<string, string> | undefined;
  readonly #inside = new Map<string, RecordMembers | undefined>();

  constructor(
    private readonly members: ReadonlyMap<string, string>,
    private readonly where: string,
  ) {}

  /** Finds a member by its name, or else by one that differs only by case. @throws UserError if several differ only by case */
  find(name: string): string | undefined {
    const exact = this.members.get(name);
    if (exact !== undefined) return exact;
    if (!this.#lower) {
      this.#lower = new Map();
      for (const other of this.members.keys()) {
        const lower = lowerCase(other);
        this.#lower.set(lower, this.#lower.has(lower) ? "" : other);
      }
    }
    const other = this.#lower.get(lowerCase(name));
    if (other === "")
      throw new UserError(`${this.where}: several names differ from ${name} only by case; name one of them so.`);
    return other === undefined ? undefined : this.members.get(other);
  }

  /**
   * Finds a member by the names on the path to it.
   * @returns its JSON; or the bytes of a value on the path that is neither an object nor null, so that the field does not take it
   */
  at([name, ...names]: readonly string[]): string | Buffer | undefined {
    if (name === undefined) return undefined;
    const json = this.members.get(name);
    if (names.length === 0 || json === undefined) return json;
    if (json === "null") return undefined;
    if (!json.startsWith("{")) return Buffer.from(json);
    if (!this.#inside.has(name)) {
      const read = readMembers(json);
      this.#inside.set(name, "members" in read ? new RecordMembers(read.members, this.where) : undefined);
    }
    return this.#inside.get(name)?.at(names);
  }
}

/** Splits a text at line ends: LF, CRLF or CR, mixed too. @param tooLong makes the error for the line after those that were yielded */
async function* linesOf(text: Text, tooLong: () => UserError): Text {
  // The pieces of a line that is not complete yet, joined once.
  let unfinished: string[] = [];
  let length = 0;
  let endedWithCr = false;
  for await (const piece of text) {
    if (piece === "") continue;
    const from = endedWithCr && piece.startsWith("\n") ? 1 : 0;
    endedWithCr = piece.endsWith("\r");
    const lines = piece.slice(from).split(/\r\n|\n|\r/);
    const last = lines.pop() ?? "";
    const [first, ...others] = lines;
    if (first !== undefined) {
      yield unfinished.join("") + first;
      yield* others;
      unfinished = [];
      length = 0;
    }
    unfinished.push(last);
    length += last.length;
    if (length > MOST_CHARACTERS) throw tooLong();
  }
  yield unfinished.join("");
}

/** Writes the rows of a table. */
class TableWriter {
  #columns: readonly string[] = [];
  #line: string | undefined;
  #insert: Database.Statement | undefined;

  constructor(
    readonly db: Database.Database,
    readonly name: string,
  ) {}

  /** @param line the name of the first column, if it has the line of each row. It is the row's number for SQLite, too. */
  create(columns: readonly string[], line?: string): void {
    const first = line === undefined ? [] : [`${quoteName(line)} INTEGER PRIMARY KEY`];
    // Without declared types, SQLite stores each value unchanged.
    this.db.exec(`CREATE TABLE ${quoteName(this.name)} (${[...first, ...columns.map(quoteName)].join(", ")})`);
    this.#columns = line === undefined ? columns : [line, ...columns];
    this.#line = line;
    this.#insert = undefined;
  }

  /** Adds a column, in which earlier rows are NULL. */
  extend(column: string): void {
    const columns = [...this.#columns, column];
    const table = quoteName(this.name);
    if (isRowid(column)) {
      // SQLite 3.54 creates a table with such a column, but adds none to a table.
      const before = quoteName(`${this.name} before`);
      this.db.exec(`ALTER TABLE ${table} RENAME TO ${before}`);
      this.create(this.#line === undefined ? columns : columns.slice(1), this.#line);
      this.db.exec(`INSERT INTO ${table} SELECT *, NULL FROM ${before}; DROP TABLE ${before}`);
      return;
    }
    this.db.exec(`ALTER TABLE ${table} ADD COLUMN ${quoteName(column)}`);
    this.#columns = columns;
    this.#insert = undefined;
  }

  /** Adds a row, with a value for each column. */
  add(row: readonly Stored[]): void {
    this.#insert ??= this.db.prepare(
      `INSERT INTO ${quoteName(this.name)} VALUES (${this.#columns.map(() => "?").join(", ")})`,
    );
    this.#insert.run(row);
  }
}
