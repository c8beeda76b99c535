/** What reports say of a contract's records besides what differs: their words, names, time and facets. */
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import type { NullRule, ValueSchema } from "../contract/file/form.js";
import { valueAt } from "../contract/record/value.js";
import type { Change, Diff } from "../diff/change.js";
import { shorten } from "../print/text.js";
import { type Written, writeValue } from "./value.js";

export interface Subject {
  contract: Contract;
  words: Contract["listing"]["words"];
  /** The fields by which people choose records, without those that name one; a row of a report shows the first of them. */
  facets: readonly Field[];
  /** The time that a record goes by, if it has any. */
  time: Field | undefined;
  /** What people may know a record by besides its key, best first: `["Anna Berg", "anna"]`. Not escaped. */
  namesOf(record: AnyRecord): string[];
  /** A value of the field with this path, as text. Not escaped. */
  write(path: string, value: unknown): Written;
}

/** More of them would push aside what differs. */
const MOST_FACETS = 3;

export function subjectOf(contract: Contract): Subject {
  const { fields, key, label, listing, order } = contract;
  const names = new Set([label, ...fields.filter(({ schema }) => endsIn(schema["x-null"], key.path))]);
  const bare = new Set(fields.filter(({ schema }) => !isFreeText(schema)).map(({ path }) => path));
  return {
    contract,
    words: listing.words,
    facets: fields
      .filter((field) => field.schema["x-facet"] && field !== key && !names.has(field))
      .slice(0, MOST_FACETS),
    time: [...order, ...fields].find(({ schema }) => schema.format === "date-time" || schema.format === "date"),
    namesOf(record) {
      const id = valueAt(record, key);
      const texts = [...names].map((field) => valueAt(record, field));
      return [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text !== id) as string[];
    },
    write: (path, value) => writeValue(value, !bare.has(path)),
  };
}

/** Whether a NULL becomes the value of a field when nothing else is there, so that both name the same. */
function endsIn(rule: NullRule | undefined, path: string): boolean {
  if (rule === undefined) return false;
  return "field" in rule ? rule.field === path : "join" in rule && endsIn(rule.empty, path);
}

/** Whether a field may hold any text. Quotes show where such a text ends, and that it is empty. */
function isFreeText(schema: ValueSchema): boolean {
  const { type, pattern, format, enum: values, anyOf } = schema;
  if (schema["x-json"]) return true;
  if (anyOf) return anyOf.some(isFreeText);
  const isText = [type].flat().includes("string");
  return isText && pattern === undefined && format === undefined && values === undefined && !("const" in schema);
}

/** Of each kind of change. */
export type Subjects = Record<Change["kind"], Subject>;

/** By the contract of the snapshot that holds the record: the old one has what was removed. */
export function subjectsOf({ old, new: now }: Diff): Subjects {
  const current = subjectOf(now.contract);
  return { added: current, changed: current, removed: subjectOf(old.contract) };
}

const LONGEST_NAME = 40;

/** The name of a record for people; empty when it has none but the key. Not escaped. */
export function labelOf(record: AnyRecord, { namesOf }: Subject): string {
  const [name = ""] = namesOf(record);
  return shorten(name, LONGEST_NAME);
}

const LONGEST_FACT = 40;

/** The value of a facet, cut to what fits into a row. Not escaped. */
export function factOf(record: AnyRecord, field: Field, { write }: Subject): string {
  return inQuotes(write(field.path, valueAt(record, field)));
}

/** A value as text that is not too long for a row or a title. Not escaped. */
export function inQuotes({ text, quoted }: Written): string {
  return quoted ? JSON.stringify(shorten(text, LONGEST_FACT)) : shorten(text, LONGEST_FACT);
}

/** The day of a record's time, or `null`. Not escaped. */
export function dayOf(record: AnyRecord, time: Field): string {
  return String(valueAt(record, time)).slice(0, "2026-11-21".length);
}

/** What a time says of a record, by its field: `opened` for `date_opened`, `edited` for `page.edited_at`. */
export function timeWord({ names, path }: Field): string {
  return (names.at(-1) ?? "").replace(/^date_|_(?:at|on|date|time)$/, "") || path;
}

/** The name that scripts find a whole record by: the contract's word for one where it is a plain one, else `record`. */
export function memberOf({ words: [one] }: Subject, taken: readonly string[]): string {
  return /^[a-z]+$/.test(one) && !taken.includes(one) ? one : "record";
}
