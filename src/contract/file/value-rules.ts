/** The rules of what a value may be: keywords fit its kind, do not contradict each other, and x-observed takes less. */

import { KEYWORDS, type Keyword } from "../record/keywords.js";
import { choicesOf, isScalarKind, isWithin, kindsOf, solidKindsOf, type ValueKind } from "../record/kind.js";
import { typeOf } from "../record/schema.js";
import { patternOf, whyNotPattern } from "./backtracking.js";
import type { FieldSchema, ValueSchema } from "./form.js";
import { type Place, shown } from "./mistakes.js";

/** What messages call each kind. */
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

/** Which kinds a keyword says something about. */
const FITS: readonly (readonly [keyword: keyof ValueSchema, kinds: readonly ValueKind[]])[] = [
  ...(Object.keys(KEYWORDS) as Keyword[]).map((keyword) => [keyword, KEYWORDS[keyword].kinds] as const),
  ["items", ["array"]],
  ...(["properties", "required", "additionalProperties"] as const).map((keyword) => [keyword, ["object"]] as const),
];
const CHECKS = [...FITS.map(([keyword]) => keyword), "type", "enum", "const", "anyOf"] as const;

/** Pairs of bounds, and whether both may be equal. */
const BOUNDS: readonly (readonly [least: Keyword, most: Keyword, mayBeEqual: boolean])[] = [
  ["minLength", "maxLength", true],
  ["minItems", "maxItems", true],
  ["minimum", "maximum", true],
  ["minimum", "exclusiveMaximum", false],
  ["exclusiveMinimum", "maximum", false],
  ["exclusiveMinimum", "exclusiveMaximum", false],
];

/** Checks a schema of one value; of an object's properties only whether they belong there. */
export function checkValue(schema: ValueSchema, here: Place): void {
  const solid = solidKindsOf(schema);
  const isStated = (["type", "enum", "const", "anyOf", "x-json"] as const).some((keyword) => keyword in schema);
  if (!isStated) here.refuse('needs a type, an enum, a const, anyOf or "x-json": true');
  else if (solid.length === 0 && kindsOf(schema).length > 0) here.refuse("must take something beside null");
  checkAlone(schema, here);
  checkKeywords(schema, solid, here);
  if (solid.includes("array") && !schema.anyOf) {
    if (schema.items) checkValue(schema.items, here.at("items"));
    else if (!("items" in schema)) here.refuse("needs items: what each item of the list is");
  }
  schema.anyOf?.forEach((option, at) => {
    if (option) checkOption(option, here.at("anyOf", at));
  });
}

/** What is any JSON value, or one of several schemas, says so alone. */
function checkAlone(schema: ValueSchema, here: Place): void {
  const sole = schema["x-json"] ? "x-json" : schema.anyOf ? "anyOf" : undefined;
  if (sole === undefined) return;
  for (const keyword of CHECKS) {
    if (keyword === sole || !(keyword in schema)) continue;
    here.at(keyword).refuse(`cannot stand beside ${sole}, which says alone what the value is`);
  }
  const kinds = solidKindsOf(schema);
  if (sole === "anyOf" && kinds.includes("boolean") && kinds.length > 1) {
    here.at("anyOf").refuse("takes true or false beside others, and the source has 0 and 1 for both");
  }
}

function checkOption(option: ValueSchema, here: Place): void {
  const kinds = kindsOf(option);
  if (!["type", "enum", "const"].some((keyword) => keyword in option)) here.refuse("needs a type, an enum or a const");
  if (!kinds.every(isScalarKind)) here.refuse(`must be of strings, numbers, true and false, got ${named(kinds)}`);
  checkKeywords(option, solidKindsOf(option), here);
}

