/** Rules of one schema: keywords fit the kind and do not contradict each other, and x-observed is narrower. */
import { KEYWORDS_OF, type Keyword } from "../record/keywords.js";
import { choicesOf, isScalarKind, isWithin, type Kinds, kindsOf, type ValueKind } from "../record/kind.js";
import { acceptorOf } from "../record/schema.js";
import type { FieldSchema, ValueSchema } from "./form.js";
import { below, display, mustBe, type Refuse, suggestion } from "./mistakes.js";

/** The name of each kind in messages. */
const KIND_NAMES: Readonly<Record<ValueKind, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
  json: "any JSON value",
};

/** The keywords that apply only to some kinds. */
const FITS: readonly (readonly [kinds: readonly ValueKind[], keywords: readonly (keyof ValueSchema)[]])[] = [
  [["string"], KEYWORDS_OF.string],
  [["integer", "number"], KEYWORDS_OF.number],
  [["array"], [...KEYWORDS_OF.array, "items"]],
  [["object"], ["properties", "required", "additionalProperties"]],
];
const CHECKS = [...FITS.flatMap(([, keywords]) => keywords), "type", "enum", "const", "anyOf"] as const;

/** Pairs of bounds, and whether they may be equal. */
const BOUNDS: readonly (readonly [least: Keyword, most: Keyword, mayBeEqual: boolean])[] = [
  ["minLength", "maxLength", true],
  ["minItems", "maxItems", true],
  ["minimum", "maximum", true],
  ["minimum", "exclusiveMaximum", false],
  ["exclusiveMinimum", "maximum", false],
  ["exclusiveMinimum", "exclusiveMaximum", false],
];
const BOUND_KEYWORDS = [...KEYWORDS_OF.number, "minLength", "maxLength", "minItems", "maxItems"] as const;

/** Keywords of fields that are not objects. */
const FIELD_KEYWORDS = [
  "x-column",
  "x-null",
  "x-null-marks",
  "x-observed",
  "x-references",
  "x-facet",
  "x-image",
] as const;

/** Checks a field. What it refers to is checked with all fields. */
export function checkField(field: FieldSchema, refuse: Refuse): void {
  checkValue(field, refuse);
  if (isObjectSchema(field)) {
    const found = FIELD_KEYWORDS.filter((keyword) => keyword in field);
    for (const keyword of found) refuse("is not for objects; move it to a field of the object", keyword);
    return;
  }
  const { kinds, nullable } = kindsOf(field);
  if (field["x-facet"] && !kinds.every(isScalarKind)) refuse("is for strings, numbers, true and false", "x-facet");
  const refers = [field["x-references"], field["x-observed"]?.["x-references"]];
  if (refers.some((name) => name !== undefined) && !isKeyKind(kinds)) {
    const place = refers[0] === undefined ? ["x-observed", "x-references"] : ["x-references"];
    refuse("is for strings and integers, as keys are", ...place);
  }
  if (field["x-null-marks"] && !nullable && !("x-null" in field)) {
    refuse('is for fields that take NULL; add "null" to the type, or an x-null', "x-null-marks");
  }
  if (field["x-image"] && field.format !== "uri") refuse('is for strings with "format": "uri"', "x-image");
  const observed = field["x-observed"];
  if (observed) checkObserved(observed, field, below(refuse, "x-observed"));
}

/** Whether values are of the kind of a key. */
function isKeyKind(kinds: Kinds["kinds"]): boolean {
  return kinds.length === 1 && (kinds[0] === "string" || kinds[0] === "integer");
}

function isObjectSchema({ type, properties }: ValueSchema): boolean {
  return type === "object" || properties !== undefined;
}

/** Checks the schema of one value. Items and properties have their own rules. */
export function checkValue(schema: ValueSchema, refuse: Refuse): void {
  const { kinds, nullable } = kindsOf(schema);
  const isStated = (["type", "enum", "const", "anyOf", "x-json"] as const).some((keyword) => keyword in schema);
  if (!isStated && schema.properties) refuse('needs "type": "object" beside its properties');
  else if (!isStated) refuse('needs a type, an enum, a const, anyOf or "x-json": true');
  else if (kinds.length === 0 && nullable) refuse("must accept a value other than null");
  checkSoleKeyword(schema, kinds, refuse);
  checkKeywords(schema, kinds, refuse);
  if (isObjectSchema(schema)) checkObject(schema, refuse);
  if (kinds.includes("array") && !schema.anyOf && !("items" in schema)) {
    refuse("needs items, the schema of each item");
  }
  schema.anyOf?.forEach((option, at) => {
    checkOption(option, below(refuse, "anyOf", at));
  });
}

