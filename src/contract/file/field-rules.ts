/** Rules about several fields: their number and columns, and the values that x-null takes from others. */
import { type Field, fieldsOf, membersOf } from "../contract.js";
import { isScalarKind, isWithin, kindsOf } from "../record/kind.js";
import { acceptorOf } from "../record/schema.js";
import { lowerCase } from "../sql.js";
import type { ContractFile, FieldSchema, NullRule } from "./form.js";
import { below, display, mustBe, pointer, type Refuse, suggestion } from "./mistakes.js";

const MOST_FIELDS = 1000;
const MOST_LEVELS = 16;

/** Fields by path. One whose form is wrong has an empty schema. */
export type Fields = ReadonlyMap<string, Field>;

/** The place of a field in the file. */
function placeOf({ names }: Pick<Field, "names">): PropertyKey[] {
  return names.flatMap((name) => ["properties", name]);
}

/** Checks all fields. @returns them for the rules that refer to fields. */
export function checkFields(properties: ContractFile["properties"], refuse: Refuse): Fields {
  for (const member of membersOf(properties)) {
    if (member.names.length === MOST_LEVELS + 1) refuse(`is deeper than ${MOST_LEVELS} levels`, ...placeOf(member));
  }
  const all = fieldsOf(properties, Object.keys);
  if (all.length > MOST_FIELDS) refuse(`must have at most ${MOST_FIELDS} fields, got ${all.length}`, "properties");
  checkColumns(all, refuse);
  const fields = new Map(all.map((field) => [field.path, field]));
  checkNullRules(fields, refuse);
  return fields;
}

function checkColumns(fields: readonly Field[], refuse: Refuse): void {
  const owners = new Map<string, Field>();
  for (const field of fields) {
    const owner = owners.get(lowerCase(field.column));
    if (owner) {
      const place = "x-column" in field.schema ? [...placeOf(field), "x-column"] : placeOf(field);
      const other = `which ${pointer(placeOf(owner))} already has; give one of them another x-column`;
      refuse(`has the column ${display(field.column)}, ${other}`, ...place);
    } else owners.set(lowerCase(field.column), field);
  }
}

/** Finds a field by its path, or adds a mistake. */
export function findField(path: string, fields: Fields, refuse: Refuse, what = "the path of a field") {
  const found = fields.get(path);
  if (!found) refuse(`${mustBe(what, path)}; ${suggestion(path, [...fields.keys()])}`);
  return found;
}

/** Any form of x-null. */
interface AnyRule {
  const?: unknown;
  field?: string;
  join?: readonly string[];
  empty?: AnyRule;
  setting?: string;
}

const WAYS = ["const", "field", "join", "setting"] as const;

/** Checks that each x-null publishes a value that its field accepts. */
function checkNullRules(fields: Fields, refuse: Refuse): void {
  for (const field of fields.values()) {
    const rule = field.schema["x-null"];
    if (!rule) continue;
    const refuseHere = below(refuse, ...placeOf(field), "x-null");
    if (kindsOf(field.schema).nullable && !field.schema["x-json"]) {
      refuseHere("contradicts null in the field's type, which publishes NULL as null; remove one of them");
    }
    checkNullRule(rule, field.schema, fields, refuseHere);
    if (reaches(field.path, field.path, fields)) {
      refuseHere(`refers to ${field.path} again through other fields; break the cycle`);
    }
  }
}

function checkNullRule(rule: AnyRule, schema: FieldSchema, fields: Fields, refuse: Refuse): void {
  const ways = WAYS.filter((way) => way in rule);
  if (ways.length !== 1) {
    refuse(`must have exactly one of ${WAYS.join(", ")}, got ${ways.join(" and ") || "none"}`);
  }
  if (rule.const !== undefined && !acceptorOf(schema)(rule.const)) {
    refuse(mustBe("a value that the field accepts", rule.const), "const");
  }
  if (rule.field !== undefined) checkOtherField(rule.field, schema, fields, below(refuse, "field"));
  const { kinds } = kindsOf(schema);
  for (const way of ["join", "setting"] as const) {
    if (rule[way] !== undefined && kinds.length > 0 && !kinds.includes("string")) {
      refuse(`gives a string, and the field is ${kinds.join(" or ")}`, way);
    }
  }
  rule.join?.forEach((path, at) => {
    const refuseHere = below(refuse, "join", at);
    const joined = findField(path, fields, refuseHere, "a field");
    const given = joined ? kindsOf(joined.schema).kinds : [];
    if (!isWithin(given, ["string"])) {
      refuseHere(`must be a field of strings, got ${path}, which is ${given.join(" or ")}`);
    }
  });
  if (rule.empty && !("join" in rule)) refuse("is only for join", "empty");
  if (rule.empty) checkNullRule(rule.empty, schema, fields, below(refuse, "empty"));
}

/** Checks that the other field has a kind that this one accepts, and is never null. */
function checkOtherField(path: string, schema: FieldSchema, fields: Fields, refuse: Refuse): void {
  const other = findField(path, fields, refuse, "a field");
  if (!other) return;
  const own = kindsOf(schema).kinds;
  const given = kindsOf(other.schema);
  if (own.length > 0 && (!isWithin(given.kinds, own) || !given.kinds.every(isScalarKind))) {
    refuse(`must be a field of the kind ${own.join(" or ")}, got ${path}, which is ${given.kinds.join(" or ")}`);
  } else if (given.nullable) refuse(`must be a field that is never null, got ${path}`);
}

/** Whether the x-null of one field takes its value from another, also through further fields. */
function reaches(from: string, to: string, fields: Fields, seen = new Set<string>()): boolean {
  return sourcesOf(fields.get(from)?.schema["x-null"]).some(
    (path) => path === to || (!seen.has(path) && reaches(path, to, fields, seen.add(path))),
  );
}

function sourcesOf(rule: AnyRule | NullRule | undefined): readonly string[] {
  const { field, join = [], empty }: AnyRule = rule ?? {};
  return [...(field === undefined ? [] : [field]), ...join, ...(empty ? sourcesOf(empty) : [])];
}
