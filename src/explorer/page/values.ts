/** What the explorer reads from records: names, and the values of ranges. */
import type { AnyRecord, Contract, Field } from "../../core/contract/contract.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";
import { shownKey, textOf } from "../markup/page/text.js";
import { epochTime, isTime, referenceOf } from "../meaning.js";
import type { ListingFacts } from "./reader.js";

const DAY = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d|$)/;

/** The day of a time: as its text has it, or in UTC; undefined for other values. */
export function dayOf(field: Pick<Field, "names" | "schema">, value: unknown): string | undefined {
  const text = epochTime(field, value)?.toISOString() ?? value;
  return typeof text === "string" ? DAY.exec(text)?.[0] : undefined;
}

/** What a field measures: `date` for times, `number`; undefined for others. */
export function measureOf(field: Pick<Field, "names" | "schema">): "date" | "number" | undefined {
  if (isTime(field)) return "date";
  return ["integer", "number"].includes(kindOf(field.schema)) ? "number" : undefined;
}

/** The kind of a field's ranges; undefined for a field without. Keys and references identify records, so they have none. */
export function rangeKind(field: Field | undefined, { key }: Pick<Contract, "key">): "date" | "number" | undefined {
  return !field || field.path === key.path || referenceOf(field) !== undefined ? undefined : measureOf(field);
}

/** A facet value as text; null and "" as words. */
export function choiceText(value: unknown): string {
  if (value === null) return "none";
  return value === "" ? "empty" : textOf(value);
}

/** A record's key as text, and its label if it differs from the key. */
export function namesOf(record: AnyRecord, { contract: { key, label } }: Pick<ListingFacts, "contract">) {
  const id = String(valueAt(record, key));
  const named = valueAt(record, label);
  const name = typeof named === "number" || typeof named === "boolean" ? String(named) : named;
  const isName = typeof name === "string" && name.trim() !== "" && name !== id;
  return { id, shownId: shownKey(id), name: isName ? name : undefined };
}
