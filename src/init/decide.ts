/** Decides for each column whether it becomes a field of the contract or is omitted, and why. */
import type { FieldSchema, ValueSchema } from "../core/contract/file/form.js";
import { quoteName } from "../core/contract/sql.js";
import { count as counted, number } from "../core/print/numbers.js";
import type { CellType } from "../core/source/cells.js";
import type { DecimalReading } from "./decimals.js";
import { type Conversion, dashed, type Form } from "./forms.js";
import { findPrivacy, isFlag, isTimeName } from "./names.js";
import { type ColumnTally, type Example, type Misses, type Survey, VALUE_TYPES, type ValueType } from "./tally.js";

/** How init treats all columns. */
export interface Treatment extends Pick<Survey, "findChanged" | "findMerged"> {
  /** Whether to convert columns whose values all have a known form. */
  convert: boolean;
  /** Texts that mean NULL, by the user's word. */
  marks: ReadonlySet<string>;
  /** Finds how the numbers of a column are read. */
  readDecimals: (tally: ColumnTally) => DecimalReading;
  /** Whether the source is a query of the user's, which init does not change. */
  isQuery: boolean;
  /** Whether records are about places, files or firms, so that an address is not private. */
  isAboutThings: boolean;
}

/** A conversion of a column, as an offer or as done. */
interface Offer {
  /** The result: `a date`. */
  what: string;
  /** `"31.01.2026" becomes "2026-01-31"`, or which values do not fit. */
  why: string;
  /** Whether every value fits. */
  isPossible: boolean;
}

export interface Decision {
  column: string;
  /** Undefined for an omitted column. */
  schema?: FieldSchema;
  /** The kind: `uuid`, `text`, `a secret`. */
  what: string;
  /** The reason, as a part of a sentence. */
  why: string;
  /** The field that the column would be if it were published. */
  instead?: FieldSchema;
  /** SQL that a query needs to yield the column. */
  sql?: string;
  /** Private data in some values of a published column, as a part of a sentence. */
  concern?: string;
  /** Why the numbers of a published column may be read in two ways, with what to pass. */
  doubt?: string;
  /** What the column could be, or with `convert` is. */
  offer?: Offer;
  /** Texts that become NULL, and how often they occur. */
  nulls?: readonly (readonly [text: string, count: number])[];
}

/** A column, with the name of its field if it is published. */
export interface Proposed extends Decision {
  field: string;
}

/** Decides what a column becomes, independently of other columns. */
export function decide(tally: ColumnTally, treatment: Treatment): Decision {
  const decision = findUnusable(tally, treatment) ?? decideByType(tally, treatment);
  const found = findPrivacyReason(tally, decision, treatment);
  const { column, schema } = decision;
  if (!found) return schema && tally.withEmail.count > 0 ? { ...decision, concern: emailsIn(tally) } : decision;
  return { column, ...found, ...(schema && { instead: unobserved(schema) }) };
}

/** Describes the e-mail addresses in a column that is published. */
function emailsIn({ withEmail, rows }: ColumnTally): string {
  return `published with e-mail addresses in ${of(withEmail.count, rows)}, such as in ${withEmail.first?.row}`;
}

/** Why a column seems to be private, if it does. */
function findPrivacyReason(
  tally: ColumnTally,
  { schema }: Decision,
  { isAboutThings }: Treatment,
): Pick<Decision, "what" | "why"> | undefined {
  const named = findPrivacy(tally.column, isAboutThings);
  if (named !== undefined) return { what: named, why: "its name says so" };
  if (tally.hasEmails) return { what: "contact data", why: "its values are e-mail addresses" };
  const form = tally.form()?.form;
  if (form?.isPrivate !== undefined) return { what: form.isPrivate, why: `its values are ${form.what}` };
  if (!schema?.["x-json"]) return undefined;
  for (const name of tally.members) {
    const inside = findPrivacy(name);
    if (inside !== undefined) return { what: inside, why: `there is ${JSON.stringify(name)} in its JSON` };
  }
  return undefined;
}

