/** Values of records, how keys are written, and headings of fields. It imports nothing, since browsers load it, too. */
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

/** What people read above a field's values: its title, or the words of its path, as in `Off chain tokens`. Not escaped. */
export function headingOf({ names, schema }: Pick<Field, "names" | "schema">): string {
  const words = schema.title ?? names.join(" ").replaceAll("_", " ").trim();
  return words === "" ? names.join(".") : words.charAt(0).toUpperCase() + words.slice(1);
}
