/** The rules of fields: their names, their columns, and what they may be. */
import { lowerCase } from "../sql.js";
import type { ContractFile, FieldSchema, ValueSchema } from "./form.js";
import { isScalarKind, kindsOf } from "./kinds.js";
import { type Complain, meant, mustBe, type Pointer, pointer, shown } from "./mistakes.js";
import { checkObserved } from "./observed.js";
import { checkValue } from "./values.js";

const MOST_FIELDS = 1000;
const MOST_LEVELS = 16;

/** A field that is no object; its schema is absent where its form is wrong. */
export interface RoughField {
  path: string;
  column: string;
  schema: FieldSchema | undefined;
  place: Pointer;
}

/** Fields by path. */
export type RoughFields = ReadonlyMap<string, RoughField>;

export function checkFields(file: Partial<ContractFile>, complain: Complain): RoughFields {
  const leaves: RoughField[] = [];
  const walk = (schema: ValueSchema, names: readonly string[], place: Pointer): void => {
    const visit = (name: string, field: FieldSchema | undefined, at: Pointer) => {
      const path = [...names, name];
      const isObject = field?.type === "object" || field?.properties !== undefined;
      if (field && path.length <= MOST_LEVELS) (isObject ? checkObjectField : checkLeaf)(field, at, complain);
      if (field && path.length > MOST_LEVELS) complain(at, `is deeper than ${MOST_LEVELS} levels`);
      else if (field && isObject) walk(field, path, at);
      else leaves.push(leafOf(path, field, at));
    };
    checkObject(schema, place, complain, visit);
  };
  walk(file as ValueSchema, [], []);
  if (leaves.length > MOST_FIELDS)
    complain(["properties"], `has ${leaves.length} fields; at most ${MOST_FIELDS} are read`);
  checkColumns(leaves, complain);
  return new Map(leaves.map((leaf) => [leaf.path, leaf]));
}

function leafOf(names: readonly string[], schema: FieldSchema | undefined, place: Pointer): RoughField {
  return { path: names.join("."), column: schema?.["x-column"] ?? names.join("_"), schema, place };
}

type Visit = (name: string, field: FieldSchema | undefined, place: Pointer) => void;

/** Checks what belongs to an object, and visits each of its properties. */
function checkObject(schema: ValueSchema, place: Pointer, complain: Complain, visit: Visit): void {
  const { properties, required } = schema;
  if (!properties) {
    if (!("properties" in schema)) complain(place, 'needs properties, or instead of all else "x-json": true');
    return;
  }
  if (place.length > 0 && !("additionalProperties" in schema)) complain(place, 'needs "additionalProperties": false');
  const names = Object.keys(properties);
  if (names.length === 0) complain([...place, "properties"], "must have a property");
  if (required) checkRequired(required, names, [...place, "required"], complain);
  else if (!("required" in schema)) complain(place, "needs required, a list of all its properties");
  for (const name of names) {
    const at = [...place, "properties", name];
    checkName(name, at, complain);
    visit(name, properties[name], at);
  }
}

function checkRequired(required: readonly (string | undefined)[], names: string[], place: Pointer, complain: Complain) {
  const missing = names.filter((name) => !required.includes(name));
  // A name that could not be read may be the one that is missing.
  if (missing.length > 0 && !required.includes(undefined)) {
    complain(place, `must list every property, since what can be missing is null instead; it lacks ${shown(missing)}`);
  }
  required.forEach((name, at) => {
    if (name === undefined) return;
    if (!names.includes(name))
      complain([...place, at], `must be a property, got ${shown(name)}; ${meant(name, names)}`);
    else if (required.indexOf(name) < at) complain([...place, at], `is listed twice: ${shown(name)}`);
  });
}

/** Paths are names with dots between them, and an order has - before what descends. */
function checkName(name: string, place: Pointer, complain: Complain): void {
  if (name === "") complain(place, "must have a name that is not empty");
  else if (/[\p{Cc}.]|^-/u.test(name)) {
    complain(place, `must have a name without dots, control characters and a - at its beginning, got ${shown(name)}`);
  }
}

/** An object's fields have columns, rules and facets; it has none. */
function checkObjectField(field: FieldSchema, place: Pointer, complain: Complain): void {
  if (field.properties && !("type" in field)) complain(place, 'needs "type": "object" beside its properties');
  for (const keyword of ["x-column", "x-null", "x-observed", "x-facet"] as const) {
    if (keyword in field) complain([...place, keyword], "is for fields that are no objects; move it to one inside");
  }
  checkValue(field, place, complain);
}

function checkLeaf(field: FieldSchema, place: Pointer, complain: Complain): void {
  checkValue(field, place, complain);
  checkItems(field.items, [...place, "items"], complain);
  const kinds = kindsOf(field);
  if (field["x-facet"] && !kinds.every(isScalarKind))
    complain([...place, "x-facet"], "is for strings, numbers, true and false");
  const column = field["x-column"];
  if (column !== undefined && /\p{Cc}/u.test(column)) {
    complain([...place, "x-column"], mustBe("a name without control characters", column));
  }
  const observed = field["x-observed"];
  if (observed) checkObserved(observed, field, [...place, "x-observed"], complain);
}

/** Items that are objects have properties, with items of their own. */
function checkItems(items: ValueSchema | undefined, place: Pointer, complain: Complain): void {
  if (!items) return;
  if (items.type === "object" || items.properties) {
    checkObject(items, place, complain, (_, property, at) => {
      if (!property) return;
      checkValue(property, at, complain);
      if (property.type === "object" || property.properties) checkItems(property, at, complain);
      else checkItems(property.items, [...at, "items"], complain);
    });
  } else checkItems(items.items, [...place, "items"], complain);
}

function checkColumns(leaves: readonly RoughField[], complain: Complain): void {
  const owners = new Map<string, RoughField>();
  for (const leaf of leaves) {
    const column = lowerCase(leaf.column);
    const owner = owners.get(column);
    if (owner) {
      const place = leaf.schema && "x-column" in leaf.schema ? [...leaf.place, "x-column"] : leaf.place;
      complain(
        place,
        `has the column ${shown(leaf.column)}, which ${pointer(owner.place)} has already; give one of them another x-column`,
      );
    } else owners.set(column, leaf);
  }
}