function decideByType(tally: ColumnTally, treatment: Treatment): Decision {
  const type = typeOf(tally);
  if (type === "text") return ofText(tally, treatment);
  if (type === "number" && tally.origin === "cells") return ofDecimals(tally, treatment);
  return withMarks(ofType(type, tally, treatment), [...tally.marks]);
}

/** Decides for cells that are all numbers with a decimal point, if the point does not stand between groups of digits. */
function ofDecimals(tally: ColumnTally, treatment: Treatment): Decision {
  const { decimals, column } = tally;
  const { mark, isGiven = false, doubt, hasCommas, isShown } = treatment.readDecimals(tally);
  const isAmbiguous = decimals.ambiguous !== undefined;
  const isConverted = mark === "," && (isGiven || treatment.convert);
  if (isAmbiguous && (isConverted || hasCommas)) return ofText(tally, treatment);
  const field = withMarks(ofQuantities(tally, "number", treatment), [...tally.marks]);
  if (isAmbiguous && isGiven) {
    const becomes = tally.form(".")?.form.becomes;
    // The query says to later builds that the mark is known.
    return { ...field, ...(becomes && { sql: `${becomes.sql(quoteName(column))} AS ${quoteName(column)}` }) };
  }
  const sure = decimals.sure["."];
  if (isGiven && mark === "," && sure !== undefined)
    return { ...field, doubt: `read with a decimal point, as in ${shown(sure)}` };
  const isUnsure = doubt !== undefined && !isShown && decimals.isAllMarked;
  return isUnsure ? { ...field, doubt: `read with a decimal point, but ${doubt}` } : field;
}

/** The type of a column: that of its cells or values, whole numbers that readers would round, or none. */
type ColumnType = CellType | "digits" | "nothing";

function ofType(type: Exclude<ColumnType, "text">, tally: ColumnTally, treatment: Treatment): Decision {
  switch (type) {
    case "json":
      return ofJson(tally);
    case "digits":
      return ofDigits(tally, treatment);
    case "boolean":
      return asField(tally, "boolean", { type: "boolean" }, "true and false");
    case "number":
      return ofQuantities(tally, "number", treatment);
    case "integer":
      return ofIntegers(tally, treatment);
    case "nothing":
      return ofNothing(tally);
  }
}

function typeOf(tally: ColumnTally): ColumnType {
  const { counts, cells, origin, unsafe } = tally;
  if (origin === "cells" && cells.type !== "text") return cells.type;
  const kinds = typesOf(tally);
  if (kinds.includes("JSON") || kinds.length > 1) return "json";
  if (unsafe.count > 0) return "digits";
  if (kinds.includes("BOOLEAN")) return "boolean";
  if (counts.TEXT > 0) return "text";
  if (counts.REAL > 0) return "number";
  return counts.INTEGER > 0 ? "integer" : "nothing";
}

/** The types of a column's values; whole numbers beside others are numbers. */
function typesOf({ counts }: ColumnTally): ValueType[] {
  return VALUE_TYPES.filter((type) => counts[type] > 0 && !(type === "INTEGER" && counts.REAL > 0));
}

/** Removes `x-observed` from a schema. */
export function unobserved({ "x-observed": _, ...schema }: FieldSchema): FieldSchema {
  return schema;
}

/** Adds measured limits as `x-observed`, so that other values cause warnings and do not stop a build. */
function withObserved(decision: Decision, observed: ValueSchema): Decision {
  return { ...decision, schema: { ...decision.schema, "x-observed": observed } };
}

/** Makes a field, nullable if the column has NULL. */
function asField(tally: ColumnTally, what: string, schema: ValueSchema, why: string): Decision {
  const { column, nulls, rows, origin } = tally;
  if (nulls === 0) return { column, schema, what, why };
  const absent = { database: "NULL", cells: "empty", members: "null or missing" }[origin];
  return {
    column,
    schema: nullable(schema),
    what: `${what} or null`,
    why: `${why}, ${of(nulls, rows)} ${absent}`,
  };
}

