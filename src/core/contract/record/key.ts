/** Keys of records, and sort keys of the published order. */
import type { Contract } from "../contract.js";
import { valueAt, writtenValue } from "./value.js";

/**
 * A sort key: one value for each field of the order. Strings hold one character for each UTF-8 byte, so that `<` compares
 * them as SQLite does. JavaScript itself compares strings by UTF-16 code units.
 */
export type OrderKey = readonly (string | number)[];

/** Converts a text to its UTF-8 bytes, one character a byte. */
export function toBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text).toString("latin1");
}

/** The reverse of `toBytes`. */
export function fromBytes(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString();
}

const ASCII = /^[\0-\x7f]*$/;

/** Whether a record comes after another in published order: false for equal sort keys. */
export function comesAfter({ order }: Pick<Contract, "order">, key: OrderKey, before: OrderKey): boolean {
  for (let at = 0; at < order.length; at++) {
    const one = key[at] ?? "";
    const other = before[at] ?? "";
    if (one !== other) return one > other !== order[at]?.isDescending;
  }
  return false;
}

/** Makes the sort key of a record; undefined if a value has the wrong type, so that the record is not valid. */
export function orderKeyOf({ order }: Pick<Contract, "order">, record: unknown): OrderKey | undefined {
  const key: (string | number)[] = [];
  for (const field of order) {
    const value = valueAt(record, field);
    if (field.kind === "integer" && Number.isSafeInteger(value)) key.push(value as number);
    else if (field.kind === "text" && typeof value === "string") key.push(toBytes(value));
    else return undefined;
  }
  return key;
}

/** Converts a key from its form in records.sha256 to JSON, one character a byte. */
export function keyText({ key }: Pick<Contract, "key">, written: string): string {
  return key.kind === "integer" || written.startsWith('"') ? written : `"${written}"`;
}

/** Converts a key's value to its form in records.sha256, one character a byte. */
export function writeKey(value: string | number): string {
  return toBytes(writtenValue(value));
}
