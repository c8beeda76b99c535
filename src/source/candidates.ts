/** Makes candidates for records from rows. Only invalid text is marked; everything else is left for the schema to check. */
import { isUtf8 } from "node:buffer";
import type { Database } from "better-sqlite3";
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import { compileCondition } from "../contract/file/conditions.js";
import type { NullRule } from "../contract/file/form.js";
import { kindOf } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { quoteName } from "../contract/sql.js";
import { InvalidText, readValue, type SqlValue, Unfit } from "./values.js";

/** A record made from a row, not yet checked. */
export interface Candidate {
  /** The value of its key. */
  id: unknown;
  record: unknown;
  /** Whether another row has the same key. */
  isRepeated: boolean;
  /** The names of the contract's conditions that are not true of it. */
  unmet: readonly string[];
}

interface Selection {
  contract: Contract;
  rows: string;
  parameters: Record<string, unknown>;
  /** SQL that is 1 for a row whose key another row has. */
  isRepeated: string;
  defaultAvatar: string | undefined;
}

/** The candidates of some rows, in their order. @throws SQLite's own errors. */
export function* selectCandidates(db: Database, selection: Selection): Generator<Candidate, void> {
  const { contract, rows, parameters, isRepeated, defaultAvatar } = selection;
  const columns = contract.fields.map(({ column }) => quoteName(column));
  const conditions = contract.conditions.map(({ sql }) => `(${conditionSql(sql)}) IS NOT TRUE`);
  const toRecord = candidateMaker(contract, defaultAvatar);
  const invalidText = findInvalidText(db, columns, rows, parameters);
  try {
    const selected = db
      .prepare<[object], SqlValue[]>(`SELECT ${[...columns, isRepeated, ...conditions].join(", ")} ${rows}`)
      .raw()
      .safeIntegers()
      .iterate(parameters);
    for (const row of selected) {
      invalidText.mark(row);
      const record = toRecord(row);
      const [repeated, ...isUnmet] = row.slice(columns.length);
      const unmet = contract.conditions.flatMap(({ name }, at) => (isUnmet[at] === 1n ? [name] : []));
      yield { id: valueAt(record, contract.key), record, isRepeated: repeated === 1n, unmet };
    }
  } finally {
    invalidText.close();
  }
}

/** A condition over columns without the types and collations that the source declares for them, which would change how values compare. */
export function conditionSql(sql: string): string {
  return compileCondition(sql, (column) => `ifnull(${quoteName(column)}, NULL)`);
}

/** What decoding puts in the place of bytes that are not valid text. A text may also hold it itself. */
export const REPLACEMENT = "\uFFFD";

/** SQLite stores any bytes as text. Where decoding may have hidden wrong ones, the rows are read again, as bytes. */
function findInvalidText(db: Database, names: readonly string[], rows: string, parameters: Selection["parameters"]) {
  const isText = textCheck(db);
  const columns = names.map((name) => `CAST(${name} AS BLOB)`).join(", ");
  let second: IterableIterator<(Buffer | null)[]> | undefined;
  let behind = 0;
  return {
    mark(row: SqlValue[]): void {
      behind++;
      if (!row.some((value) => typeof value === "string" && value.includes(REPLACEMENT))) return;
      second ??= db
        .prepare<[Selection["parameters"]], (Buffer | null)[]>(`SELECT ${columns} ${rows}`)
        .raw()
        .iterate(parameters);
      let bytes: (Buffer | null)[] = [];
      for (; behind > 0; behind--) bytes = second.next().value ?? [];
      for (const [index, value] of row.entries()) {
        const stored = bytes[index];
        if (typeof value === "string" && stored && !isText(stored)) row[index] = new InvalidText(value);
      }
    },
    close: () => second?.return?.(),
  };
}

/** Makes what says whether stored bytes are text in the encoding of a database. */
export function textCheck(db: Database): (bytes: Buffer) => boolean {
  const encoding = String(db.pragma("encoding", { simple: true })).toLowerCase();
  if (encoding === "utf-8") return isUtf8;
  return (bytes) => {
    try {
      new TextDecoder(encoding, { fatal: true }).decode(bytes);
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  };
}

/** Makes what turns rows, with the contract's columns in the order of its fields, into candidates. Wrong values are left for the schema to find. */
export function candidateMaker(contract: Contract, defaultAvatar: string | undefined) {
  const { fields } = contract;
  const kinds = fields.map(({ schema }) => kindOf(schema));
  const positions = new Map(fields.map(({ path }, at) => [path, at]));

  function valueAt(row: readonly SqlValue[], at: number): unknown {
    const rule = fields[at]?.schema["x-null"];
    const cell = row[at] ?? null;
    return cell === null && rule ? fromRule(row, rule) : readValue(kinds[at] ?? "mixed", cell);
  }

  /** Contract files say what stands for NULL. No rule leads back to its own field. */
  function fromRule(row: readonly SqlValue[], rule: NullRule): unknown {
    if ("const" in rule) return rule.const;
    if ("setting" in rule) return defaultAvatar;
    if ("field" in rule) return blankIfUnfit(valueAt(row, positions.get(rule.field) ?? -1));
    const parts = rule.join.map((path) => valueAt(row, positions.get(path) ?? -1));
    const texts = parts.map((part) => (typeof part === "string" ? part : ""));
    if (rule.empty && texts.every((text) => text === "")) return fromRule(row, rule.empty);
    return texts.join(" ").trim();
  }

  return (row: readonly SqlValue[]): AnyRecord => {
    const record: AnyRecord = {};
    for (const [at, field] of fields.entries()) put(record, field, valueAt(row, at));
    return record;
  };
}

/** A value that does not fit is a problem of its own field already, and need not be two. */
function blankIfUnfit(value: unknown): unknown {
  return value instanceof Unfit ? "" : value;
}

/** Fields come in published order, so that the members of every object do, too. */
function put(record: AnyRecord, { names }: Field, value: unknown): void {
  let inside = record;
  for (const name of names.slice(0, -1)) {
    // A field may have the name of what every object inherits, such as `valueOf`.
    if (!Object.hasOwn(inside, name)) inside[name] = {};
    inside = inside[name] as AnyRecord;
  }
  inside[names.at(-1) ?? ""] = value;
}
