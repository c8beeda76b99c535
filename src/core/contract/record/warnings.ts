/** Counts warnings: values that are published although they are outside `x-observed`. */
import * as z from "zod";
import type { Contract } from "../contract.js";
import { typeOf } from "./schema.js";
import { valueAt } from "./value.js";

/** Number of records for each kind of warning, without zeros. A kind is a field's path or a condition's name. */
export type WarningCounts = Record<string, number>;

/** Adds to a count. A kind may have the name of an inherited member, such as `constructor`. */
export function countWarning(counts: WarningCounts, kind: string, records = 1): void {
  counts[kind] = (Object.hasOwn(counts, kind) ? (counts[kind] ?? 0) : 0) + records;
}

/**
 * Makes the function that counts warnings about fields of a valid record.
 * @returns a function; its `lost` are the paths of fields whose observed reference leads to no record.
 */
export function fieldObserver({
  fields,
}: Contract): (record: unknown, counts: WarningCounts, lost?: readonly string[]) => void {
  const observed = fields.flatMap((field) => {
    const narrower = field.schema["x-observed"];
    return narrower ? [{ field, type: z.compile(typeOf({ ...field.schema, ...narrower })) }] : [];
  });
  return (record, counts, lost = []) => {
    for (const { field, type } of observed)
      if (lost.includes(field.path) || !type.safeParse(valueAt(record, field)).success)
        countWarning(counts, field.path);
  };
}
