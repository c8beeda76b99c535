/** The rules of fields: their names, their columns, what they may be, and what x-null publishes. */
import { isScalarKind, isWithin, kindsOf, mayBeNull, solidKindsOf } from "../record/kind.js";
import { lowerCase } from "../sql.js";
import type { ContractFile, FieldSchema, ValueSchema } from "./form.js";
import { meant, type Place, shown } from "./mistakes.js";
import { accepting, checkObserved, checkValue } from "./value-rules.js";

const MOST_FIELDS = 1000;
const MOST_LEVELS = 16;

/** A field that is not an object. Its schema is absent where its form is wrong. */
interface RoughField {
  path: string;
  column: string;
  schema: FieldSchema | undefined;
  here: Place;
}

/** Fields by path. */
export type RoughFields = ReadonlyMap<string, RoughField>;

export function checkFields(file: Partial<ContractFile>, top: Place): RoughFields {
  const leaves: RoughField[] = [];
  const walk = (schema: ValueSchema, above: readonly string[], place: Place): void => {
    checkObject(schema, place, (name, field, here) => {
      const names = [...above, name];
      if (field && names.length > MOST_LEVELS) here.refuse(`is deeper than ${MOST_LEVELS} levels`);
      else if (field && isObject(field)) {
        checkObjectField(field, here);
        walk(field, names, here);
      } else {
        if (field) checkLeaf(field, here);
        leaves.push({ path: names.join("."), column: field?.["x-column"] ?? names.join("_"), schema: field, here });
      }
    });
  };
  walk(file as ValueSchema, [], top);
  if (leaves.length > MOST_FIELDS) {
    top.at("properties").refuse(`has ${leaves.length} fields; at most ${MOST_FIELDS} are read`);
  }
  checkColumns(leaves);
  const fields = new Map(leaves.map((leaf) => [leaf.path, leaf]));
  checkNullRules(fields);
  return fields;
}

function isObject({ type, properties }: ValueSchema): boolean {
  return type === "object" || properties !== undefined;
}

type Visit = (name: string, field: FieldSchema | undefined, here: Place) => void;

/** Checks what belongs to an object, and visits each of its properties. */
function checkObject(schema: ValueSchema, here: Place, visit: Visit): void {
  const { properties, required } = schema;
  if (!properties) {
    if (!("properties" in schema)) here.refuse('needs properties, or instead of all else "x-json": true');
    return;
  }
  if (here.names.length > 0 && !("additionalProperties" in schema)) here.refuse('needs "additionalProperties": false');
  const names = Object.keys(properties);
  if (names.length === 0) here.at("properties").refuse("must have a property");
  if (required) checkRequired(required, names, here.at("required"));
  else if (!("required" in schema)) here.refuse("needs required, a list of all its properties");
  for (const name of names) {
    const place = here.at("properties", name);
    checkName(name, place);
    visit(name, properties[name], place);
  }
}

function checkRequired(required: readonly (string | undefined)[], names: readonly string[], here: Place): void {
  const missing = names.filter((name) => !required.includes(name));
  // A name that could not be read may be the one that is missing.
  if (missing.length > 0 && !required.includes(undefined)) {
    here.refuse(`must list every property, since what can be missing is null instead; it lacks ${shown(missing)}`);
  }
  required.forEach((name, at) => {
    if (name === undefined) return;
    if (!names.includes(name)) here.at(at).refuse(`must be a property, got ${shown(name)}; ${meant(name, names)}`);
    else if (required.indexOf(name) < at) here.at(at).refuse(`is listed twice: ${shown(name)}`);
  });
}

/** Paths are names with dots between them, and an order has - before what descends. */
function checkName(name: string, here: Place): void {
  if (name === "") here.refuse("must have a name that is not empty");
  else if (/[\p{Cc}.]|^-/u.test(name)) {
    here.refuse(`must have a name without dots, control characters and a - at its beginning, got ${shown(name)}`);
  }
}

/** An object's fields have columns, rules and facets; it has none. */
function checkObjectField(field: FieldSchema, here: Place): void {
  if (field.properties && !("type" in field)) here.refuse('needs "type": "object" beside its properties');
  for (const keyword of ["x-column", "x-null", "x-observed", "x-facet", "x-image"] as const) {
    if (keyword in field) here.at(keyword).refuse("is for fields that are no objects; move it to one inside");
  }
  checkValue(field, here);
}

function checkLeaf(field: FieldSchema, here: Place): void {
  checkValue(field, here);
  checkItems(field.items, here.at("items"));
  if (field["x-facet"] && !kindsOf(field).every(isScalarKind)) {
    here.at("x-facet").refuse("is for strings, numbers, true and false");
  }
  if (field["x-image"] && field.format !== "uri") here.at("x-image").refuse('is for strings with "format": "uri"');
  const { "x-column": column, "x-observed": observed } = field;
  if (column !== undefined && /\p{Cc}/u.test(column)) {
    here.at("x-column").mustBe("a name without control characters", column);
  }
  if (observed) checkObserved(observed, field, here.at("x-observed"));
}

