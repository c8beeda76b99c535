/** Rules of one schema: its keywords fit its kind and do not contradict each other, and x-observed is narrower. */
import { KEYWORDS, kindsFor } from "../record/keywords.js";
import { choicesOf, isScalarKind, isWithin, kindsOf, type ValueKind } from "../record/kind.js";
import { acceptorOf } from "../record/schema.js";
import type { FieldSchema, ValueSchema } from "./form.js";
import { below, display, mustBe, type Refuse, suggestion } from "./mistakes.js";

const kindNames = (kinds: readonly ValueKind[], joint = " and ") => kinds.join(joint) || "nothing";

/** The kinds of values that a keyword is for; keywords that are not here are for all. */
const FITS: ReadonlyMap<string, readonly ValueKind[]> = new Map<string, readonly ValueKind[]>([
  ...KEYWORDS.map((keyword) => [keyword, kindsFor(keyword)] as const),
  ["items", ["array"]],
  ["properties", ["object"]],
  ["required", ["object"]],
  ["additionalProperties", ["object"]],
  ["x-facet", ["string", "integer", "number", "boolean"]],
  ["x-references", ["string", "integer"]],
]);

/** Keywords of which a schema in anyOf needs one, and of which any other schema does. */
const STATING_OPTION = ["type", "enum", "const"];
const STATING = [...STATING_OPTION, "anyOf", "x-json"];

/** Checks a field, the items of a list, or a schema in anyOf. What it refers to is checked with all fields. */
function checkValue(schema: FieldSchema, refuse: Refuse, isOption = false): void {
  const { kinds, nullable } = kindsOf(schema);
  const { properties, anyOf, items, "x-observed": observed } = schema;
  if (isOption && !STATING_OPTION.some((keyword) => keyword in schema)) refuse("needs a type, an enum or a const");
  else if (!STATING.some((keyword) => keyword in schema)) {
    const ways = 'a type, an enum, a const, anyOf or "x-json": true';
    refuse(`needs ${properties ? '"type": "object" beside its properties' : ways}`);
  } else if (kinds.length === 0 && nullable && !isOption) refuse("must accept a value other than null");
  checkKeywords(schema, kinds, refuse);
  if (isObject(schema)) checkObject(schema, refuse);
  if (isOption && !kinds.every(isScalarKind)) {
    refuse(`must accept only strings, numbers, true and false, got ${kindNames(kinds)}`);
  }
  if (anyOf && kinds.length > 1 && kinds.includes("boolean")) {
    refuse("cannot combine booleans with other kinds, since the source stores booleans as 0 and 1", "anyOf");
  }
  anyOf?.forEach((option, at) => {
    checkValue(option, below(refuse, "anyOf", at), true);
  });
  if (kinds.includes("array") && !anyOf && !isOption && !("items" in schema))
    refuse("needs items, the schema of each item");
  if (items) checkValue(items, below(refuse, "items"));
  if (isObject(schema)) return;
  if (schema["x-null-marks"] && !nullable && !("x-null" in schema)) {
    refuse('is for fields that take NULL; add "null" to the type, or an x-null', "x-null-marks");
  }
  if (schema["x-image"] && schema.format !== "uri") refuse('is for strings with "format": "uri"', "x-image");
  if (!observed) return;
  checkObserved(observed, schema, below(refuse, "x-observed"));
  if (observed.items) checkValue(observed.items, below(refuse, "x-observed", "items"));
}

function isObject({ type, properties }: ValueSchema): boolean {
  return type === "object" || properties !== undefined;
}

/** Checks the names of an object's properties. Dots separate the names of a path, and `-` marks descending order. */
export function checkObject(schema: ValueSchema, refuse: Refuse): void {
  const { properties, required } = schema;
  if (!("properties" in schema)) refuse('needs properties, or only "x-json": true');
  if (!properties) return;
  if (!("additionalProperties" in schema)) refuse('needs "additionalProperties": false');
  if (!("required" in schema)) refuse("needs required, a list of all its properties");
  const names = Object.keys(properties);
  if (names.length === 0) refuse("must have a property", "properties");
  for (const name of names) {
    const refuseHere = below(refuse, "properties", name);
    if (name === "") refuseHere("must not have an empty name");
    else if (/[\p{Cc}.]|^-/u.test(name)) {
      refuseHere(`must have a name without dots, control characters or a leading -, got ${display(name)}`);
    }
    if (properties[name]) checkValue(properties[name], refuseHere);
  }
  if (!required) return;
  const listed = new Set(required);
  const missing = names.filter((name) => !listed.has(name));
  if (missing.length > 0) {
    const which = `got none of ${display(missing)}; allow null for a value that may be missing`;
    refuse(`must list every property, ${which}`, "required");
  }
  const known = new Set(names);
  required.forEach((name, at) => {
    if (!known.has(name)) refuse(`${mustBe("a property", name)}; ${suggestion(name, names)}`, "required", at);
  });
  checkTwice(required, below(refuse, "required"));
}

