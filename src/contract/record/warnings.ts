/** Warnings: values that are published although they were never observed before. */
import type { Contract } from "../contract.js";
import { typeOf } from "./schema.js";
import { valueAt } from "./value.js";

/** How many records each kind of warning applies to; kinds that apply to none are absent. A kind is a field's path, or a condition's name. */
export type WarningCounts = Record<string, number>;

/** A kind may have the name of something that every object inherits, such as `constructor`. */
export function countWarning(counts: WarningCounts, kind: string, records = 1): void {
  counts[kind] = (Object.hasOwn(counts, kind) ? (counts[kind] ?? 0) : 0) + records;
}

/** Makes what counts the warnings about single fields of a valid record. */
export function fieldObserver({ fields }: Contract): (record: unknown, counts: WarningCounts) => void {
  const observed = fields.flatMap((field) => {
    const narrower = field.schema["x-observed"];
    return narrower ? [{ field, type: typeOf({ ...field.schema, ...narrower }) }] : [];
  });
  return (record, counts) => {
    for (const { field, type } of observed)
      if (!type.safeParse(valueAt(record, field)).success) countWarning(counts, field.path);
  };
}
