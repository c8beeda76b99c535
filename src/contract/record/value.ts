/** Values of records, and how keys are written. It imports nothing, since browsers load it, too. */
import type { AnyRecord, Field } from "../contract.js";

/** The value of a record at a field's path. */
export function valueAt(record: unknown, { names }: Pick<Field, "names">): unknown {
  let inside = record;
  for (const name of names) inside = (inside as AnyRecord | undefined)?.[name];
  return inside;
}

/** A key as it stands in records.sha256, from the inside of its JSON text, or from the digits of an integer. */
export function writtenKey(inside: string): string {
  return /^[A-Za-z0-9._:@+-]+$/.test(inside) ? inside : `"${inside}"`;
}

/** A key as it stands in records.sha256, as text, from its value. */
export function writtenValue(value: string | number): string {
  return writtenKey(typeof value === "string" ? JSON.stringify(value).slice(1, -1) : String(value));
}
