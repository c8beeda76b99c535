/** Decides for each column whether it becomes a field of the contract or is omitted, and why. */
import type { FieldSchema, ValueSchema } from "../contract/file/form.js";
import { quoteName, quoteText } from "../contract/sql.js";
import { count as counted, number } from "../print/numbers.js";
import { dashed, type Form } from "./forms.js";
import { findPrivacy, isFlag, isTimeName } from "./names.js";
import { type ColumnTally, type Example, type Misses, STORAGE, type Storage } from "./tally.js";

/** SQL that converts a column, and the result: `a date-time`. */
interface Sql {
  what: string;
  sql: string;
  /** Whether the user must confirm it: `MM/DD/YYYY` may be `DD/MM/YYYY`. */
  isGuess?: boolean | undefined;
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
  better?: Sql;
}

/** Decides what a column becomes, independently of other columns. */
export function decide(tally: ColumnTally): Decision {
  const decision = decideByStorage(tally);
  const { column, schema, better } = decision;
  const found = findPrivacyReason(tally, decision);
  if (!found) return decision;
  return { column, ...found, ...(schema && { instead: unobserved(schema) }), ...(better && { better }) };
}

/** Why a column seems to be private, if it does. */
function findPrivacyReason(tally: ColumnTally, { schema }: Decision): Pick<Decision, "what" | "why"> | undefined {
  const named = findPrivacy(tally.column);
  if (named !== undefined) return { what: named, why: "its name says so" };
  const form = tally.form()?.form;
  if (form?.isPrivate !== undefined) return { what: form.isPrivate, why: `its values are ${form.what}` };
  if (!schema?.["x-json"]) return undefined;
  for (const name of tally.members) {
    const inside = findPrivacy(name);
    if (inside !== undefined) return { what: inside, why: `there is ${JSON.stringify(name)} in its JSON` };
  }
  return undefined;
}

