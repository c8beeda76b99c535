/** Reads values of records, and writes keys. It imports nothing, since browsers load it too. */
import type { AnyRecord, Field } from "../contract.js";

/** Reads the value of a record at a field's path; undefined if it is missing. */
export function valueAt(record: unknown, { names }: Pick<Field, "names">): unknown {
  let inside = record;
  for (const name of names) inside = (inside as AnyRecord | undefined)?.[name];
  return inside;
}

/** Converts a key to its form in records.sha256, from its JSON text without quotes, or from the digits of an integer. */
export function writtenKey(inside: string): string {
  return /^[A-Za-z0-9._:@+-]+$/.test(inside) ? inside : `"${inside}"`;
}

/** Converts a key's value to its form in records.sha256, as text. */
export function writtenValue(value: string | number): string {
  return writtenKey(typeof value === "string" ? JSON.stringify(value).slice(1, -1) : String(value));
}
