/** Checks schemas of values: keywords fit the kind and do not contradict each other, and x-observed is narrower. */

import { KEYWORDS, type Keyword } from "../record/keywords.js";
import { choicesOf, isScalarKind, isWithin, kindsOf, nonNullKindsOf, type ValueKind } from "../record/kind.js";
import { typeOf } from "../record/schema.js";
import { patternOf, whyNotPattern } from "./backtracking.js";
import type { FieldSchema, ValueSchema } from "./form.js";
import { display, type Place } from "./mistakes.js";

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

/** The kinds to which each keyword applies. */
const FITS: readonly (readonly [keyword: keyof ValueSchema, kinds: readonly ValueKind[]])[] = [
  ...(Object.keys(KEYWORDS) as Keyword[]).map((keyword) => [keyword, KEYWORDS[keyword].kinds] as const),
  ["items", ["array"]],
  ...(["properties", "required", "additionalProperties"] as const).map((keyword) => [keyword, ["object"]] as const),
];
const CHECKS = [...FITS.map(([keyword]) => keyword), "type", "enum", "const", "anyOf"] as const;

/** Pairs of bounds, and whether they may be equal. */
const BOUNDS: readonly (readonly [least: Keyword, most: Keyword, mayBeEqual: boolean])[] = [
  ["minLength", "maxLength", true],
  ["minItems", "maxItems", true],
  ["minimum", "maximum", true],
  ["minimum", "exclusiveMaximum", false],
  ["exclusiveMinimum", "maximum", false],
  ["exclusiveMinimum", "exclusiveMaximum", false],
];

/** Checks the schema of one value. Properties of an object are not visited. */
export function checkValue(schema: ValueSchema, here: Place): void {
  const solid = nonNullKindsOf(schema);
  const isStated = (["type", "enum", "const", "anyOf", "x-json"] as const).some((keyword) => keyword in schema);
  if (!isStated) here.refuse('needs a type, an enum, a const, anyOf or "x-json": true');
  else if (solid.length === 0 && kindsOf(schema).length > 0) here.refuse("must accept a value other than null");
  checkSoleKeyword(schema, here);
  checkKeywords(schema, solid, here);
  if (solid.includes("array") && !schema.anyOf) {
    if (schema.items) checkValue(schema.items, here.at("items"));
    else if (!("items" in schema)) here.refuse("needs items, the schema of each item");
  }
  schema.anyOf?.forEach((option, at) => {
    if (option) checkOption(option, here.at("anyOf", at));
  });
}

/** Checks that x-json and anyOf do not stand beside other keywords about the value. */
function checkSoleKeyword(schema: ValueSchema, here: Place): void {
  const sole = schema["x-json"] ? "x-json" : schema.anyOf ? "anyOf" : undefined;
  if (sole === undefined) return;
  for (const keyword of CHECKS) {
    if (keyword === sole || !(keyword in schema)) continue;
    here.at(keyword).refuse(`cannot be combined with ${sole}; remove one of them`);
  }
  const kinds = nonNullKindsOf(schema);
  if (sole === "anyOf" && kinds.includes("boolean") && kinds.length > 1) {
    here.at("anyOf").refuse("cannot combine booleans with other kinds, since the source stores booleans as 0 and 1");
  }
}

function checkOption(option: ValueSchema, here: Place): void {
  const kinds = kindsOf(option);
  if (!["type", "enum", "const"].some((keyword) => keyword in option)) here.refuse("needs a type, an enum or a const");
  if (!kinds.every(isScalarKind))
    here.refuse(`must accept only strings, numbers, true and false, got ${kindNames(kinds)}`);
  checkKeywords(option, nonNullKindsOf(option), here);
}

/** Checks keywords against kinds, which may come from another schema. */
function checkKeywords(schema: ValueSchema, kinds: readonly ValueKind[], here: Place): void {
  for (const [keyword, fits] of FITS) {
    if (schema[keyword] === undefined || kinds.length === 0 || schema.anyOf || schema["x-json"]) continue;
    if (kinds.some((kind) => fits.includes(kind))) continue;
    here
      .at(keyword)
      .refuse(`is for ${fits.map((kind) => KIND_NAMES[kind]).join(" or ")}, but this is ${kindNames(kinds)}`);
  }
  checkBounds(schema, kinds, here);
  checkChoices(schema, here);
  const why = schema.pattern === undefined ? undefined : whyNotPattern(schema.pattern);
  if (why !== undefined) here.at("pattern").refuse(`${why}, got ${display(schema.pattern)}`);
}

function checkBounds(schema: ValueSchema, kinds: readonly ValueKind[], here: Place): void {
  for (const [least, most, mayBeEqual] of BOUNDS) {
    const [from, to] = [schema[least], schema[most]];
    if (typeof from !== "number" || typeof to !== "number") continue;
    if (from > to || (from === to && !mayBeEqual)) {
      here.at(least).refuse(`must be ${mayBeEqual ? "at most" : "below"} ${most}, which is ${to}, got ${from}`);
    }
  }
  if (!kinds.includes("integer")) return;
  for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const) {
    const bound = schema[keyword];
    if (bound === undefined || Number.isSafeInteger(bound)) continue;
    here.at(keyword).mustBe("an integer within +-(2^53 - 1)", bound);
  }
}

