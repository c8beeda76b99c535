/** Makes candidates for records from rows. Marks invalid text; the schema checks everything else. */
import { isUtf8 } from "node:buffer";
import type { Database } from "better-sqlite3";
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import { compileCondition } from "../contract/file/conditions.js";
import type { NullRule } from "../contract/file/form.js";
import { kindOf } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { type Reference, referencesOf } from "../contract/references.js";
import type { Place } from "./copy.js";
import { copyColumn } from "./published.js";
import { InvalidText, readValue, type SqlValue, Unfit } from "./values.js";

/** A record made from a row, not validated yet. */
export interface Candidate {
  /** The value of its key. */
  id: unknown;
  /** Its place in the source; empty if it is not known. */
  place: { readonly [what in Place]?: number };
  record: unknown;
  /** Whether another row has the same key. */
  isRepeated: boolean;
  /** Its references that lead to no record. */
  lost: readonly Reference[];
  /** The names of the contract's conditions that are not true for it. */
  unmet: readonly string[];
}

interface Selection {
  contract: Contract;
  rows: string;
  parameters: Record<string, unknown>;
  /** The column with the place of a row, and what it is. */
  place: { what: Place; column: string } | undefined;
  /** SQL that is 1 if another row has the same key. */
  isRepeated: string;
  /** For each of the contract's references, SQL that is 1 if it leads to no row; empty if all lead to one. */
  isLost: readonly string[];
  defaultAvatar: string | undefined;
}

/** Makes the candidates of some rows, in order. @throws SQLite's own errors. */
export function* selectCandidates(db: Database, selection: Selection): Generator<Candidate, void> {
  const { contract, rows, parameters, place, isRepeated, isLost, defaultAvatar } = selection;
  const references = referencesOf(contract);
  const columns = contract.fields.map(({ column }) => copyColumn(column));
  const conditions = contract.conditions.map(({ sql }) => `(${conditionSql(sql)}) IS NOT TRUE`);
  const toRecord = candidateMaker(contract, defaultAvatar);
  const invalidText = findInvalidText(db, columns, rows, parameters);
  try {
    const selected = db
      .prepare<[object], SqlValue[]>(
        `SELECT ${[...columns, place?.column ?? "NULL", isRepeated, ...isLost, ...conditions].join(", ")} ${rows}`,
      )
      .raw()
      .safeIntegers()
      .iterate(parameters);
    for (const row of selected) {
      invalidText.mark(row);
      const record = toRecord(row);
      const [at, repeated, ...marks] = row.slice(columns.length);
      const lost = references.filter((_reference, at) => at < isLost.length && marks[at] === 1n);
      const isUnmet = marks.slice(isLost.length);
      const unmet = contract.conditions.flatMap(({ name }, at) => (isUnmet[at] === 1n ? [name] : []));
      yield {
        id: valueAt(record, contract.key),
        place: place ? { [place.what]: Number(at) } : {},
        record,
        isRepeated: repeated === 1n,
        lost,
        unmet,
      };
    }
  } finally {
    invalidText.close();
  }
}

/** Makes a condition ignore the types and collations that the source declares for columns, which would change comparisons. */
export function conditionSql(sql: string): string {
  return compileCondition(sql, (column) => `ifnull(${copyColumn(column)}, NULL)`);
}

/** The character that decoding puts in place of invalid bytes. A text may also contain it itself. */
const REPLACEMENT = "\uFFFD";

/** Finds text that is not valid UTF-8, since SQLite stores any bytes as text. Reads rows with a replacement character again, as bytes. */
export function findInvalidText(db: Database, names: readonly string[], rows: string, parameters = {}) {
  const columns = names.map((name) => `CAST(${name} AS BLOB)`).join(", ");
  let second: IterableIterator<(Buffer | null)[]> | undefined;
  let behind = 0;
  return {
    mark(row: SqlValue[]): void {
      behind++;
      if (!row.some((value) => typeof value === "string" && value.includes(REPLACEMENT))) return;
      second ??= db.prepare<[object], (Buffer | null)[]>(`SELECT ${columns} ${rows}`).raw().iterate(parameters);
      let bytes: (Buffer | null)[] = [];
      for (; behind > 0; behind--) bytes = second.next().value ?? [];
      for (const [index, value] of row.entries()) {
        const stored = bytes[index];
        if (typeof value === "string" && stored && !isUtf8(stored)) row[index] = new InvalidText(value);
      }
    },
    close: () => second?.return?.(),
  };
}

/** Makes a function that turns rows, with columns in the order of the contract's fields, into records. The schema finds wrong values later. */
function candidateMaker(contract: Contract, defaultAvatar: string | undefined) {
  const { fields } = contract;
  const kinds = fields.map(({ schema }) => kindOf(schema));
  const positions = new Map(fields.map(({ path }, at) => [path, at]));

  function valueAt(row: readonly SqlValue[], at: number): unknown {
    const rule = fields[at]?.schema["x-null"];
    const cell = row[at] ?? null;
    return cell === null && rule ? fromRule(row, rule) : readValue(kinds[at] ?? "mixed", cell);
  }

  /** The value for NULL. No rule refers back to its own field. */
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

/** Returns an empty text for a value that does not fit, since its own field already has that problem. */
function blankIfUnfit(value: unknown): unknown {
  return value instanceof Unfit ? "" : value;
}

/** Sets a field of a record. Fields come in published order, so the members of all objects are in order, too. */
function put(record: AnyRecord, { names }: Field, value: unknown): void {
  let inside = record;
  for (const name of names.slice(0, -1)) {
    // A field may have the name of an inherited member, such as `valueOf`.
    if (!Object.hasOwn(inside, name)) inside[name] = {};
    inside = inside[name] as AnyRecord;
  }
  inside[names.at(-1) ?? ""] = value;
}
