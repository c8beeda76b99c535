/** What a column becomes, and why: a field of the contract, or something that is left out with a way to have it. */
import type { FieldSchema, ValueSchema } from "../contract/file/form.js";
import { quote } from "../source/relation.js";
import type { Form } from "./forms.js";
import { findPrivacy, isFlag, isTimeName } from "./names.js";
import type { ColumnTally } from "./tally.js";
import { findUnusable } from "./unusable.js";
import { example, nullif, of, sqlFor } from "./words.js";

export interface Decision {
  column: string;
  /** Undefined for a column that is left out. */
  schema?: FieldSchema;
  /** In a word: `uuid`, `text`, `a secret`. */
  what: string;
  /** The reason, as a part of a sentence. */
  why: string;
  /** What a column would be if it were meant to be public. */
  instead?: FieldSchema;
  /** An expression for a query that makes more of the column. */
  sql?: string;
}

/** What a column becomes, whatever the other columns are. */
export function decide(tally: ColumnTally): Decision {
  const decision = byStorage(tally);
  const { column, schema, sql } = decision;
  const found = findReason(tally, decision);
  if (!found) return decision;
  return { column, ...found, ...(schema && { instead: schema }), ...(sql !== undefined && { sql }) };
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
  if (counts.REAL > 0) return ofNumbers(tally);
  return counts.INTEGER > 0 ? ofIntegers(tally) : ofNothing(tally);
}

/** A field, which may be null where the column is. */
function take(tally: ColumnTally, what: string, schema: ValueSchema, why: string, sql?: string): Decision {
  const { column, counts } = tally;
  const isNullable = counts.NULL > 0;
  const reasons = isNullable ? `${why}, ${of(counts.NULL, tally.rows)} NULL` : why;
  return {
    column,
    schema: isNullable ? nullable(schema) : schema,
    what: isNullable ? `${what} or null` : what,
    why: reasons,
    ...(sql !== undefined && { sql: sqlFor(sql, column) }),
  };
}

function nullable(schema: ValueSchema): ValueSchema {
  const { type, enum: values, ...others } = schema;
  // Any JSON value may be null.
  if (type === undefined && values === undefined) return schema;
  const both = { type: [typeof type === "string" && type !== "object" ? type : "string", "null"] as const };
  return { ...both, ...(values && { enum: [...values, null] }), ...others };
}

/** Seconds, or milliseconds, of the years 2000 to 2100. */
const SECONDS = [946_684_800, 4_102_444_800] as const;

function ofIntegers(tally: ColumnTally): Decision {
  const { column, declared, least, most } = tally;
  const isBit = least >= 0 && most <= 1;
  if (isBit && isFlag(column, declared)) return take(tally, "boolean", { type: "boolean" }, "only 0 and 1");
  const integer = { type: "integer" } as const;
  const epoch = epochSql(tally);
  if (epoch)
    return take(tally, "integer", integer, `${epoch.unit} since 1970 by its values; for date-times`, epoch.sql);
  const range = least === most ? `all ${least}` : `${least} to ${most}`;
  return take(tally, "integer", integer, isBit ? `only 0 and 1; "type": "boolean" where these are no and yes` : range);
}

function ofNumbers(tally: ColumnTally): Decision {
  const epoch = epochSql(tally);
  const number = { type: "number" } as const;
  if (epoch) return take(tally, "number", number, `${epoch.unit} since 1970 by its values; for date-times`, epoch.sql);
  return take(tally, "number", number, `${tally.least} to ${tally.most}`);
}

function epochSql({ column, declared, least, most, counts }: ColumnTally): { unit: string; sql: string } | undefined {
  if (!isTimeName(column, declared)) return undefined;
  const name = quote(column);
  const within = (factor: number) => least >= SECONDS[0] * factor && most <= SECONDS[1] * factor;
  if (within(1)) {
    const form = counts.REAL > 0 ? "%Y-%m-%dT%H:%M:%fZ" : "%Y-%m-%dT%H:%M:%SZ";
    return { unit: "seconds", sql: `strftime('${form}', ${name}, 'unixepoch')` };
  }
  if (!within(1000)) return undefined;
  return { unit: "milliseconds", sql: `strftime('%Y-%m-%dT%H:%M:%fZ', ${name} / 1000.0, 'unixepoch')` };
}

function ofText(tally: ColumnTally): Decision {
  const found = tally.form();
  const text = { type: "string" } as const;
  if (found) {
    const { form, count, first, isOneText } = found;
    const others = count === 0 ? undefined : { count, first, isOneText };
    if (!others && tally.empty === 0 && form.schema)
      return take(tally, nameOf(form), form.schema, `all are ${form.what}`);
    const odd = others?.isOneText ? String(others.first?.value) : undefined;
    const inner = nullif(tally.column, [...(tally.empty > 0 ? [""] : []), ...(odd === undefined ? [] : [odd])]);
    const makes = form.becomes?.type ?? `${nameOf(form)} or null`;
    const missed = [
      ...(others ? [`but ${of(others.count, tally.rows)}, such as ${example(others.first)}`] : []),
      ...(tally.empty > 0 ? [`but ${of(tally.empty, tally.rows)} empty`] : []),
    ].join(", ");
    const why = `${form.what}${missed && `, ${missed}`}`;
    if (others && odd === undefined) return take(tally, "text", text, why);
    return take(tally, "text", text, `${why}; for ${makes}`, (form.becomes?.sql ?? String)(inner));
  }
  const values = enumeration(tally);
  if (!values)
    return take(tally, "text", text, tally.longest === 0 ? "all empty" : `up to ${tally.longest} characters`);
  const why = `${values.length} values, which repeat`;
  const taken = take(tally, "enum", { enum: values }, why);
  return { ...taken, schema: { ...taken.schema, "x-facet": true } };
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
