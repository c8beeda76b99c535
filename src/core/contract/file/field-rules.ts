/** Rules about several fields: their number and columns, the values that x-null takes from others, and x-listing. */
import { type Field, fieldsOf, membersOf } from "../contract.js";
import { whyNotPath } from "../listing-names.js";
import { isScalarKind, isWithin, kindsOf } from "../record/kind.js";
import { acceptorOf } from "../record/schema.js";
import { lowerCase } from "../sql.js";
import type { ContractFile, FieldSchema, Listing } from "./form.js";
import { below, display, mustBe, pointer, type Refuse, suggestion } from "./mistakes.js";
import { checkTwice } from "./rules.js";

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
  const fields = new Map(all.map((field) => [field.path, field]));
  const owners = new Map<string, Field>();
  for (const field of all) {
    const owner = owners.get(lowerCase(field.column));
    if (owner) {
      const other = `which ${pointer(placeOf(owner))} already has; give one of them another x-column`;
      const place = "x-column" in field.schema ? ["x-column"] : [];
      refuse(`has the column ${display(field.column)}, ${other}`, ...placeOf(field), ...place);
    } else owners.set(lowerCase(field.column), field);
    checkNull(field, fields, below(refuse, ...placeOf(field), "x-null"));
  }
  return fields;
}

/** Finds a field by its path, or adds a mistake. */
function findField(path: string, fields: Fields, refuse: Refuse) {
  const found = fields.get(path);
  if (!found) refuse(`${mustBe("the path of a field", path)}; ${suggestion(path, [...fields.keys()])}`);
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

/** Checks that x-null publishes a value that its field accepts. */
function checkNull({ schema, path }: Field, fields: Fields, refuse: Refuse): void {
  const rule = schema["x-null"];
  if (!rule) return;
  if (kindsOf(schema).nullable && !schema["x-json"]) {
    refuse("contradicts null in the field's type, which publishes NULL as null; remove one of them");
  }
  checkNullRule(rule, schema, fields, refuse);
  if (sourcesOf(rule, fields).has(path)) refuse(`refers to ${path} again through other fields; break the cycle`);
}

function checkNullRule(rule: AnyRule, schema: FieldSchema, fields: Fields, refuse: Refuse): void {
  const ways = WAYS.filter((way) => way in rule);
  if (ways.length !== 1) refuse(`must have exactly one of ${WAYS.join(", ")}, got ${ways.join(" and ") || "none"}`);
  if (rule.const !== undefined && !acceptorOf(schema)(rule.const)) {
    refuse(mustBe("a value that the field accepts", rule.const), "const");
  }
  const { kinds } = kindsOf(schema);
  const own = kinds.length > 0 ? kinds : undefined;
  if (rule.field !== undefined) checkSource(rule.field, own, fields, below(refuse, "field"), false);
  for (const way of ["join", "setting"] as const) {
    if (rule[way] !== undefined && own?.includes("string") === false) {
      refuse(`gives a string, and the field is ${kinds.join(" or ")}`, way);
    }
  }
  rule.join?.forEach((path, at) => {
    checkSource(path, ["string"], fields, below(refuse, "join", at), true);
  });
  if (!rule.empty) return;
  if (!("join" in rule)) refuse("is only for join", "empty");
  checkNullRule(rule.empty, schema, fields, below(refuse, "empty"));
}

type Kinds = ReturnType<typeof kindsOf>["kinds"];

/** Checks that another field has one of some kinds. */
function checkSource(path: string, allowed: Kinds | undefined, fields: Fields, refuse: Refuse, mayBeNull: boolean) {
  const other = findField(path, fields, refuse);
  if (!other) return;
  const { kinds, nullable } = kindsOf(other.schema);
  if (allowed && !(isWithin(kinds, allowed) && kinds.every(isScalarKind))) {
    refuse(`must be a field of the kind ${allowed.join(" or ")}, got ${path}, which is ${kinds.join(" or ")}`);
  } else if (nullable && !mayBeNull) refuse(mustBe("a field that is never null", path));
}

/** The fields from which an x-null takes its value, also through further fields. */
function sourcesOf(rule: AnyRule | undefined, fields: Fields, found = new Set<string>()): ReadonlySet<string> {
  for (const path of [rule?.field, ...(rule?.join ?? [])]) {
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    sourcesOf(fields.get(path)?.schema["x-null"], fields, found);
  }
  return rule?.empty ? sourcesOf(rule.empty, fields, found) : found;
}

/** Checks the path of a listing. */
export function checkPath({ path }: Partial<Listing>, refuse: Refuse): void {
  const why = path === undefined ? undefined : whyNotPath(path);
  if (why !== undefined) refuse(mustBe(why, path));
}

/** Checks the fields that a listing names. */
export function checkListing(listing: Partial<Listing>, fields: Fields, refuse: Refuse): void {
  const { key, order = [], label, columns = [] } = listing;
  if (key !== undefined) checkSortable(key, fields, below(refuse, "key"));
  const paths = order.map((entry) => entry.replace(/^-/, ""));
  checkTwice(paths, below(refuse, "order"));
  paths.forEach((one, at) => {
    // The key was checked above.
    if (one !== key) checkSortable(one, fields, below(refuse, "order", at));
  });
  const last = paths.at(-1);
  if (key !== undefined && last !== undefined && last !== key) {
    refuse(`must end with the key, ${key}, so that the order is total, got ${last}`, "order");
  }
  checkTwice(columns, below(refuse, "columns"));
  columns.forEach((column, at) => {
    findField(column, fields, below(refuse, "columns", at));
  });
  if (label === undefined) return;
  const schema = findField(label, fields, below(refuse, "label"))?.schema;
  if (schema && !kindsOf(schema).kinds.every(isScalarKind)) {
    refuse(mustBe("a field of strings, numbers, or true and false", label), "label");
  }
}

function checkSortable(path: string, fields: Fields, refuse: Refuse): void {
  const schema = findField(path, fields, refuse)?.schema;
  if (!schema) return;
  const { kinds, nullable } = kindsOf(schema);
  if (nullable) refuse(mustBe("a field that is never null", path));
  else if (kinds.length > 1 || !isWithin(kinds, ["string", "integer"])) {
    refuse(`must be a field of strings or of integers, got ${path}, which is ${kinds.join(" or ")}`);
  }
}
