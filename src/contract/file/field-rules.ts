/** Checks the fields of a contract: names, columns, schemas, and x-null. */
import { isScalarKind, isWithin, kindsOf, mayBeNull, nonNullKindsOf, takesNull } from "../record/kind.js";
import { lowerCase } from "../sql.js";
import type { ContractFile, FieldSchema, ValueSchema } from "./form.js";
import { display, type Place, suggestion } from "./mistakes.js";
import { acceptorOf, checkObserved, checkValue } from "./value-rules.js";

const MOST_FIELDS = 1000;
const MOST_LEVELS = 16;

/** A field that is not an object. Its schema is undefined if its form is wrong. */
interface UncheckedField {
  path: string;
  column: string;
  schema: FieldSchema | undefined;
  here: Place;
}

/** Fields by path. */
export type UncheckedFields = ReadonlyMap<string, UncheckedField>;

/** Checks all fields, and adds mistakes to their places. @returns the fields that other rules refer to. */
export function checkFields(file: Partial<ContractFile>, top: Place): UncheckedFields {
  const leaves: UncheckedField[] = [];
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
    top.at("properties").refuse(`must have at most ${MOST_FIELDS} fields, got ${leaves.length}`);
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

/** Checks the keywords of an object, and visits each of its properties. */
function checkObject(schema: ValueSchema, here: Place, visit: Visit): void {
  const { properties, required } = schema;
  if (!properties) {
    if (!("properties" in schema)) here.refuse('needs properties, or only "x-json": true');
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
  // An unreadable name may be the missing one.
  if (missing.length > 0 && !required.includes(undefined)) {
    here.refuse(
      `must list every property, got none of ${display(missing)}; allow null for a value that may be missing`,
    );
  }
  required.forEach((name, at) => {
    if (name === undefined) return;
    if (!names.includes(name))
      here.at(at).refuse(`must be a property, got ${display(name)}; ${suggestion(name, names)}`);
    else if (required.indexOf(name) < at) here.at(at).refuse(`is listed twice: ${display(name)}`);
  });
}

/** Checks a property's name. Dots separate the names of a path, and `-` marks descending order. */
function checkName(name: string, here: Place): void {
  if (name === "") here.refuse("must not have an empty name");
  else if (/[\p{Cc}.]|^-/u.test(name)) {
    here.refuse(`must have a name without dots, control characters or a leading -, got ${display(name)}`);
  }
}

/** Checks an object of fields, which cannot have keywords about columns. */
function checkObjectField(field: FieldSchema, here: Place): void {
  if (field.properties && !("type" in field)) here.refuse('needs "type": "object" beside its properties');
  for (const keyword of ["x-column", "x-null", "x-null-marks", "x-observed", "x-facet", "x-image"] as const) {
    if (keyword in field) here.at(keyword).refuse("is not for objects; move it to a field of the object");
  }
  checkValue(field, here);
}

function checkLeaf(field: FieldSchema, here: Place): void {
  checkValue(field, here);
  checkItems(field.items, here.at("items"));
  if (field["x-facet"] && !kindsOf(field).every(isScalarKind)) {
    here.at("x-facet").refuse("is for strings, numbers, true and false");
  }
  if (field["x-null-marks"] && !takesNull(field)) {
    here.at("x-null-marks").refuse('is for fields that take NULL; add "null" to the type, or an x-null');
  }
  if (field["x-image"] && field.format !== "uri") here.at("x-image").refuse('is for strings with "format": "uri"');
  const { "x-column": column, "x-observed": observed } = field;
  if (column !== undefined && /\p{Cc}/u.test(column)) {
    here.at("x-column").mustBe("a name without control characters", column);
  }
  if (observed) checkObserved(observed, field, here.at("x-observed"));
}

/** Checks items, also within items that are objects. */
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

function checkColumns(leaves: readonly UncheckedField[]): void {
  const owners = new Map<string, UncheckedField>();
  for (const leaf of leaves) {
    const owner = owners.get(lowerCase(leaf.column));
    if (owner) {
      const place = leaf.schema && "x-column" in leaf.schema ? leaf.here.at("x-column") : leaf.here;
      place.refuse(
        `has the column ${display(leaf.column)}, which ${owner.here.pointer} already has; give one of them another x-column`,
      );
    } else owners.set(lowerCase(leaf.column), leaf);
  }
}

/** Finds a field by its path, or adds a mistake. */
export function findField(path: string, here: Place, fields: UncheckedFields, what = "the path of a field") {
  const found = fields.get(path);
  if (!found) here.refuse(`must be ${what}, got ${display(path)}; ${suggestion(path, [...fields.keys()])}`);
  return found;
}

/** A value of x-null whose form may be wrong. */
interface UncheckedRule {
  const?: unknown;
  field?: string;
  join?: readonly (string | undefined)[];
  empty?: UncheckedRule;
  setting?: string;
}

const WAYS = ["const", "field", "join", "setting"] as const;

/** Checks that each x-null publishes a value that its field accepts. */
function checkNullRules(fields: UncheckedFields): void {
  for (const { schema, here } of fields.values()) {
    const rule = schema?.["x-null"];
    if (!schema || !rule) continue;
    const place = here.at("x-null");
    if (kindsOf(schema).includes("null")) {
      place.refuse("contradicts null in the field's type, which publishes NULL as null; remove one of them");
    }
    checkNullRule(rule as UncheckedRule, place, schema, fields);
  }
  checkCycles(fields);
}

function checkNullRule(rule: UncheckedRule, here: Place, schema: FieldSchema, fields: UncheckedFields): void {
  const ways = WAYS.filter((way) => way in rule);
  if (ways.length !== 1) {
    here.refuse(`must have exactly one of ${WAYS.join(", ")}, got ${ways.join(" and ") || "none"}`);
  }
  if (rule.const !== undefined && !acceptorOf(schema)(rule.const)) {
    here.at("const").refuse(`must be a value that the field accepts, got ${display(rule.const)}`);
  }
  if (rule.field !== undefined) checkOtherField(rule.field, here.at("field"), schema, fields);
  const kinds = nonNullKindsOf(schema);
  for (const way of ["join", "setting"] as const) {
    if (rule[way] !== undefined && kinds.length > 0 && !kinds.includes("string")) {
      here.at(way).refuse(`gives a string, and the field is ${kinds.join(" or ")}`);
    }
  }
  rule.join?.forEach((path, at) => {
    const place = here.at("join", at);
    const joined = path === undefined ? undefined : findField(path, place, fields, "a field");
    const given = joined?.schema ? nonNullKindsOf(joined.schema) : [];
    if (!isWithin(given, ["string"])) {
      place.refuse(`must be a field of strings, got ${path}, which is ${given.join(" or ")}`);
    }
  });
  if (rule.empty && !("join" in rule)) here.at("empty").refuse("is only for join");
  if (rule.empty) checkNullRule(rule.empty, here.at("empty"), schema, fields);
}

/** Checks that the other field has a kind that this one accepts, and is never null. */
function checkOtherField(path: string, here: Place, schema: FieldSchema, fields: UncheckedFields): void {
  const other = findField(path, here, fields, "a field")?.schema;
  if (!other) return;
  const [own, given] = [nonNullKindsOf(schema), nonNullKindsOf(other)];
  if (own.length > 0 && (!isWithin(given, own) || !given.every(isScalarKind))) {
    here.refuse(`must be a field of the kind ${own.join(" or ")}, got ${path}, which is ${given.join(" or ")}`);
  } else if (mayBeNull(other)) here.refuse(`must be a field that is never null, got ${path}`);
}

/** Refuses x-null rules that refer to each other in a cycle. */
function checkCycles(fields: UncheckedFields): void {
  const next = new Map([...fields].map(([path, { schema }]) => [path, fieldsIn(schema?.["x-null"] as UncheckedRule)]));
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((path) => path === to || (!seen.has(path) && reaches(path, to, seen.add(path))));
  for (const [path, { here }] of fields) {
    if (reaches(path, path, new Set()))
      here.at("x-null").refuse(`refers to ${path} again through other fields; break the cycle`);
  }
}

function fieldsIn({ field, join = [], empty }: UncheckedRule = {}): readonly string[] {
  return [field, ...join, ...(empty ? fieldsIn(empty) : [])].filter((path) => path !== undefined);
}
