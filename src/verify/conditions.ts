/** Counts warnings of a contract's SQL conditions from published records: SQLite evaluates the conditions. */
import Database from "better-sqlite3";
import { valueReader } from "../artifacts/explorer.js";
import type { Contract, Field } from "../contract/contract.js";
import type { Span } from "../contract/envelope.js";
import { compileCondition } from "../contract/file/conditions.js";
import { fromBytes } from "../contract/record/key.js";
import { nonNullKindsOf } from "../contract/record/kind.js";
import { countWarning, type WarningCounts } from "../contract/record/warnings.js";
import { lowerCase } from "../contract/sql.js";
import { codeOf } from "../errors.js";

type Value = string | number | null;

interface Condition {
  name: string;
  /** SQL over columns named `value` and the number of a field. */
  sql: string;
  fields: readonly number[];
}

/** The conditions that can be evaluated from published values. */
export function recountedConditions({ conditions, fields }: Pick<Contract, "conditions" | "fields">): Condition[] {
  return conditions.flatMap(({ name, sql }) => {
    const needed = new Set<number>();
    const compiled = compileCondition(sql, (column) => {
      const at = fields.findIndex((field) => lowerCase(field.column) === lowerCase(column));
      needed.add(at);
      return `value${at}`;
    });
    const isShown = [...needed].every((at) => shownKind(fields[at]) !== undefined);
    return needed.size > 0 && isShown ? [{ name, sql: compiled, fields: [...needed] }] : [];
  });
}

/** The kind of a field whose published value is its column's value; undefined if the column may have had another one, such as NULL or another form. */
function shownKind(field: Field | undefined): "string" | "integer" | "boolean" | undefined {
  if (!field || field.schema["x-null"]) return undefined;
  const [kind, ...others] = nonNullKindsOf(field.schema);
  const isShown = others.length === 0 && (kind === "string" || kind === "integer" || kind === "boolean");
  return isShown ? kind : undefined;
}

/** Counts warnings of valid, canonical records in a text with one character per byte. */
export type ConditionCounter = (text: string, records: readonly Span[], counts: WarningCounts) => void;

/** Maximum records in one statement. One statement per record takes twice as long. */
const MOST_ROWS = 100;
/** Maximum values that SQLite binds. */
const MOST_VALUES = 32_766;

/** Makes the counter of a contract. */
export function conditionCounter(contract: Contract): ConditionCounter {
  const conditions = recountedConditions(contract);
  if (conditions.length === 0) return () => {};
  const numbers = [...new Set(conditions.flatMap(({ fields }) => fields))];
  const fields = numbers.flatMap((at) => contract.fields[at] ?? []);
  const read = valueReader(contract, fields);
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / fields.length)));
  const names = numbers.map((at) => `value${at}`);
  // better-sqlite3 binds numbers as REAL.
  const row = fields.map((field) => (shownKind(field) === "string" ? "?" : "CAST(? AS INTEGER)"));
  const db = new Database(":memory:");
  const prepare = (some: readonly Condition[], rows: number) => {
    const counts = some.map(({ sql }) => `count(*) FILTER (WHERE (${sql}) IS NOT TRUE)`);
    const values = Array.from({ length: rows }, () => `(${row})`);
    return db
      .prepare<Value[], number[]>(`WITH records(${names}) AS (VALUES ${values}) SELECT ${counts} FROM records`)
      .raw();
  };
  const together = new Map<number, ReturnType<typeof prepare>>();
  const single = conditions.map((condition) => prepare([condition], 1));
  const own: string[] = [];
  return (text, records, counts) => {
    for (let first = 0; first < records.length; first += most) {
      const rows = records.slice(first, first + most).map(([at, end]) => {
        read(text, at, end, own);
        return own.join();
      });
      const all = together.get(rows.length) ?? prepare(conditions, rows.length);
      together.set(rows.length, all);
      // A condition that SQLite cannot evaluate counts as not true.
      const unmet =
        attempt(() => all.get(...valuesOf(rows.join()))) ??
        single.map((one) => sum(rows, (row) => attempt(() => one.get(...valuesOf(row)))?.[0] ?? 1));
      for (const [at, { name }] of conditions.entries()) if (unmet[at]) countWarning(counts, name, unmet[at]);
    }
  };
}

/** Parses values. @param list their canonical JSON with commas between them, one character per byte */
function valuesOf(list: string): Value[] {
  const values: unknown[] = JSON.parse(`[${fromBytes(list)}]`);
  return values.map((value) => (typeof value === "boolean" ? Number(value) : (value as Value)));
}

/** Runs a step; undefined if SQLite reports an error. */
function attempt<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (!codeOf(error)?.startsWith("SQLITE_")) throw error;
    return undefined;
  }
}

function sum<T>(items: readonly T[], countOf: (item: T) => number): number {
  return items.reduce((total, item) => total + countOf(item), 0);
}