function nullable(schema: ValueSchema): ValueSchema {
  const { type, enum: values, ...others } = schema;
  // An `x-json` field may be null anyway.
  if (type === undefined && values === undefined) return schema;
  const both = { type: [typeof type === "string" && type !== "object" ? type : "string", "null"] as const };
  return { ...both, ...(values && { enum: [...values, null] }), ...others };
}

/** Makes texts of a column NULL that stand for an absent value. */
function withMarks(decision: Decision, marks: Decision["nulls"]): Decision {
  const { schema } = decision;
  if (!schema || !marks || marks.length === 0) return decision;
  const isNull = Array.isArray(schema.type) || schema["x-json"];
  return {
    ...decision,
    schema: { ...(isNull ? schema : nullable(schema)), "x-null-marks": marks.map(([mark]) => mark) },
    what: isNull ? decision.what : `${decision.what} or null`,
    nulls: marks,
  };
}

function ofJson(tally: ColumnTally): Decision {
  const found = tally.form();
  const isAlone = tally.origin === "cells" || typesOf(tally).length === 1;
  const schema = found?.count === 0 && isAlone ? found.form.schema : undefined;
  if (schema?.type === "array") return asField(tally, "list of texts", schema, `all are ${found?.form.what}`);
  if (!isAlone) return asField(tally, "JSON", { "x-json": true }, `values of several types: ${shares(tally)}`);
  return asField(tally, "JSON", { "x-json": true }, "all are lists and objects in JSON");
}

function ofIntegers(tally: ColumnTally, treatment: Treatment): Decision {
  const { column, declared, least, most } = tally;
  if (least < 0 || most > 1) return ofQuantities(tally, "integer", treatment);
  const boolean = { type: "boolean" } as const;
  if (isDeclaredBoolean(declared)) return asField(tally, "boolean", boolean, "only 0 and 1");
  if (!isFlag(column, declared)) return ofQuantities(tally, "integer", treatment);
  const offer = { what: "a boolean", why: "0 becomes false, and 1 becomes true", isPossible: true };
  // Both SQLite and CSV may hold a boolean as 0 or 1, so no query is needed.
  const field = treatment.convert
    ? asField(tally, "boolean", boolean, "only 0 and 1")
    : asField(tally, "integer", { type: "integer" }, "only 0 and 1");
  return { ...field, offer };
}

function isDeclaredBoolean(declared: string): boolean {
  return /^bool(?:ean)?$/i.test(declared);
}

/** Unix seconds of the years 2000 to 2100. */
const FIRST_SECOND = 946_684_800;
const LAST_SECOND = 4_102_444_800;

function ofQuantities(tally: ColumnTally, type: "integer" | "number", treatment: Treatment): Decision {
  const { column, declared, least, most, finer, rows } = tally;
  const within = (factor: number) =>
    isTimeName(column, declared) && least >= FIRST_SECOND * factor && most <= LAST_SECOND * factor;
  const unit = within(1) ? "seconds" : within(1000) && type === "integer" ? "milliseconds" : undefined;
  const why = least === most ? `all ${least}` : `${least} to ${most}`;
  const field = withObserved(asField(tally, type, { type }, why), { minimum: Number(least), maximum: Number(most) });
  if (unit === undefined) return field;
  const conversion = epochs(unit, type);
  if (finer.count === 0) return converted(tally, field, conversion, treatment);
  const others = `but for ${of(finer.count, rows)} finer than a millisecond, such as ${example(finer.first)}`;
  return { ...field, offer: { what: conversion.what, why: others, isPossible: false } };
}