/** Refuses values that stand twice in a list. */
export function checkTwice(list: readonly unknown[], refuse: Refuse): void {
  const seen = new Set<unknown>();
  list.forEach((value, at) => {
    if (seen.has(value)) refuse(`is listed twice: ${display(value)}`, at);
    seen.add(value);
  });
}

/** Checks keywords against kinds, which may come from another schema. */
function checkKeywords(schema: ValueSchema, kinds: readonly ValueKind[], refuse: Refuse): void {
  const sole = (["x-json", "anyOf"] as const).find((keyword) => schema[keyword]);
  const fitting: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const isOfField = keyword.startsWith("x-");
    const fits = FITS.get(keyword);
    if (isOfField && isObject(schema) && keyword !== "x-json" && value !== undefined) {
      refuse("is not for objects; move it to a field of the object", keyword);
    } else if (sole && sole !== keyword && !isOfField && (fits || STATING.includes(keyword))) {
      refuse(`cannot be combined with ${sole}; remove one of them`, keyword);
    } else if (fits && value !== undefined && !isFor(keyword, fits, kinds)) {
      refuse(`is for ${kindNames(fits, " or ")}, but this is ${kindNames(kinds)}`, keyword);
    } else fitting[keyword] = value;
  }
  checkBounds(fitting, kinds, refuse);
  checkChoices(fitting, refuse);
}

/** Whether a keyword is for all of these kinds. A reference is for one kind, since all keys are of one. */
function isFor(keyword: string, fits: readonly ValueKind[], kinds: readonly ValueKind[]): boolean {
  return kinds.every((kind) => fits.includes(kind)) && (keyword !== "x-references" || kinds.length < 2);
}

/** Pairs of bounds that may be equal, and of those that may not. */
const PAIRS = "minLength maxLength,minItems maxItems,minimum maximum".split(",");
const OPEN = "minimum exclusiveMaximum,exclusiveMinimum maximum,exclusiveMinimum exclusiveMaximum".split(",");

function checkBounds(schema: ValueSchema, kinds: readonly ValueKind[], refuse: Refuse): void {
  for (const pair of [...PAIRS, ...OPEN]) {
    const [least, most] = pair.split(" ") as ["minimum", "maximum"];
    const { [least]: from = Number.NEGATIVE_INFINITY, [most]: to = Number.POSITIVE_INFINITY } = schema;
    const mayBeEqual = PAIRS.includes(pair);
    if (mayBeEqual ? from <= to : from < to) continue;
    refuse(`must be ${mayBeEqual ? "at most" : "below"} ${most}, which is ${to}, got ${from}`, least);
  }
  if (!kinds.includes("integer")) return;
  for (const keyword of KEYWORDS.filter((one) => kindsFor(one).includes("integer"))) {
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
  checkTwice(values, below(refuse, "enum"));
  checkFits(schema, others, "must fit the other keywords", refuse);
  if (constant !== undefined && values.length > 0 && !values.includes(constant)) {
    refuse(`must fit the other keywords, got ${display(constant)}`, "const");
  }
}

/** Checks that another schema accepts the values of enum and const. */
function checkFits({ enum: values, const: constant }: ValueSchema, other: ValueSchema, what: string, refuse: Refuse) {
  const accepts = acceptorOf(other);
  values?.forEach((value, at) => {
    if (!accepts(value)) refuse(`${what}, got ${display(value)}`, "enum", at);
  });
  if (constant !== undefined && !accepts(constant)) refuse(`${what}, got ${display(constant)}`, "const");
}

/** The types of JSON Schema that a schema accepts, as a file names them. */
function typesOf(schema: ValueSchema): readonly ValueKind[] {
  const { kinds, nullable } = kindsOf(schema);
  return nullable ? [...kinds, "null"] : kinds;
}

/**
 * Checks x-observed, which must be narrower than the field's own schema.
 * @param field the schema of the field, or of its items.
 */
function checkObserved(observed: ValueSchema, field: ValueSchema, refuse: Refuse): void {
  if (Object.keys(observed).length === 0) refuse("must have a keyword, got {}");
  if (field["x-json"]) {
    refuse("is not for x-json fields; remove it");
    return;
  }
  const [types, own] = [typesOf(field), typesOf(observed)];
  if (types.length > 0 && !isWithin(own, types)) {
    refuse(`must have the field's kind, ${types.join(" or ")}, got ${own.join(" and ")}`);
    return;
  }
  checkKeywords(observed, kindsOf(own.length > 0 ? observed : field).kinds, refuse);
  observed.anyOf?.forEach((option, at) => {
    checkKeywords(option, kindsOf(option).kinds, below(refuse, "anyOf", at));
  });
  checkFits(observed, field, "must be a value that the field accepts", refuse);
  for (const keyword of KEYWORDS) {
    const [narrow, wide] = [observed[keyword], field[keyword]];
    if (typeof narrow !== "number" || typeof wide !== "number") continue;
    if (/^min|Minimum$/.test(keyword) ? narrow >= wide : narrow <= wide) continue;
    refuse(`must be narrower than the field's ${keyword}, which is ${wide}, got ${narrow}`, keyword);
  }
  if (observed.items && field.items) checkObserved(observed.items, field.items, below(refuse, "items"));
}