function checkObject(schema: ValueSchema, refuse: Refuse): void {
  if (!("properties" in schema)) refuse('needs properties, or only "x-json": true');
  if (!schema.properties) return;
  if (!("additionalProperties" in schema)) refuse('needs "additionalProperties": false');
  if (!("required" in schema)) refuse("needs required, a list of all its properties");
  checkProperties(schema, refuse);
}

/** Checks the names of an object's properties. Dots separate the names of a path, and `-` marks descending order. */
export function checkProperties({ properties = {}, required }: ValueSchema, refuse: Refuse): void {
  const names = Object.keys(properties);
  if (names.length === 0) refuse("must have a property", "properties");
  for (const name of names) {
    if (name === "") refuse("must not have an empty name", "properties", name);
    else if (/[\p{Cc}.]|^-/u.test(name)) {
      const what = `must have a name without dots, control characters or a leading -, got ${display(name)}`;
      refuse(what, "properties", name);
    }
  }
  if (!required) return;
  const listed = new Set(required);
  const missing = names.filter((name) => !listed.has(name));
  if (missing.length > 0) {
    const which = `got none of ${display(missing)}; allow null for a value that may be missing`;
    refuse(`must list every property, ${which}`, "required");
  }
  const isKnown = new Set(names);
  required.forEach((name, at) => {
    if (!isKnown.has(name)) refuse(`${mustBe("a property", name)}; ${suggestion(name, names)}`, "required", at);
    else if (!listed.delete(name)) refuse(`is listed twice: ${display(name)}`, "required", at);
  });
}

/** Checks that x-json and anyOf do not stand beside other keywords about the value. */
function checkSoleKeyword(schema: ValueSchema, kinds: Kinds["kinds"], refuse: Refuse): void {
  const sole = schema["x-json"] ? "x-json" : schema.anyOf ? "anyOf" : undefined;
  if (sole === undefined) return;
  for (const keyword of CHECKS) {
    if (keyword === sole || !(keyword in schema)) continue;
    refuse(`cannot be combined with ${sole}; remove one of them`, keyword);
  }
  if (sole === "anyOf" && kinds.includes("boolean") && kinds.length > 1) {
    refuse("cannot combine booleans with other kinds, since the source stores booleans as 0 and 1", "anyOf");
  }
}

function checkOption(option: ValueSchema, refuse: Refuse): void {
  const { kinds } = kindsOf(option);
  if (!["type", "enum", "const"].some((keyword) => keyword in option)) refuse("needs a type, an enum or a const");
  if (!kinds.every(isScalarKind)) {
    refuse(`must accept only strings, numbers, true and false, got ${kindNames(kinds)}`);
  }
  checkKeywords(option, kinds, refuse);
}

/** Checks keywords against kinds, which may come from another schema. */
function checkKeywords(schema: ValueSchema, kinds: Kinds["kinds"], refuse: Refuse): void {
  const isOfKinds = kinds.length > 0 && !schema.anyOf && !schema["x-json"];
  const misfits = FITS.filter(([fits]) => isOfKinds && !kinds.some((kind) => fits.includes(kind)));
  for (const [fits, keywords] of misfits) {
    const what = `is for ${fits.map((kind) => KIND_NAMES[kind]).join(" or ")}, but this is ${kindNames(kinds)}`;
    for (const keyword of keywords) if (schema[keyword] !== undefined) refuse(what, keyword);
  }
  checkBounds(schema, kinds, refuse);
  const wrong = new Set<string>(misfits.flatMap(([, keywords]) => keywords));
  checkChoices(Object.fromEntries(Object.entries(schema).filter(([keyword]) => !wrong.has(keyword))), refuse);
}