/** A conversion of numbers since 1970, which are whole, or seconds with at most three decimal places. */
function epochs(unit: "seconds" | "milliseconds", type: "integer" | "number"): Conversion {
  const isWholeSeconds = unit === "seconds" && type === "integer";
  return {
    what: `a date-time, if they are ${unit} since 1970`,
    schema: { type: "string", format: "date-time" },
    sql: (value) => {
      // Cells of a text file are text for the query.
      const number = `CAST(${value} AS ${type === "integer" ? "INTEGER" : "REAL"})`;
      const seconds = unit === "seconds" ? number : `${number} / 1000.0`;
      const time = `strftime('%Y-%m-%dT%H:%M:${isWholeSeconds ? "%S" : "%f"}Z', ${seconds}, 'unixepoch')`;
      const digits = `${value} GLOB '*[0-9]' AND ${value} NOT GLOB '*[^0-9${type === "integer" ? "" : "."}]*'`;
      const isExact = type === "integer" ? digits : `${digits} AND round(${number}, 3) = ${number}`;
      return `CASE WHEN ${isExact} THEN ifnull(${time}, ${value}) ELSE ${value} END`;
    },
  };
}

/** Makes a field of a conversion if the user wants it; otherwise says what the field could be. */
function converted(tally: ColumnTally, field: Decision, conversion: Conversion, treatment: Treatment): Decision {
  const { column } = tally;
  const { what, schema, sql } = conversion;
  const [value, made] = treatment.findChanged(column, conversion) ?? [];
  const result = schema.type === "boolean" ? Boolean(made) : shown(made);
  const offer = { what, why: `${shown(value)} becomes ${result}`, isPossible: true };
  if (!treatment.convert) return { ...field, offer };
  const type = schema.format ?? String(schema.type);
  return {
    ...asField(tally, type, schema, "converted"),
    sql: `${sql(quoteName(column))} AS ${quoteName(column)}`,
    offer,
  };
}

function ofText(tally: ColumnTally, treatment: Treatment): Decision {
  const given = [...tally.marks].filter(([mark]) => treatment.marks.has(mark));
  const { mark, isGiven = false, doubt, contradiction } = treatment.readDecimals(tally);
  const isUnsettled = mark === undefined || (!treatment.convert && tally.cells.isNumeric);
  if (doubt !== undefined && isUnsettled) return withMarks({ ...ofPlainText(tally), why: doubt, doubt }, given);
  const found = tally.form(mark);
  if (!found || isJsonAsText(tally, found.form)) return withMarks(ofPlainText(tally), given);
  const { becomes, decimal } = found.form;
  if (becomes && decimal !== undefined && contradiction !== undefined) {
    const offer = { what: becomes.what, why: `but ${contradiction}`, isPossible: false };
    return withMarks({ ...ofPlainText(tally), offer }, given);
  }
  const isNumber = becomes?.schema.type === "integer" || becomes?.schema.type === "number";
  const decision = ofForm(tally, found, isGiven && isNumber ? { ...treatment, convert: true } : treatment);
  const isTyped = decision.schema?.format !== undefined || decision.sql !== undefined;
  return withMarks(decision, isTyped ? [...tally.marks] : given);
}

/** Texts of NDJSON are not JSON, and cells of JSON that are not all written alike could become equal: both stay text. */
function isJsonAsText({ origin }: ColumnTally, { schema }: Form): boolean {
  return origin !== "database" && (schema?.type === "array" || schema?.["x-json"] === true);
}

function ofPlainText(tally: ColumnTally): Decision {
  const values = enumeration(tally);
  const longest = tally.longest === 0 ? "all empty" : `up to ${counted(tally.longest, "character")}`;
  const text = { type: "string" } as const;
  if (!values) return withObserved(asField(tally, "text", text, longest), { maxLength: tally.longest });
  const taken = asField(tally, "text", text, `${values.length} values, which repeat`);
  return withObserved({ ...taken, schema: { ...taken.schema, "x-facet": true } }, { enum: values });
}

