/** Converts values of a row from SQLite to JSON. */
import { isUtf8 } from "node:buffer";
import type { Kind } from "../contract/record/kind.js";
import { count } from "../print/numbers.js";
import { readJson } from "./json-text.js";

/** Text that is not valid UTF-8. `decoded` has replacement characters for the invalid bytes. */
export class InvalidText {
  constructor(readonly decoded: string) {}
}

export type SqlValue = null | bigint | number | string | Buffer | InvalidText;

/** A value whose storage class its field does not accept. */
export class Unfit {
  constructor(
    /** Its storage, for messages: `TEXT`. */
    readonly storage: string,
    /** Its value in JSON: `"3"`, `{"real": 3}`, `{"blob": "00ff"}`. */
    readonly value: unknown,
    /** The type of a CAST that would fix it; undefined if none would. */
    readonly cast: "INTEGER" | "REAL" | "TEXT" | undefined,
  ) {}
}

/** Converts a value for a field of a kind. NULL stays null: the schema checks whether that is allowed. */
export function readValue(kind: Kind, value: SqlValue): unknown {
  return value === null ? null : READERS[kind](value);
}

type Present = Exclude<SqlValue, null>;

const READERS: Record<Kind, (value: Present) => unknown> = {
  string: (value) => (typeof value === "string" ? value : unfit(value, isText(value) ? "TEXT" : undefined)),
  integer: (value) => exact(value) ?? unfit(value, isWhole(value) ? "INTEGER" : undefined),
  number: (value) =>
    typeof value === "number" ? value : (exact(value) ?? unfit(value, isDecimal(value) ? "REAL" : undefined)),
  // SQLite stores booleans as 0 and 1.
  boolean: (value) =>
    value === 0n ? false : value === 1n ? true : unfit(value, /^[01]$/.test(String(value)) ? "INTEGER" : undefined),
  array: parsed,
  object: parsed,
  json: parsed,
  mixed: (value) => (typeof value === "string" || typeof value === "number" ? value : (exact(value) ?? unfit(value))),
};

function exact(value: Present): number | undefined {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function isText(value: Present): boolean {
  return typeof value === "bigint" || typeof value === "number" || (Buffer.isBuffer(value) && isUtf8(value));
}

function isWhole(value: Present): boolean {
  return typeof value === "number"
    ? Number.isSafeInteger(value)
    : typeof value === "string" && /^-?\d{1,15}$/.test(value);
}

function isDecimal(value: Present): boolean {
  return typeof value === "string" && /^-?\d{1,15}(\.\d+)?$/.test(value);
}

const BLOB_BYTES_SHOWN = 32;

function parsed(value: Present): unknown {
  if (typeof value !== "string") return unfit(value);
  const read = readJson(value);
  if ("value" in read) return read.value;
  return new Unfit(`TEXT that cannot be read as JSON (${read.why})`, value, undefined);
}

function unfit(value: Present, cast?: Unfit["cast"]): Unfit {
  if (typeof value === "string") return new Unfit("TEXT", value, cast);
  if (typeof value === "bigint") {
    const safe = exact(value);
    return safe === undefined
      ? new Unfit("INTEGER of more than 53 bits", { integer: String(value) }, cast)
      : new Unfit("INTEGER", safe, cast);
  }
  if (typeof value === "number") return new Unfit("REAL", { real: shownNumber(value) }, cast);
  if (value instanceof InvalidText)
    return new Unfit("TEXT that is not valid UTF-8", { invalid_utf8: value.decoded }, undefined);
  return new Unfit(
    `BLOB of ${count(value.length, "byte")}`,
    { blob: value.toString("hex", 0, BLOB_BYTES_SHOWN) },
    cast,
  );
}

/** A number for JSON: a text if it is not finite. */
export function shownNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
