/** Counts the warnings that a contract's SQL conditions give, from records alone: SQLite says of each whether it is true. */
import Database from "better-sqlite3";
import type { Contract, Field } from "../contract/contract.js";
import type { Span } from "../contract/envelope.js";
import { compileCondition } from "../contract/file/conditions.js";
import { solidKindsOf } from "../contract/file/kinds.js";
import { fromBytes } from "../contract/record/key.js";
import { readText } from "../contract/record/locate.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";
import { countWarning, type WarningCounts } from "../contract/record/warnings.js";
import { lowerCase } from "../contract/sql.js";
import { codeOf } from "../errors.js";

type Value = string | number | null;

/** A field whose column held what the record shows. */
interface Column {
  field: Field;
  kind: "string" | "integer" | "boolean";
}

interface Recountable {
  name: string;
  /** Over the names that `placeOf` gives. */
  sql: string;
}

/** Records that one statement is asked about: a statement for each of them takes twice as long. */
const MOST_ROWS = 100;
/** Values that SQLite binds at most. */
const MOST_VALUES = 32_766;

/** The conditions of which records alone can tell whether they are true, and the columns of those. */
function recountable({ conditions, fields }: Contract): { own: Recountable[]; columns: Column[] } {
  const columns: Column[] = [];
  const own = conditions.flatMap(({ name, sql }) => {
    const needed: (Column | undefined)[] = [];
    compileCondition(sql, (column) => {
      needed.push(columnOf(fields.find((field) => isColumn(field, column))));
      return "NULL";
    });
    if (needed.length === 0 || needed.includes(undefined)) return [];
    const compiled = compileCondition(sql, (name) => {
      const known = columns.findIndex(({ field }) => isColumn(field, name));
      const column = needed.find((column) => column && isColumn(column.field, name));
      const at = known >= 0 || !column ? known : columns.push(column) - 1;
      // Without the affinity that a column has.
      return `(+${placeOf(at)})`;
    });
    return [{ name, sql: compiled }];
  });
  return { own, columns };
}

function isColumn({ column }: Field, name: string): boolean {
  return lowerCase(column) === lowerCase(name);
}

const placeOf = (at: number) => `value${at}`;

/** Undefined where a column may have held something else: NULL, a number in another form, or JSON with white space. */
function columnOf(field: Field | undefined): Column | undefined {
  if (!field || field.schema["x-null"]) return undefined;
  const [kind, ...others] = solidKindsOf(field.schema);
  if (others.length > 0 || (kind !== "string" && kind !== "integer" && kind !== "boolean")) return undefined;
  return { field, kind };
}

/** The names of the conditions whose warnings are counted. */
export function recountedConditions(contract: Contract): string[] {
  return recountable(contract).own.map(({ name }) => name);
}

export function conditionCounter(contract: Contract) {
  const { own, columns } = recountable(contract);
  const ask = own.length > 0 ? asker(own, columns) : () => {};
  const read = textReader(contract, columns);
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns.length)));
  return {
    /** For a valid record. */
    count(record: unknown, counts: WarningCounts): void {
      ask(1, valuesOf(record, columns), counts);
    },
    /** For valid, canonical records in a text that has a character for each byte. */
    countTexts(text: string, spans: readonly Span[], counts: WarningCounts): void {
      if (own.length === 0) return;
      for (let first = 0; first < spans.length; first += most) {
        const some = spans.slice(first, first + most);
        const values: Value[] = [];
        for (const [at, end] of some) read(text, at, end, values);
        ask(some.length, values, counts);
      }
    },
  };
}

/** Asks SQLite of how many records each condition is not true. */
function asker(own: readonly Recountable[], columns: readonly Column[]) {
  const db = new Database(":memory:");
  const statements = new Map<string, Database.Statement<Value[], number[]>>();
  const counting = (asked: readonly Recountable[], rows: number) => {
    const key = `${rows} ${asked.map(({ name }) => name)}`;
    let statement = statements.get(key);
    if (!statement) {
      statement = db.prepare<Value[], number[]>(countingSql(asked, columns, rows)).raw();
      statements.set(key, statement);
    }
    return statement;
  };
  return function ask(rows: number, values: readonly Value[], counts: WarningCounts, asked = own): void {
    try {
      const found = counting(asked, rows).get(...values) ?? [];
      for (const [at, { name }] of asked.entries()) if (found[at]) countWarning(counts, name, found[at]);
    } catch (error) {
      if (!codeOf(error)?.startsWith("SQLITE_")) throw error;
      // One of them cannot be evaluated for one of the records. Then it is not true, either.
      const width = columns.length;
      if (rows > 1) {
        for (let at = 0; at < values.length; at += width) ask(1, values.slice(at, at + width), counts, asked);
      } else if (asked.length > 1) for (const condition of asked) ask(1, values, counts, [condition]);
      else for (const { name } of asked) countWarning(counts, name);
    }
  };
}

function countingSql(asked: readonly Recountable[], columns: readonly Column[], rows: number): string {
  // Numbers are bound as REAL.
  const row = columns.map(({ kind }) => (kind === "string" ? "?" : "CAST(? AS INTEGER)"));
  const names = columns.map((_, at) => placeOf(at));
  const counted = asked.map(({ sql }) => `count(*) FILTER (WHERE (${sql}) IS NOT TRUE)`);
  const values = Array.from({ length: rows }, () => `(${row})`);
  return `WITH records(${names}) AS (VALUES ${values}) SELECT ${counted} FROM records`;
}

function valuesOf(record: unknown, columns: readonly Column[]): Value[] {
  return columns.map(({ field }) => {
    const value = valueAt(record, field);
    return typeof value === "boolean" ? Number(value) : (value as Value);
  });
}

type TextReader = (text: string, at: number, end: number, values: Value[]) => void;

/** Reads the values of columns from canonical records, and parses those whose text does not tell where they are. */
function textReader(contract: Contract, columns: readonly Column[]): TextReader {
  const fields = columns.map(({ field }) => field);
  const findPlaces = placeFinder(contract, fields);
  const reads = columns.map(({ kind }) => READS[kind]);
  const begins: number[] = [];
  return (text, at, end, values) => {
    if (!findPlaces(text, at, end, begins)) {
      values.push(...valuesOf(JSON.parse(fromBytes(text.slice(at, end))), columns));
      return;
    }
    for (let index = 0; index < reads.length; index++) {
      const begin = begins[index] ?? end;
      values.push(text[begin] === "n" ? null : (reads[index]?.(text, begin, end) ?? null));
    }
  };
}

/** The longest text of an integer within +-(2^53 - 1). */
const INTEGER_LENGTH = 17;

const READS: Record<Column["kind"], (text: string, begin: number, end: number) => Value> = {
  string: (text, begin, end) => fromBytes(String(readText(text, begin, end)?.value)),
  integer: (text, begin) => Number.parseInt(text.slice(begin, begin + INTEGER_LENGTH), 10),
  boolean: (text, begin) => Number(text[begin] === "t"),
};
