/** Single values of a row: what SQLite says, and what a user would have of it. */
import { isTooDeep } from "../contract/json.js";

/** What SQLite says of a value, and what of it JSON cannot say by itself, tagged so that a problem can show it. */
export type SqlValue = null | bigint | number | string | Buffer | Unsayable;

/**
 * A value that no user may have: `{real: 3}`, `{integer: "9007199254740993"}`, `{blob: "00ff"}`, `{invalid_utf8: "caf?"}`,
 * `{too_deep: "[[[["}`.
 */
type Unsayable =
  | { real: number }
  | { integer: string }
  | { blob: string }
  | { invalid_utf8: string }
  | { too_deep: string };

/** An integer, or what stands in its place: a REAL is none, whatever its value. */
export function integer(value: SqlValue | undefined): unknown {
  return typeof value === "number" ? { real: value } : sayable(value);
}

/** SQLite has no booleans; 0 and 1 are one. */
export function boolean(value: SqlValue | undefined): unknown {
  return value === 0n ? false : value === 1n ? true : integer(value);
}

/** The value of JSON text; text that is no JSON stays text. */
export function parsedJson(value: SqlValue | undefined): unknown {
  if (typeof value !== "string") return sayable(value);
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

/** A value as it is, unless JSON cannot say it: then tagged. */
export function sayable(value: SqlValue | undefined): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { integer: String(value) };
  }
  return Buffer.isBuffer(value) ? { blob: value.toString("hex", 0, BLOB_BYTES_SHOWN) } : value;
}
