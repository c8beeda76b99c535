/** Values inside records. It stands alone, since readers who need no contract load it, too. */
import type { AnyRecord, Field } from "../contract.js";

/** The value of a record at a field's path. */
export function valueAt(record: unknown, { names }: Pick<Field, "names">): unknown {
  let inside = record;
  for (const name of names) inside = (inside as AnyRecord | undefined)?.[name];
  return inside;
}