/** Decides for a column whose texts all, or nearly all, have one form. */
function ofForm(tally: ColumnTally, { form, count, first }: Misses, treatment: Treatment): Decision {
  const { empty, rows } = tally;
  if (count === 0 && empty === 0 && form.schema)
    return asField(tally, nameOf(form), form.schema, `all are ${form.what}`);
  const plain = ofPlainText(tally);
  if (form.isPrivate !== undefined) return plain;
  const others = [
    ...(count > 0 ? [`${of(count, rows)}, such as ${example(first)}`] : []),
    ...(empty > 0 ? [`${of(empty, rows)} empty`] : []),
  ].join(", and ");
  const what = form.becomes?.what ?? `a ${nameOf(form)}`;
  if (others !== "" || !form.becomes) return { ...plain, offer: { what, why: `but for ${others}`, isPossible: false } };
  const merged = treatment.findMerged(tally.column, form.becomes)?.map(shown);
  if (!merged) return converted(tally, plain, form.becomes, treatment);
  return { ...plain, offer: { what, why: `but ${merged.join(" and ")} would be equal`, isPossible: false } };
}

function nameOf({ schema }: Form): string {
  if (schema?.["x-json"]) return "JSON";
  return schema?.format ?? "list of texts";
}

/** Minimum average number of occurrences of an enumeration's values. */
const MIN_REPETITIONS = 4;

function enumeration({ values, counts }: ColumnTally): string[] | undefined {
  if (!values || values.size < 2 || counts.TEXT < values.size * MIN_REPETITIONS) return undefined;
  return [...values.keys()].sort();
}

function ofNothing(tally: ColumnTally): Decision {
  const { declared, rows } = tally;
  const why = rows > 0 || tally.origin !== "database" ? "no values so far" : `declared ${declared || "without a type"}`;
  if (isDeclaredBoolean(declared)) return asField(tally, "boolean", { type: "boolean" }, why);
  if (/INT/i.test(declared)) return asField(tally, "integer", { type: "integer" }, why);
  if (/REAL|FLOA|DOUB|DEC|NUM/i.test(declared)) return asField(tally, "number", { type: "number" }, why);
  return asField(tally, "text", { type: "string" }, why);
}

/** Decides for a column of whole numbers, some of which readers would round: their digits are text. */
function ofDigits(tally: ColumnTally, { isQuery }: Treatment): Decision {
  const { column, unsafe, counts, rows } = tally;
  const beyond = `${of(unsafe.count, rows)} ${unsafe.count === 1 ? "is" : "are"} beyond 2^53 - 1, such as ${example(unsafe.first)}`;
  const name = quoteName(column);
  const sql = `CAST(${name} AS TEXT) AS ${name}`;
  const field = asField(tally, "text", { type: "string" }, `the digits of whole numbers, as ${beyond}`);
  // A build reads such numbers as their digits, but no smaller ones.
  if (unsafe.count === counts.INTEGER) return field;
  return isQuery ? omit(tally, "too large", `${beyond}; for text: ${sql}`) : { ...field, sql };
}

/** Omits a column whose values no field can have; undefined for any other column. */
function findUnusable(tally: ColumnTally, treatment: Treatment): Decision | undefined {
  const { counts, rows, column, nulls, origin, inexact, unsafe, undecodable, wide } = tally;
  if (column === "" || /\p{Cc}/u.test(column)) {
    const isEmpty = column === "";
    const why = isEmpty ? "it is empty" : "there is a control character in it";
    return {
      column,
      what: "no name",
      why: `${why}; name ${isEmpty ? "the column" : "it otherwise"} in a query, with AS`,
    };
  }
  if (tally.isUnnamed && nulls === rows) return omit(tally, "no name", "and no values");
  if (counts.BLOB > 0 && counts.BLOB + nulls === rows) return ofBytes(tally, treatment);
  const kinds = typesOf(tally);
  if (origin === "database" && kinds.length > 1) return ofMixed(tally);
  const isWhole = kinds.length === 1 && counts.REAL === 0;
  const isMixed = kinds.length > 1;
  const rounded = unsafe.count > 0 && !isWhole ? unsafe : isMixed && wide.count > 0 ? wide : inexact;
  if (rounded.count > 0)
    return omit(
      tally,
      "not exact",
      `${of(rounded.count, rows)} that readers would change, such as ${example(rounded.first)}`,
    );
  if (undecodable.count === 0) return undefined;
  return omit(
    tally,
    "not UTF-8",
    `${of(undecodable.count, rows)}, such as in ${undecodable.first?.row}; correct the source`,
  );
}