/** Items that are objects have properties, with items of their own. */
function checkItems(items: ValueSchema | undefined, here: Place): void {
  if (!items) return;
  if (!isObject(items)) {
    checkItems(items.items, here.at("items"));
    return;
  }
  checkObject(items, here, (_, property, place) => {
    if (!property) return;
    checkValue(property, place);
    if (isObject(property)) checkItems(property, place);
    else checkItems(property.items, place.at("items"));
  });
}

function checkColumns(leaves: readonly RoughField[]): void {
  const owners = new Map<string, RoughField>();
  for (const leaf of leaves) {
    const owner = owners.get(lowerCase(leaf.column));
    if (owner) {
      const place = leaf.schema && "x-column" in leaf.schema ? leaf.here.at("x-column") : leaf.here;
      place.refuse(
        `has the column ${shown(leaf.column)}, which ${owner.here.pointer} has already; give one of them another x-column`,
      );
    } else owners.set(lowerCase(leaf.column), leaf);
  }
}

/** Finds the field that a contract names. */
export function findField(path: string, here: Place, fields: RoughFields, what = "the path of a field") {
  const found = fields.get(path);
  if (!found) here.refuse(`must be ${what}, got ${shown(path)}; ${meant(path, [...fields.keys()])}`);
  return found;
}

/** A rule as it is written, before it is known to be one. */
interface RoughRule {
  const?: unknown;
  field?: string;
  join?: readonly (string | undefined)[];
  empty?: RoughRule;
  setting?: string;
}

const WAYS = ["const", "field", "join", "setting"] as const;

/** What a NULL publishes must be something that the field itself takes. */
function checkNullRules(fields: RoughFields): void {
  for (const { schema, here } of fields.values()) {
    const rule = schema?.["x-null"];
    if (!schema || !rule) continue;
    const place = here.at("x-null");
    if (kindsOf(schema).includes("null")) {
      place.refuse("contradicts null in the field's type, which publishes a NULL as null; leave one out");
    }
    checkNullRule(rule as RoughRule, place, schema, fields);
  }
  checkCircles(fields);
}

function checkNullRule(rule: RoughRule, here: Place, schema: FieldSchema, fields: RoughFields): void {
  const ways = WAYS.filter((way) => way in rule);
  if (ways.length !== 1) {
    here.refuse(`must have one of ${WAYS.join(", ")}, got ${ways.join(" and ") || "none of them"}`);
  }
  if (rule.const !== undefined && !accepting(schema)(rule.const)) {
    here.at("const").refuse(`must be a value that the field itself takes, got ${shown(rule.const)}`);
  }
  if (rule.field !== undefined) checkOtherField(rule.field, here.at("field"), schema, fields);
  const kinds = solidKindsOf(schema);
  for (const way of ["join", "setting"] as const) {
    if (rule[way] !== undefined && kinds.length > 0 && !kinds.includes("string")) {
      here.at(way).refuse(`gives a string, and the field is ${kinds.join(" or ")}`);
    }
  }
  rule.join?.forEach((path, at) => {
    const place = here.at("join", at);
    const joined = path === undefined ? undefined : findField(path, place, fields, "a field");
    const given = joined?.schema ? solidKindsOf(joined.schema) : [];
    if (!isWithin(given, ["string"])) {
      place.refuse(`must be a field of strings, got ${path}, which is ${given.join(" or ")}`);
    }
  });
  if (rule.empty && !("join" in rule)) here.at("empty").refuse("is for join alone");
  if (rule.empty) checkNullRule(rule.empty, here.at("empty"), schema, fields);
}

/** The other field must be of a kind that this one takes, and never null. */
function checkOtherField(path: string, here: Place, schema: FieldSchema, fields: RoughFields): void {
  const other = findField(path, here, fields, "a field")?.schema;
  if (!other) return;
  const [own, given] = [solidKindsOf(schema), solidKindsOf(other)];
  if (own.length > 0 && (!isWithin(given, own) || !given.every(isScalarKind))) {
    here.refuse(`must be a field of the kind ${own.join(" or ")}, got ${path}, which is ${given.join(" or ")}`);
  } else if (mayBeNull(other)) here.refuse(`must be a field that is never null, got ${path}`);
}

/** A field whose NULL is another's value, which is its own in the end, would have none. */
function checkCircles(fields: RoughFields): void {
  const next = new Map([...fields].map(([path, { schema }]) => [path, fieldsIn(schema?.["x-null"] as RoughRule)]));
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((path) => path === to || (!seen.has(path) && reaches(path, to, seen.add(path))));
  for (const [path, { here }] of fields) {
    if (reaches(path, path, new Set())) here.at("x-null").refuse(`goes round in a circle back to ${path}`);
  }
}

function fieldsIn({ field, join = [], empty }: RoughRule = {}): readonly string[] {
  return [field, ...join, ...(empty ? fieldsIn(empty) : [])].filter((path) => path !== undefined);
}
