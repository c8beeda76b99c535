/** How a record's key is written in records.sha256. */

const PLAIN = /^[A-Za-z0-9._:@+-]+$/;

/** A key as it stands in records.sha256, from the inside of its JSON text, or from the digits of an integer. */
export function writtenKey(inside: string): string {
  return PLAIN.test(inside) ? inside : `"${inside}"`;
}

/** A key as it stands in records.sha256, as text, from its value. */
export function writtenValue(value: string | number): string {
  return writtenKey(typeof value === "string" ? JSON.stringify(value).slice(1, -1) : String(value));
}