function omit({ column }: ColumnTally, what: string, why: string): Decision {
  return { column, what, why };
}

function ofBytes(tally: ColumnTally, treatment: Treatment): Decision {
  const { column, bytes } = tally;
  const name = quoteName(column);
  const isUuid = bytes.size === 1 && bytes.has(16);
  const omitted = omit(
    tally,
    "BLOB",
    `bytes, which JSON cannot hold${isUuid ? "" : `; for text: hex(${name}) AS ${name}`}`,
  );
  if (!isUuid) return omitted;
  const uuid: Conversion = {
    what: "a UUID",
    schema: { type: "string", format: "uuid" },
    sql: (value) =>
      `CASE WHEN typeof(${value}) = 'blob' AND length(${value}) = 16 THEN ${dashed(`hex(${value})`)} ELSE ${value} END`,
  };
  return converted(tally, omitted, uuid, treatment);
}

/** Describes a column of several types, with an example of a rarer one. */
function ofMixed(tally: ColumnTally): Decision {
  const { counts, firsts, column } = tally;
  const [main, odd] = [...typesOf(tally)].sort((one, other) => counts[other] - counts[one]);
  const found = odd ?? main;
  const name = quoteName(column);
  const why = `${shares(tally)}, such as ${example(found && firsts[found])}`;
  // BLOBs are converted to hexadecimal; a cast of other values to text is lossless.
  const sql = counts.BLOB > 0 ? `CASE typeof(${name}) WHEN 'blob' THEN hex(${name}) ELSE ${name} END` : name;
  return omit(tally, "mixed", `${why}; for text: CAST(${sql} AS TEXT) AS ${name}`);
}

const TYPE_NAMES: Record<ValueType, string> = {
  INTEGER: "whole numbers",
  REAL: "numbers",
  TEXT: "texts",
  BLOB: "bytes",
  BOOLEAN: "true or false",
  JSON: "lists or objects",
};

/** The share of each type, the most frequent first: `2 of 3 INTEGER, 1 of 3 TEXT`. */
function shares({ counts, rows, origin }: ColumnTally): string {
  const kinds = VALUE_TYPES.filter((type) => counts[type] > 0).sort((one, other) => counts[other] - counts[one]);
  const nameOfType = (type: ValueType) => (origin === "database" ? type : TYPE_NAMES[type]);
  return kinds.map((type) => `${of(counts[type], rows)} ${nameOfType(type)}`).join(", ");
}

const MAX_SHOWN = 40;

/** Formats a share of rows: `3 of 1,204`. */
function of(count: number, rows: number): string {
  return count === rows ? `all ${number(rows)}` : `${number(count)} of ${number(rows)}`;
}

/** Formats an example: `"n/a" in rowid 17`. */
function example(found: Example | undefined): string {
  if (!found) return "none";
  return `${shown(found.value)} in ${found.row}`;
}

/** Formats a value: `"n/a"`, `1.5`, `x'00ff'`. */
function shown(value: unknown): string {
  if (Buffer.isBuffer(value)) return `x'${value.toString("hex", 0, 16)}'`;
  return typeof value === "string" ? JSON.stringify(shortened(value)) : String(value);
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
