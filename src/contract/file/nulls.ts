/** The rules of x-null: what a NULL publishes is something that the field itself takes. */
import { accepts } from "./accepts.js";
import type { RoughField, RoughFields } from "./fields.js";
import type { FieldSchema, NullRule } from "./form.js";
import { isScalarKind, isWithin, kindsOf, mayBeNull, solidKindsOf } from "./kinds.js";
import { type Complain, mustName, type Pointer, shown } from "./mistakes.js";

const WAYS = ["const", "field", "join", "setting"] as const;

/** A rule as it is written, before it is known to be one. */
interface RoughRule {
  const?: unknown;
  field?: string;
  join?: readonly (string | undefined)[];
  empty?: RoughRule;
  setting?: string;
}

export function checkNullRules(fields: RoughFields, complain: Complain): void {
  for (const { schema, place } of fields.values()) {
    const rule = schema?.["x-null"];
    if (!schema || !rule) continue;
    if (kindsOf(schema).includes("null")) {
      complain(
        [...place, "x-null"],
        "contradicts null in the field's type, which publishes a NULL as null; leave one out",
      );
    }
    checkRule(rule as RoughRule, [...place, "x-null"], { schema, fields, complain });
  }
  checkCircles(fields, complain);
}

interface Surroundings {
  schema: FieldSchema;
  fields: RoughFields;
  complain: Complain;
}

function checkRule(rule: RoughRule, place: Pointer, around: Surroundings): void {
  const { schema, complain } = around;
  const ways = WAYS.filter((way) => way in rule);
  if (ways.length !== 1) {
    complain(place, `must have one of ${WAYS.join(", ")}, got ${ways.join(" and ") || "none of them"}`);
  }
  if (rule.const !== undefined && !accepts(schema, rule.const)) {
    complain([...place, "const"], `must be a value that the field itself takes, got ${shown(rule.const)}`);
  }
  if (rule.field !== undefined) checkField(rule.field, [...place, "field"], around);
  const kinds = solidKindsOf(schema);
  for (const way of ["join", "setting"] as const) {
    if (rule[way] !== undefined && kinds.length > 0 && !kinds.includes("string")) {
      complain([...place, way], `gives a string, and the field is ${kinds.join(" or ")}`);
    }
  }
  rule.join?.forEach((path, at) => {
    if (path !== undefined) checkJoined(path, [...place, "join", at], around);
  });
  if (rule.empty && !("join" in rule)) complain([...place, "empty"], "is for join alone");
  if (rule.empty) checkRule(rule.empty, [...place, "empty"], around);
}

/** The other field must be of a kind that this one takes, and never null. */
function checkField(path: string, place: Pointer, { schema, fields, complain }: Surroundings): void {
  const other = find(path, place, fields, complain);
  if (!other?.schema) return;
  const [own, given] = [solidKindsOf(schema), solidKindsOf(other.schema)];
  if (own.length > 0 && (!isWithin(given, own) || !given.every(isScalarKind))) {
    complain(place, `must be a field of the kind ${own.join(" or ")}, got ${path}, which is ${given.join(" or ")}`);
  } else if (mayBeNull(other.schema)) complain(place, `must be a field that is never null, got ${path}`);
}

function checkJoined(path: string, place: Pointer, { fields, complain }: Surroundings): void {
  const kinds = find(path, place, fields, complain);
  if (!kinds?.schema) return;
  const given = solidKindsOf(kinds.schema);
  if (!isWithin(given, ["string"]))
    complain(place, `must be a field of strings, got ${path}, which is ${given.join(" or ")}`);
}

function find(path: string, place: Pointer, fields: RoughFields, complain: Complain): RoughField | undefined {
  const found = fields.get(path);
  if (!found) complain(place, mustName("a field", path, [...fields.keys()]));
  return found;
}

/** A field whose NULL is another's value, which is its own in the end, would have none. */
function checkCircles(fields: RoughFields, complain: Complain): void {
  const next = new Map([...fields].map(([path, { schema }]) => [path, fieldsIn(schema?.["x-null"])]));
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((path) => {
      if (path === to) return true;
      if (seen.has(path)) return false;
      return reaches(path, to, seen.add(path));
    });
  for (const [path, { place }] of fields) {
    if (reaches(path, path, new Set())) complain([...place, "x-null"], `goes round in a circle back to ${path}`);
  }
}

function fieldsIn(rule: NullRule | undefined): readonly string[] {
  if (!rule) return [];
  const { field, join = [], empty } = rule as RoughRule;
  const inside = empty ? fieldsIn(empty as NullRule) : [];
  return [field, ...join, ...inside].filter((path) => path !== undefined);
}
