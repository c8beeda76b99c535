/** What the explorer reads from records: names, and the values of ranges. */
import type { AnyRecord, Contract, Field } from "../../core/contract/contract.js";
import { kindOf } from "../../core/contract/record/kind.js";
import { valueAt } from "../../core/contract/record/value.js";
import { nameOf } from "../labels.js";
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

/** The name of the record that a value refers to, if it was read. */
export function referredName({ names }: Pick<ListingFacts, "names">, field: Pick<Field, "schema">, value: unknown) {
  const to = referenceOf(field);
  return to === undefined ? undefined : names.get(to)?.get(String(value));
}

/** Whether the words of a field can be searched: those of texts, but not of times. */
export function isSearchable(field: Pick<Field, "names" | "schema">): boolean {
  return ["string", "mixed"].includes(kindOf(field.schema)) && !isTime(field);
}

/** A facet value as text; null and "" as words. */
export function choiceText(value: unknown): string {
  if (value === null) return "none";
  return value === "" ? "empty" : textOf(value);
}

/** A record's key as text, and its label if it differs from the key. */
export function namesOf(record: AnyRecord, { contract }: Pick<ListingFacts, "contract">) {
  const id = String(valueAt(record, contract.key));
  return { id, shownId: shownKey(id), name: nameOf(record, contract) };
}
