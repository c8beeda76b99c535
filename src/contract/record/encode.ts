/** The canonical text of one record: keys sorted at every depth, no white space (contract part 2). */
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract.js";
import { hasMembers } from "./locate.js";
import { valueAt } from "./value.js";

/**
 * Makes canonical texts of records whose members stand in published order. Only fields of any JSON can hold others:
 * JSON.stringify gives the text of all other records four times as fast.
 */
export function recordEncoder({ fields }: Contract): (record: unknown) => string {
  // JavaScript puts names like `10` before all others, and in the order of numbers.
  if (fields.some(({ names }) => names.some((name) => /^\d+$/.test(name)))) return (record) => stringify(record);
  const free = fields.filter(({ schema }) => hasMembers(schema));
  return (record) =>
    free.every((field) => isFlat(valueAt(record, field))) ? JSON.stringify(record) : stringify(record);
}

function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
}
