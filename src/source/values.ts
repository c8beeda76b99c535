/** Single values of a row: from SQLite's to those of JSON. */
import { isTooDeep } from "../contract/json.js";

export type SqlValue = null | bigint | number | string | Buffer | Tagged;

/** A value that JSON cannot hold, as a problem shows it: `{integer: "9007199254740993"}`, `{blob: "00ff"}`. */
type Tagged =
  | { real: number }
  | { integer: string }
  | { blob: string }
  | { invalid_utf8: string }
  | { too_deep: string };

/** A REAL is no integer, whatever its value. */
export function integer(value: SqlValue | undefined): unknown {
  return typeof value === "number" ? { real: value } : jsonValue(value);
}

/** SQLite has no booleans: 0 and 1 stand for them. */
export function boolean(value: SqlValue | undefined): unknown {
  return value === 0n ? false : value === 1n ? true : integer(value);
}

export function parsedJson(value: SqlValue | undefined): unknown {
  if (typeof value !== "string") return jsonValue(value);
  if (isTooDeep(value)) return { too_deep: value.slice(0, TEXT_SHOWN) };
  try {
    return JSON.parse(value);
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}

const TEXT_SHOWN = 80;
const BLOB_BYTES_SHOWN = 32;

export function jsonValue(value: SqlValue | undefined): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { integer: String(value) };
  }
  return Buffer.isBuffer(value) ? { blob: value.toString("hex", 0, BLOB_BYTES_SHOWN) } : value;
}
