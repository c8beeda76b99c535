/** What a column becomes, and why: a field of the contract, or something that is left out with a way to have it. */
import type { ValueSchema } from "../contract/file/form.js";
import { quoteName } from "../contract/sql.js";
import { count as counted } from "../print/numbers.js";
import type { Decision } from "./decision.js";
import type { Form } from "./forms.js";
import { findPrivacy, isFlag, isTimeName } from "./names.js";
import type { ColumnTally, Misses } from "./tally.js";
import { findUnusable } from "./unusable.js";
import { example, nullif, of, sqlFor } from "./words.js";

/** What a column becomes, whatever the other columns are. */
export function decide(tally: ColumnTally): Decision {
  const decision = byStorage(tally);
  const { column, schema, better } = decision;
  const found = findReason(tally, decision);
  if (!found) return decision;
  return { column, ...found, ...(schema && { instead: schema }), ...(better && { better }) };
}

/** Why a column is better not published, if it seems so. */
function findReason(tally: ColumnTally, { schema }: Decision): Pick<Decision, "what" | "why"> | undefined {
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

function byStorage(tally: ColumnTally): Decision {
  const unusable = findUnusable(tally);
  if (unusable) return { column: tally.column, ...unusable };
  const { counts } = tally;
  if (counts.TEXT > 0) return ofText(tally);
  if (counts.REAL > 0) return ofQuantities(tally, "number");
  return counts.INTEGER > 0 ? ofIntegers(tally) : ofNothing(tally);
}

interface Better {
  what: string;
  /** Without the column's name behind it. */
  sql: string;
}

/** A field, which may be null where the column is. */
function take(tally: ColumnTally, what: string, schema: ValueSchema, why: string, better?: Better): Decision {
  const { column, counts } = tally;
  const isNullable = counts.NULL > 0;
  return {
    column,
    schema: isNullable ? nullable(schema) : schema,
    what: isNullable ? `${what} or null` : what,
    why: isNullable ? `${why}, ${of(counts.NULL, tally.rows)} NULL` : why,
    ...(better && { better: { ...better, sql: sqlFor(better.sql, column) } }),
  };
}

function nullable(schema: ValueSchema): ValueSchema {
  const { type, enum: values, ...others } = schema;
  // Any JSON value may be null.
  if (type === undefined && values === undefined) return schema;
  const both = { type: [typeof type === "string" && type !== "object" ? type : "string", "null"] as const };
  return { ...both, ...(values && { enum: [...values, null] }), ...others };
}

function ofIntegers(tally: ColumnTally): Decision {
  const { column, declared, least, most } = tally;
  const isBit = least >= 0 && most <= 1;
  if (isBit && isFlag(column, declared)) return take(tally, "boolean", { type: "boolean" }, "only 0 and 1");
  if (!isBit || least === most) return ofQuantities(tally, "integer");
  return take(tally, "integer", { type: "integer" }, 'only 0 and 1; "type": "boolean" if these are no and yes');
}

/** Seconds, or milliseconds, of the years 2000 to 2100. */
const SECONDS = [946_684_800, 4_102_444_800] as const;

function ofQuantities(tally: ColumnTally, type: "integer" | "number"): Decision {
  const { column, declared, least, most, counts } = tally;
  const within = (factor: number) =>
    isTimeName(column, declared) && least >= SECONDS[0] * factor && most <= SECONDS[1] * factor;
  const unit = within(1) ? "seconds" : within(1000) ? "milliseconds" : undefined;
  if (unit === undefined) return take(tally, type, { type }, least === most ? `all ${least}` : `${least} to ${most}`);
  const seconds = unit === "seconds" ? quoteName(column) : `${quoteName(column)} / 1000.0`;
  const form = unit === "seconds" && counts.REAL === 0 ? "%S" : "%f";
  const sql = `strftime('%Y-%m-%dT%H:%M:${form}Z', ${seconds}, 'unixepoch')`;
  return take(tally, type, { type }, `${unit} since 1970 by its values`, { what: "a date-time", sql });
}

function ofText(tally: ColumnTally): Decision {
  const found = tally.form();
  if (found) return ofForm(tally, found);
  const values = enumeration(tally);
  const longest = tally.longest === 0 ? "all empty" : `up to ${counted(tally.longest, "character")}`;
  if (!values) return take(tally, "text", { type: "string" }, longest);
  const taken = take(tally, "enum", { enum: values }, `${values.length} values, which repeat`);
  return { ...taken, schema: { ...taken.schema, "x-facet": true } };
}

/** A column whose texts all have one form, or nearly all. */
function ofForm(tally: ColumnTally, { form, count, first, isOneText }: Misses): Decision {
  const { column, empty, rows } = tally;
  if (count === 0 && empty === 0 && form.schema) return take(tally, nameOf(form), form.schema, `all are ${form.what}`);
  const why = [
    form.what,
    ...(count > 0 ? [`but ${of(count, rows)}, such as ${example(first)}`] : []),
    ...(empty > 0 ? [`but ${of(empty, rows)} empty`] : []),
  ].join(", ");
  const text = { type: "string" } as const;
  if ((count > 0 && !isOneText) || form.isPrivate !== undefined) return take(tally, "text", text, why);
  const missing = [...(empty > 0 ? [""] : []), ...(count > 0 ? [String(first?.value)] : [])];
  const sql = (form.becomes?.sql ?? String)(nullif(column, missing));
  const what = `${form.becomes?.type ?? `a ${nameOf(form)}`}${missing.length > 0 ? " or null" : ""}`;
  return take(tally, "text", text, why, { what, sql });
}

function nameOf({ schema }: Form): string {
  if (schema?.["x-json"]) return "JSON";
  return schema?.format ?? "list of texts";
}

/** Values of an enumeration occur so often, on average. */
const OFTEN = 4;

function enumeration({ values, counts }: ColumnTally): string[] | undefined {
  if (!values || values.size < 2 || counts.TEXT < values.size * OFTEN) return undefined;
  return [...values.keys()].sort();
}

function ofNothing(tally: ColumnTally): Decision {
  const { declared, rows } = tally;
  const why = rows === 0 ? `declared ${declared || "without a type"}` : "so far";
  if (isFlag("", declared)) return take(tally, "boolean", { type: "boolean" }, why);
  if (/INT/i.test(declared)) return take(tally, "integer", { type: "integer" }, why);
  if (/REAL|FLOA|DOUB|DEC|NUM/i.test(declared)) return take(tally, "number", { type: "number" }, why);
  return take(tally, "text", { type: "string" }, why);
}