function checkBounds(schema: ValueSchema, kinds: Kinds["kinds"], refuse: Refuse): void {
  for (const [least, most, mayBeEqual] of BOUNDS) {
    const from = schema[least];
    const to = schema[most];
    if (typeof from !== "number" || typeof to !== "number") continue;
    if (from > to || (from === to && !mayBeEqual)) {
      refuse(`must be ${mayBeEqual ? "at most" : "below"} ${most}, which is ${to}, got ${from}`, least);
    }
  }
  if (!kinds.includes("integer")) return;
  for (const keyword of KEYWORDS_OF.number) {
    const bound = schema[keyword];
    if (bound === undefined || Number.isSafeInteger(bound)) continue;
    refuse(mustBe("an integer within +-(2^53 - 1)", bound), keyword);
  }
}

/** Checks that values of enum and const are of one kind, differ, and fit the other keywords. */
function checkChoices(schema: ValueSchema, refuse: Refuse): void {
  const { enum: values = [], const: constant, ...others } = schema;
  const choices = choicesOf(schema);
  if (typeof schema.type === "object" && choices && !choices.includes(null)) {
    const keyword = values.length > 0 ? "enum" : "const";
    refuse(`accepts null, but ${keyword} does not; add null to ${keyword} or remove it here`, "type");
  }
  const { kinds } = kindsOf({ enum: values });
  if (kinds.length > 1) refuse(`must hold values of one kind, got ${kindNames(kinds)}`, "enum");
  const fits = acceptorOf(others);
  const seen = new Set<unknown>();
  values.forEach((value, at) => {
    if (seen.has(value)) refuse(`is given twice: ${display(value)}`, "enum", at);
    else if (!fits(value)) refuse(`must fit the other keywords, got ${display(value)}`, "enum", at);
    seen.add(value);
  });
  if (constant === undefined) return;
  const isListed = seen.size === 0 || seen.has(constant);
  if (!isListed || !fits(constant)) refuse(`must fit the other keywords, got ${display(constant)}`, "const");
}

function kindNames(kinds: readonly ValueKind[]): string {
  return kinds.map((kind) => KIND_NAMES[kind]).join(" and ") || "nothing";
}

/** The types of JSON Schema that a schema accepts, as a file names them. */
function typesOf({ kinds, nullable }: Kinds): readonly ValueKind[] {
  return nullable ? [...kinds, "null"] : kinds;
}

/**
 * Checks x-observed, which must be narrower than the field's own schema.
 * @param field the schema of the field, or of its items.
 */
function checkObserved(observed: ValueSchema, field: ValueSchema, refuse: Refuse): void {
  if (field["x-json"]) {
    refuse("is not for x-json fields; remove it");
    return;
  }
  const types = typesOf(kindsOf(field));
  const own = typesOf(kindsOf(observed));
  if (types.length > 0 && !isWithin(own, types)) {
    refuse(`must have the field's kind, ${types.join(" or ")}, got ${own.join(" and ")}`);
    return;
  }
  checkKeywords(observed, kindsOf(own.length > 0 ? observed : field).kinds, refuse);
  observed.anyOf?.forEach((option, at) => {
    checkKeywords(option, kindsOf(option).kinds, below(refuse, "anyOf", at));
  });
  const accepts = acceptorOf(field);
  const checkChoice = (value: unknown, ...place: PropertyKey[]) => {
    if (!accepts(value)) refuse(mustBe("a value that the field accepts", value), ...place);
  };
  if (observed.const !== undefined) checkChoice(observed.const, "const");
  observed.enum?.forEach((value, at) => {
    checkChoice(value, "enum", at);
  });
  checkNarrower(observed, field, refuse);
  if (observed.items && field.items) checkObserved(observed.items, field.items, below(refuse, "items"));
}

function checkNarrower(observed: ValueSchema, field: ValueSchema, refuse: Refuse): void {
  for (const keyword of BOUND_KEYWORDS) {
    const own = observed[keyword];
    const outer = field[keyword];
    if (own === undefined || outer === undefined) continue;
    const isWider = /^min|Minimum$/.test(keyword) ? own < outer : own > outer;
    if (isWider) refuse(`must be narrower than the field's ${keyword}, which is ${outer}, got ${own}`, keyword);
  }
}