function decideByStorage(tally: ColumnTally): Decision {
  const unusable = findUnusable(tally);
  if (unusable) return unusable;
  const { counts } = tally;
  if (counts.TEXT > 0) return ofText(tally);
  if (counts.REAL > 0) return ofQuantities(tally, "number");
  return counts.INTEGER > 0 ? ofIntegers(tally) : ofNothing(tally);
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
function asField(tally: ColumnTally, what: string, schema: ValueSchema, why: string, better?: Sql): Decision {
  const { column, counts } = tally;
  const isNullable = counts.NULL > 0;
  return {
    column,
    schema: isNullable ? nullable(schema) : schema,
    what: isNullable ? `${what} or null` : what,
    why: isNullable ? `${why}, ${of(counts.NULL, tally.rows)} NULL` : why,
    ...(better && { better: betterFor(column, better) }),
  };
}

function nullable(schema: ValueSchema): ValueSchema {
  const { type, enum: values, ...others } = schema;
  // An `x-json` field may be null anyway.
  if (type === undefined && values === undefined) return schema;
  const both = { type: [typeof type === "string" && type !== "object" ? type : "string", "null"] as const };
  return { ...both, ...(values && { enum: [...values, null] }), ...others };
}

function ofIntegers(tally: ColumnTally): Decision {
  const { column, declared, least, most } = tally;
  if (least < 0 || most > 1) return ofQuantities(tally, "integer");
  if (isFlag(column, declared)) return asField(tally, "boolean", { type: "boolean" }, "only 0 and 1");
  if (least === most) return ofQuantities(tally, "integer");
  return asField(tally, "integer", { type: "integer" }, 'only 0 and 1; "type": "boolean" if these are no and yes');
}

/** Unix seconds of the years 2000 to 2100. */
const SECONDS = [946_684_800, 4_102_444_800] as const;

function ofQuantities(tally: ColumnTally, type: "integer" | "number"): Decision {
  const { column, declared, least, most, counts } = tally;
  const within = (factor: number) =>
    isTimeName(column, declared) && least >= SECONDS[0] * factor && most <= SECONDS[1] * factor;
  const unit = within(1) ? "seconds" : within(1000) ? "milliseconds" : undefined;
  if (unit === undefined) {
    const observed = { minimum: Number(least), maximum: Number(most) };
    const why = least === most ? `all ${least}` : `${least} to ${most}`;
    return withObserved(asField(tally, type, { type }, why), observed);
  }
  const seconds = unit === "seconds" ? quoteName(column) : `${quoteName(column)} / 1000.0`;
  const form = unit === "seconds" && counts.REAL === 0 ? "%S" : "%f";
  const sql = `strftime('%Y-%m-%dT%H:%M:${form}Z', ${seconds}, 'unixepoch')`;
  return asField(tally, type, { type }, `${unit} since 1970 by its values`, { what: "a date-time", sql });
}

function ofText(tally: ColumnTally): Decision {
  const found = tally.form();
  if (found) return ofForm(tally, found);
  const values = enumeration(tally);
  const longest = tally.longest === 0 ? "all empty" : `up to ${counted(tally.longest, "character")}`;
  const text = { type: "string" } as const;
  if (!values) return withObserved(asField(tally, "text", text, longest), { maxLength: tally.longest });
  const taken = asField(tally, "text", text, `${values.length} values, which repeat`);
  return withObserved({ ...taken, schema: { ...taken.schema, "x-facet": true } }, { enum: values });
}

/** Decides for a column whose texts all, or nearly all, have one form. */
function ofForm(tally: ColumnTally, { form, count, first, isOneText }: Misses): Decision {
  const { column, empty, rows } = tally;
  if (count === 0 && empty === 0 && form.schema)
    return asField(tally, nameOf(form), form.schema, `all are ${form.what}`);
  const why = [
    form.what,
    ...(count > 0 ? [`but ${of(count, rows)}, such as ${example(first)}`] : []),
    ...(empty > 0 ? [`but ${of(empty, rows)} empty`] : []),
  ].join(", ");
  const text = { type: "string" } as const;
  if ((count > 0 && !isOneText) || form.isPrivate !== undefined) return asField(tally, "text", text, why);
  const missing = [...(empty > 0 ? [""] : []), ...(count > 0 ? [String(first?.value)] : [])];
  const sql = (form.becomes?.sql ?? String)(nullif(column, missing));
  const type = form.becomes?.type ?? `a ${nameOf(form)}`;
  const what = `${type}${missing.length > 0 ? " or null" : ""}`;
  return asField(tally, "text", text, why, { what, sql, isGuess: type.includes(", if the month") });
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
  const why = rows === 0 ? `declared ${declared || "without a type"}` : "so far";
  if (isFlag("", declared)) return asField(tally, "boolean", { type: "boolean" }, why);
  if (/INT/i.test(declared)) return asField(tally, "integer", { type: "integer" }, why);
  if (/REAL|FLOA|DOUB|DEC|NUM/i.test(declared)) return asField(tally, "number", { type: "number" }, why);
  return asField(tally, "text", { type: "string" }, why);
}

/** Omits a column whose values no field can have; undefined for any other column. */
function findUnusable(tally: ColumnTally): Decision | undefined {
  const { counts, rows, column } = tally;
  const name = quoteName(column);
  const omit = (what: string, why: string, better: string, sql: string, isGuess?: boolean): Decision => {
    return { column, what, why, better: betterFor(column, { what: better, sql, isGuess }) };
  };
  if (column === "" || /\p{Cc}/u.test(column)) {
    const [why, step] =
      column === "" ? ["it is empty", "the column"] : ["there is a control character in it", "it otherwise"];
    return { column, what: "no name", why: `${why}; name ${step} in a query, with AS` };
  }
  if (counts.BLOB > 0 && counts.BLOB + counts.NULL === rows) {
    const isUuid = tally.bytes.size === 1 && tally.bytes.has(16);
    const sql = isUuid ? dashed(`hex(${name})`) : `hex(${name})`;
    return omit("BLOB", "bytes, which JSON cannot hold", isUuid ? "a UUID" : "text", sql, !isUuid);
  }
  const kinds = STORAGE.filter((storage) => storage !== "NULL" && counts[storage] > 0);
  if (kinds.length > 1 && !kinds.every(isNumeric)) {
    const { why, better, sql } = mixed(tally, kinds);
    return omit("mixed", why, better, sql);
  }
  const { unsafe, infinite } = tally;
  if (unsafe.count > 0) {
    const why = `${of(unsafe.count, rows)} beyond 2^53, which readers would round, such as ${example(unsafe.first)}`;
    return omit("too large", why, "text", `CAST(${name} AS TEXT)`);
  }
  if (infinite.count > 0) {
    const why = `${of(infinite.count, rows)}, such as ${example(infinite.first)}`;
    return omit("infinite", why, "a number or null", `CASE WHEN abs(${name}) < 9e999 THEN ${name} END`);
  }
  if (tally.undecodable === 0) return undefined;
  const why = `${of(tally.undecodable, rows)}, such as in ${tally.firstUndecodable}; correct the source`;
  return omit("not UTF-8", why, "its bytes as text", `hex(${name})`, true);
}

function isNumeric(storage: Storage): boolean {
  return storage === "INTEGER" || storage === "REAL";
}

/** Describes a column of several storage classes, with an example of a rarer one. */
function mixed({ counts, firsts, rows, column }: ColumnTally, kinds: readonly Storage[]) {
  const name = quoteName(column);
  const [main = "TEXT", ...others] = [...kinds].sort((one, other) => counts[other] - counts[one]);
  const odd = others.find((kind) => !(isNumeric(kind) && isNumeric(main))) ?? main;
  const share = [main, ...others].map((kind) => `${of(counts[kind], rows)} ${kind}`).join(", ");
  const why = `${share}, such as ${example(firsts[odd])}`;
  // BLOBs are converted to hexadecimal; a cast of other values to text is lossless.
  const sql = counts.BLOB > 0 ? `CASE typeof(${name}) WHEN 'blob' THEN hex(${name}) ELSE ${name} END` : name;
  return { why, better: "text", sql: `CAST(${sql} AS TEXT)` };
}

const MAX_SHOWN = 40;

/** Formats a share of rows: `3 of 1,204`. */
function of(count: number, rows: number): string {
  return count === rows ? `all ${number(rows)}` : `${number(count)} of ${number(rows)}`;
}

/** Formats an example: `"n/a" in rowid 17`. */
function example(found: Example | undefined): string {
  if (!found) return "none";
  const { value, row } = found;
  if (Buffer.isBuffer(value)) return `x'${value.toString("hex", 0, 8)}' in ${row}`;
  if (typeof value !== "string") return `${value} in ${row}`;
  return `${JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN - 1)}…` : value)} in ${row}`;
}

/** SQL that replaces values by NULL: `nullif("born", '')`. */
function nullif(column: string, values: readonly string[]): string {
  return values.reduce((inner, value) => `nullif(${inner}, ${quoteText(value)})`, quoteName(column));
}

/** Names an SQL expression after its column. */
function betterFor(column: string, { what, sql, isGuess }: Sql): Sql {
  return { what, isGuess, sql: sql === quoteName(column) ? sql : `${sql} AS ${quoteName(column)}` };
}