/** Checks that values of enum and const are of one kind, differ, and fit the other keywords. */
function checkChoices(schema: ValueSchema, here: Place): void {
  const { enum: values, const: constant, ...others } = schema;
  const choices = choicesOf(schema);
  if (typeof schema.type === "object" && choices && !choices.includes(null) && !choices.includes(undefined)) {
    const keyword = values ? "enum" : "const";
    here.at("type").refuse(`accepts null, but ${keyword} does not; add null to ${keyword} or remove it here`);
  }
  if (constant !== undefined && !acceptorOf(values ? { ...others, enum: values } : others)(constant)) {
    here.at("const").refuse(`must fit the other keywords, got ${display(constant)}`);
  }
  if (!values) return;
  const kinds = nonNullKindsOf({ enum: values });
  if (kinds.length > 1) here.at("enum").refuse(`must hold values of one kind, got ${kindNames(kinds)}`);
  const seen = new Set<unknown>();
  const fits = acceptorOf(others);
  values.forEach((value, at) => {
    if (value === undefined) return;
    if (seen.has(value)) here.at("enum", at).refuse(`is given twice: ${display(value)}`);
    else if (!fits(value)) here.at("enum", at).refuse(`must fit the other keywords, got ${display(value)}`);
    seen.add(value);
  });
}

function kindNames(kinds: readonly ValueKind[]): string {
  return kinds.map((kind) => KIND_NAMES[kind]).join(" and ") || "nothing";
}

/**
 * Checks x-observed, which must be narrower than the field's own schema.
 * @param field the schema of the field, or of its items.
 */
export function checkObserved(observed: ValueSchema, field: ValueSchema, here: Place): void {
  if (field["x-json"]) {
    here.refuse("is not for x-json fields; remove it");
    return;
  }
  if (Object.keys(observed).length === 0) here.refuse("must have a keyword, got {}");
  const [kinds, own] = [kindsOf(field), kindsOf(observed)];
  if (kinds.length > 0 && !isWithin(own, kinds)) {
    here.refuse(`must have the field's kind, ${kinds.join(" or ")}, got ${own.join(" and ")}`);
    return;
  }
  checkKeywords(observed, nonNullKindsOf(own.length > 0 ? observed : field), here);
  observed.anyOf?.forEach((option, at) => {
    if (option) checkKeywords(option, nonNullKindsOf(option), here.at("anyOf", at));
  });
  const accepts = acceptorOf(field);
  const checkChoice = (value: unknown, place: Place) => {
    if (value !== undefined && !accepts(value)) {
      place.refuse(`must be a value that the field accepts, got ${display(value)}`);
    }
  };
  checkChoice(observed.const, here.at("const"));
  observed.enum?.forEach((value, at) => {
    checkChoice(value, here.at("enum", at));
  });
  checkNarrower(observed, field, here);
  if (observed.items && field.items) checkObserved(observed.items, field.items, here.at("items"));
}

function checkNarrower(observed: ValueSchema, field: ValueSchema, here: Place): void {
  for (const keyword of new Set(BOUNDS.flat().filter((bound) => typeof bound !== "boolean"))) {
    const [own, outer] = [observed[keyword], field[keyword]];
    if (own === undefined || outer === undefined) continue;
    const isWider = /^min|Minimum$/.test(keyword) ? own < outer : own > outer;
    if (isWider) here.at(keyword).refuse(`must be narrower than the field's ${keyword}, which is ${outer}, got ${own}`);
  }
}

/** Makes the check whether a value fits a schema. Invalid keywords of the schema are ignored. */
export function acceptorOf(schema: ValueSchema): (value: unknown) => boolean {
  const type = typeOf(withoutInvalidParts(schema));
  return (value) => type.safeParse(value).success;
}

/** Copies a schema without parts whose form is wrong, and without invalid patterns. */
function withoutInvalidParts({ pattern, anyOf, items, properties, ...others }: ValueSchema): ValueSchema {
  const options = anyOf?.filter((option) => option !== undefined).map(withoutInvalidParts);
  const inside = Object.entries(properties ?? {}) as [string, FieldSchema | undefined][];
  return {
    ...others,
    ...(pattern !== undefined && patternOf(pattern) && { pattern }),
    ...(options?.length && { anyOf: options }),
    ...(items && { items: withoutInvalidParts(items) }),
    ...(properties && {
      properties: Object.fromEntries(inside.map(([name, field]) => [name, withoutInvalidParts(field ?? ANY)])),
    }),
  };
}

const ANY: ValueSchema = { "x-json": true };
