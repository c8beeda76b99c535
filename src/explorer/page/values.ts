/** What the explorer reads from records: names, and the values of ranges. */
import type { AnyRecord, Field } from "../../core/contract/contract.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";
import { shownKey } from "../markup/page/text.js";
import { epochTime, isTime } from "../meaning.js";
import type { ListingFacts } from "./reader.js";

const DAY = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d|$)/;

/** The day of a time: as its text has it, or in UTC; undefined for other values. */
export function dayOf(field: Pick<Field, "names" | "schema">, value: unknown): string | undefined {
  const text = epochTime(field, value)?.toISOString() ?? value;
  return typeof text === "string" ? DAY.exec(text)?.[0] : undefined;
}

/** Whether a field has values that ranges are made of: `date` for times, `number`; undefined for others. */
export function rangeKind(field: Pick<Field, "names" | "schema">): "date" | "number" | undefined {
  if (isTime(field)) return "date";
  return ["integer", "number"].includes(kindOf(field.schema)) ? "number" : undefined;
}

/** A record's key as text, and its label if it differs from the key. */
export function namesOf(record: AnyRecord, { contract: { key, label } }: Pick<ListingFacts, "contract">) {
  const id = String(valueAt(record, key));
  const named = valueAt(record, label);
  const name = typeof named === "number" || typeof named === "boolean" ? String(named) : named;
  const isName = typeof name === "string" && name.trim() !== "" && name !== id;
  return { id, shownId: shownKey(id), name: isName ? name : undefined };
}
