/** Keys of records, and what the published order is made of. */
import type { Contract } from "../contract.js";
import { valueAt, writtenValue } from "./value.js";

/**
 * What a record is ordered by: one value for each field of the order. Texts are given byte by byte, each byte of their
 * UTF-8 as one character, so that `<` compares them as SQLite does. JavaScript's own order of text is that of UTF-16.
 */
export type OrderKey = readonly (string | number)[];

/** A text with each byte of its UTF-8 as one character. */
export function toBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text).toString("latin1");
}

/** The reverse of `toBytes`. */
export function fromBytes(bytes: string): string {
  return ASCII.test(bytes) ? bytes : Buffer.from(bytes, "latin1").toString();
}

const ASCII = /^[\0-\x7f]*$/;

/** Whether one record comes after another: false for equal keys, too. */
export function isBehind({ order }: Pick<Contract, "order">, key: OrderKey, before: OrderKey): boolean {
  for (let at = 0; at < order.length; at++) {
    const [one, other] = [key[at] ?? "", before[at] ?? ""];
    if (one !== other) return one > other !== order[at]?.isDescending;
  }
  return false;
}

/** What a record is ordered by; undefined when a value has another type, so that the record is not valid. */
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

/** A key as JSON, byte by byte, from how it stands in records.sha256. */
export function keyText({ key }: Pick<Contract, "key">, written: string): string {
  return key.kind === "integer" || written.startsWith('"') ? written : `"${written}"`;
}

/** A key as it stands in records.sha256, byte by byte, from its value. */
export function writeKey(value: string | number): string {
  return toBytes(writtenValue(value));
}