/** The rules for keywords of a schema whose kinds are known, also where they stand elsewhere. */
function checkKeywords(schema: ValueSchema, kinds: readonly ValueKind[], here: Place): void {
  for (const [keyword, fits] of FITS) {
    if (schema[keyword] === undefined || kinds.length === 0 || schema.anyOf || schema["x-json"]) continue;
    if (kinds.some((kind) => fits.includes(kind))) continue;
    here.at(keyword).refuse(`is for ${fits.map((kind) => KIND_NAMES[kind]).join(" or ")}, and this is ${named(kinds)}`);
  }
  checkBounds(schema, kinds, here);
  checkChoices(schema, here);
  const why = schema.pattern === undefined ? undefined : whyNotPattern(schema.pattern);
  if (why !== undefined) here.at("pattern").refuse(`${why}, got ${shown(schema.pattern)}`);
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

/** The values of enum and const are of one kind, differ, and fit what stands beside them. */
function checkChoices(schema: ValueSchema, here: Place): void {
  const { enum: values, const: constant, ...others } = schema;
  const choices = choicesOf(schema);
  if (typeof schema.type === "object" && choices && !choices.includes(null) && !choices.includes(undefined)) {
    const keyword = values ? "enum" : "const";
    here.at("type").refuse(`takes null, which ${keyword} beside it refuses; let both take it`);
  }
  if (constant !== undefined && !accepting(values ? { ...others, enum: values } : others)(constant)) {
    here.at("const").refuse(`must fit the keywords beside it, got ${shown(constant)}`);
  }
  if (!values) return;
  const kinds = solidKindsOf({ enum: values });
  if (kinds.length > 1) here.at("enum").refuse(`must hold values of one kind, got ${named(kinds)}`);
  const seen = new Set<unknown>();
  const fits = accepting(others);
  values.forEach((value, at) => {
    if (value === undefined) return;
    if (seen.has(value)) here.at("enum", at).refuse(`is given twice: ${shown(value)}`);
    else if (!fits(value)) here.at("enum", at).refuse(`must fit the keywords beside it, got ${shown(value)}`);
    seen.add(value);
  });
}

function named(kinds: readonly ValueKind[]): string {
  return kinds.map((kind) => KIND_NAMES[kind]).join(" and ") || "nothing";
}

/**
 * Checks x-observed, which must take less than the field itself.
 * @param field what is observed: a field, or the items of one.
 */
export function checkObserved(observed: ValueSchema, field: ValueSchema, here: Place): void {
  if (field["x-json"]) {
    here.refuse("is for fields whose kind is known, and this is any JSON value");
    return;
  }
  if (Object.keys(observed).length === 0) here.refuse("must say what has been observed, got {}");
  const [kinds, own] = [kindsOf(field), kindsOf(observed)];
  if (kinds.length > 0 && !isWithin(own, kinds)) {
    here.refuse(`must be of the field's own kind, ${kinds.join(" or ")}, got ${own.join(" and ")}`);
    return;
  }
  checkKeywords(observed, solidKindsOf(own.length > 0 ? observed : field), here);
  observed.anyOf?.forEach((option, at) => {
    if (option) checkKeywords(option, solidKindsOf(option), here.at("anyOf", at));
  });
  const accepts = accepting(field);
  const checkChoice = (value: unknown, place: Place) => {
    if (value !== undefined && !accepts(value)) {
      place.refuse(`is a value that the field itself refuses: ${shown(value)}`);
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
    if (isWider) here.at(keyword).refuse(`must be narrower than the field's own, which is ${outer}, got ${own}`);
  }
}

/** Makes the check whether a value that stands in a contract fits a schema beside it. Wrong keywords refuse nothing. */
export function accepting(schema: ValueSchema): (value: unknown) => boolean {
  const type = typeOf(sound(schema));
  return (value) => type.safeParse(value).success;
}

/** A schema without those of its parts that have no form, or cannot be asked. */
function sound({ pattern, anyOf, items, properties, ...others }: ValueSchema): ValueSchema {
  const options = anyOf?.filter((option) => option !== undefined).map(sound);
  const inside = Object.entries(properties ?? {}) as [string, FieldSchema | undefined][];
  return {
    ...others,
    ...(pattern !== undefined && patternOf(pattern) && { pattern }),
    ...(options?.length && { anyOf: options }),
    ...(items && { items: sound(items) }),
    ...(properties && { properties: Object.fromEntries(inside.map(([name, field]) => [name, sound(field ?? ANY)])) }),
  };
}

const ANY: ValueSchema = { "x-json": true };
