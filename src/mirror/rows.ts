/** A record as a row of the mirror's table, from which a build makes the same record again. */
import type { Contract } from "../contract/contract.js";
import { LONE_SURROGATE } from "../contract/json.js";
import { recordEncoder } from "../contract/record/encode.js";
import { type Kind, kindOf } from "../contract/record/kind.js";
import { valueAt } from "../contract/record/value.js";
import { candidateMaker } from "../source/candidates.js";

export type Column = string | number | bigint | null;

/**
 * Makes rows, with a value for each of the contract's fields in their order. A row is undefined where no table could hold
 * the record: one that is not of the contract, which only a host that deceives can have.
 */
export function rowMaker(contract: Contract): (record: unknown, text: string) => Column[] | undefined {
  const kinds = contract.fields.map(({ schema }) => kindOf(schema));
  const read = candidateMaker(contract, undefined);
  const encode = recordEncoder(contract);
  return (record, text) => {
    const row = contract.fields.map((field, at) => toColumn(kinds[at] ?? "mixed", valueAt(record, field)));
    // SQLite's text is UTF-8, which has no half of a pair.
    const isHalf = HALVES.test(text) && row.some((value) => typeof value === "string" && LONE_SURROGATE.test(value));
    return !isHalf && encode(read(row)) === text ? row : undefined;
  };
}

/** As canonical text has them. */
const HALVES = /\\ud[89a-f]/;

/** What a column cannot hold is only published where it is NULL, by a rule of the contract. */
function toColumn(kind: Kind, value: unknown): Column {
  // NULL may have a rule of its own.
  if (kind === "json") return JSON.stringify(value) ?? null;
  if (value === null || value === undefined) return null;
  if (kind === "array" || kind === "object") return JSON.stringify(value);
  if (typeof value === "boolean") return kind === "boolean" ? BigInt(value) : null;
  // better-sqlite3 binds every number as REAL; a bigint is an INTEGER.
  if (typeof value === "number") return kind !== "number" && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === "string" ? value : null;
}

/** The value of a key in the list, which is one that was written there. */
export function keyOf({ key }: Contract, written: string): string | bigint {
  if (key.kind === "integer") return BigInt(written);
  return written.startsWith('"') ? JSON.parse(written) : written;
}
