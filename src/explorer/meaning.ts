/** Headings and meanings of fields in plain words. Browsers load it too. */
import { type Contract, type Field, fieldsOf } from "../core/contract/contract.js";
import type { FieldSchema, ValueSchema } from "../core/contract/file/form.js";
import { kindOf, kindsOf } from "../core/contract/record/kind.js";
import { capital, oneLine } from "../core/print/text.js";

/** The heading of a listing: its title, or the word for its records. */
export function titleOf({ listing }: Pick<Contract, "listing">): string {
  return oneLine(listing.title) ?? capital(listing.words[1]);
}

/** Lists the fields in the order of the contract file. */
export function fieldsInFileOrder({ file }: Pick<Contract, "file">): Field[] {
  return fieldsOf(file.properties, Object.keys);
}

/** Acronyms in lower case, with an optional plural s. */
const ACRONYM =
  /^(aml|api|cpu|csv|dns|ean|gps|gtin|html|https|http|iban|id|ip|isbn|iso|issn|json|kyc|nft|pdf|png|qr|sku|sms|sql|ssn|svg|uid|uk|uri|url|usd|utc|uuid|vat|vip|xml|zip)(s?)$/;

/** The heading of a field: its title, or the words of its path: `Off chain tokens`, `KYC status`. Not escaped. */
export function headingOf({ names, schema }: Pick<Field, "names" | "schema">): string {
  const words = schema.title ?? names.join(" ").split(/[_ ]+/).map(withAcronym).join(" ").trim();
  return words === "" ? names.join(".") : capital(words);
}

/** A heading within a sentence: `display name`, `KYC status`. */
export function nameInText(field: Pick<Field, "names" | "schema">): string {
  const heading = headingOf(field);
  return /^\p{Lu}(?![\p{Lu}\p{N}])/u.test(heading) ? heading.charAt(0).toLowerCase() + heading.slice(1) : heading;
}

function withAcronym(word: string): string {
  return word.replace(ACRONYM, (_, letters: string, plural: string) => letters.toUpperCase() + plural);
}

/** Matches names of time fields, with an optional unit. */
const TIME_NAME =
  /(?:^|_)(?:at|on|date|datetime|time|timestamp|ts|epoch|since|until|created|updated|modified|seen|expires)(?:_(?:s|sec|seconds|ms|millis|utc|unix))?$/;
/** A time in 1973, in seconds since 1970. */
const FIRST_SECOND = 1e8;
/** A time in 2103. */
const LAST_SECOND = 4.2e9;

/** Whether a field's values are times: by its format, or an integer by its name. */
export function isTime({ names, schema }: Pick<Field, "names" | "schema">): boolean {
  if (kindOf(schema) !== "integer") return schema.format === "date" || schema.format === "date-time";
  return TIME_NAME.test((names.at(-1) ?? "").replace(/(?<=\p{Ll})(?=\p{Lu})/gu, "_").toLowerCase());
}

/** Converts an integer of a time field, in seconds or milliseconds since 1970; undefined for any other value. */
export function epochTime(field: Pick<Field, "names" | "schema">, value: unknown): Date | undefined {
  if (typeof value !== "number" || !isTime(field)) return undefined;
  const seconds = value > LAST_SECOND ? value / 1000 : value;
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND ? new Date(seconds * 1000) : undefined;
}

/** The name of the listing whose keys are a field's values; undefined for other fields. */
export function referenceOf({ schema }: Pick<Field, "schema">): string | undefined {
  return schema["x-references"] ?? schema["x-observed"]?.["x-references"];
}

export interface Meaning {
  /** `Whole number from 0`. Not escaped. */
  kind: string;
  /** The values of `enum`. */
  values: readonly unknown[];
  /** An example of the contract, if it does not list all values. */
  example: unknown;
}

/** Describes the values of a schema. */
export function meaningOf(schema: FieldSchema): Meaning {
  const words = wordsOf(schema);
  const isOrNull = kindsOf(schema).nullable && kindOf(schema) !== "json";
  const values = (schema.enum ?? []).filter((value) => value !== null);
  const [example] = values.length > 0 ? [] : (schema.examples ?? schema.items?.examples ?? []);
  return { kind: capital(isOrNull ? `${words}, or nothing (null)` : words), values, example };
}

const FORMATS = { uuid: "UUID", date: "day", "date-time": "time", uri: "web address" } as const;

function wordsOf(schema: ValueSchema): string {
  const { const: constant, enum: values, anyOf, format, items } = schema;
  if (constant !== undefined) return `always ${JSON.stringify(constant)}`;
  if (values) return values.length === 1 ? "always the same" : "one of a list of values";
  if (anyOf)
    return anyOf.map((option) => ("const" in option ? JSON.stringify(option.const) : wordsOf(option))).join(", or ");
  switch (kindOf(schema)) {
    case "string":
      return format ? FORMATS[format] : `text${lengthOf(schema)}`;
    case "integer":
      return `whole number${rangeOf(schema)}`;
    case "number":
      return `number${rangeOf(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `list${itemsOf(items)}`;
    default:
      return "any JSON value";
  }
}

function itemsOf(items: ValueSchema | undefined): string {
  if (!items || items["x-json"]) return "";
  const { properties } = items;
  if (properties) return `, each item with ${Object.keys(properties).join(", ")}`;
  return items.enum
    ? ` of ${items.enum.map((value) => JSON.stringify(value)).join(", ")}`
    : `, each item: ${wordsOf(items)}`;
}

function lengthOf({ minLength = 0, maxLength }: ValueSchema): string {
  if (maxLength === undefined) return minLength > 1 ? ` of at least ${minLength} characters` : "";
  if (minLength === maxLength) return ` of ${maxLength} characters`;
  return minLength > 1 ? ` of ${minLength} to ${maxLength} characters` : ` of at most ${maxLength} characters`;
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueSchema): string {
  const least =
    minimum !== undefined ? ` from ${minimum}` : exclusiveMinimum !== undefined ? ` above ${exclusiveMinimum}` : "";
  const most = maximum !== undefined ? (least ? ` to ${maximum}` : ` up to ${maximum}`) : "";
  return `${least}${most || (exclusiveMaximum !== undefined ? ` below ${exclusiveMaximum}` : "")}`;
}
