/** The rules of what a value may be: keywords fit its kind, and do not contradict each other. */
import { accepting, accepts } from "./accepts.js";
import { whyNotPattern } from "./backtracking.js";
import type { ValueSchema } from "./form.js";
import { isScalarKind, KIND_NAMES, kindsOf, solidKindsOf, type ValueKind } from "./kinds.js";
import { type Complain, mustBe, type Pointer, shown } from "./mistakes.js";

type Keyword = keyof ValueSchema;

/** Which kinds each keyword says something about. */
const FITS: Readonly<Partial<Record<Keyword, readonly ValueKind[]>>> = {
  ...{ pattern: ["string"], format: ["string"], minLength: ["string"], maxLength: ["string"] },
  ...{ minimum: ["integer", "number"], maximum: ["integer", "number"] },
  ...{ exclusiveMinimum: ["integer", "number"], exclusiveMaximum: ["integer", "number"] },
  ...{ items: ["array"], minItems: ["array"], maxItems: ["array"], uniqueItems: ["array"] },
  ...{ properties: ["object"], required: ["object"], additionalProperties: ["object"] },
};
const CHECKS = [...(Object.keys(FITS) as Keyword[]), "type", "enum", "const", "anyOf"] as const;

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
export function checkValue(schema: ValueSchema, place: Pointer, complain: Complain): void {
  const solid = solidKindsOf(schema);
  const isSaid = (["type", "enum", "const", "anyOf", "x-json"] as const).some((keyword) => keyword in schema);
  if (!isSaid) complain(place, 'needs a type, an enum, a const, anyOf or "x-json": true');
  else if (solid.length === 0 && kindsOf(schema).length > 0) complain(place, "must take something beside null");
  checkAlone(schema, place, complain);
  checkKeywords(schema, solid, place, complain);
  if (solid.includes("array") && !schema.anyOf) {
    if (schema.items) checkValue(schema.items, [...place, "items"], complain);
    else if (!("items" in schema)) complain(place, "needs items: what each item of the list is");
  }
  schema.anyOf?.forEach((option, at) => {
    if (option) checkOption(option, [...place, "anyOf", at], complain);
  });
}

/** The rules for keywords of a schema whose kinds are known, also where they stand elsewhere. */
export function checkKeywords(
  schema: ValueSchema,
  kinds: readonly ValueKind[],
  place: Pointer,
  complain: Complain,
): void {
  for (const keyword of CHECKS) {
    const fits = FITS[keyword];
    if (schema[keyword] === undefined || !fits || kinds.length === 0 || schema.anyOf || schema["x-json"]) continue;
    if (kinds.some((kind) => fits.includes(kind))) continue;
    complain(
      [...place, keyword],
      `is for ${fits.map((kind) => KIND_NAMES[kind]).join(" or ")}, and this is ${named(kinds)}`,
    );
  }
  checkBounds(schema, kinds, place, complain);
  checkChoices(schema, place, complain);
  if (schema.pattern !== undefined) {
    const why = whyNotPattern(schema.pattern);
    if (why !== undefined) complain([...place, "pattern"], `${why}, got ${shown(schema.pattern)}`);
  }
}

/** What is any JSON value, or one of several schemas, says so alone. */
function checkAlone(schema: ValueSchema, place: Pointer, complain: Complain): void {
  const sole = schema["x-json"] ? "x-json" : schema.anyOf ? "anyOf" : undefined;
  if (sole === undefined) return;
  for (const keyword of CHECKS) {
    if (keyword === sole || !(keyword in schema)) continue;
    complain([...place, keyword], `cannot stand beside ${sole}, which says alone what the value is`);
  }
  const kinds = solidKindsOf(schema);
  if (sole === "anyOf" && kinds.includes("boolean") && kinds.length > 1) {
    complain([...place, "anyOf"], "takes true or false beside others, and the source has 0 and 1 for both");
  }
}

function checkOption(option: ValueSchema, place: Pointer, complain: Complain): void {
  const kinds = kindsOf(option);
  if (!["type", "enum", "const"].some((keyword) => keyword in option))
    complain(place, "needs a type, an enum or a const");
  if (!kinds.every(isScalarKind)) complain(place, `must be of strings, numbers, true and false, got ${named(kinds)}`);
  checkKeywords(option, solidKindsOf(option), place, complain);
}

function checkBounds(schema: ValueSchema, kinds: readonly ValueKind[], place: Pointer, complain: Complain): void {
  for (const [least, most, mayBeEqual] of BOUNDS) {
    const [from, to] = [schema[least], schema[most]];
    if (typeof from !== "number" || typeof to !== "number") continue;
    if (from > to || (from === to && !mayBeEqual)) {
      complain([...place, least], `must be ${mayBeEqual ? "at most" : "below"} ${most}, which is ${to}, got ${from}`);
    }
  }
  if (!kinds.includes("integer")) return;
  for (const keyword of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const) {
    const bound = schema[keyword];
    if (bound === undefined || Number.isSafeInteger(bound)) continue;
    complain([...place, keyword], mustBe("an integer within +-(2^53 - 1)", bound));
  }
}

/** The values of enum and const are of one kind, differ, and fit what stands beside them. */
function checkChoices(schema: ValueSchema, place: Pointer, complain: Complain): void {
  const { enum: values, const: constant, ...others } = schema;
  const choices = values ?? (constant === undefined ? undefined : [constant]);
  if (typeof schema.type === "object" && choices && !choices.includes(null) && !choices.includes(undefined)) {
    complain([...place, "type"], `takes null, which ${values ? "enum" : "const"} beside it refuses; let both take it`);
  }
  if (constant !== undefined && !accepts(values ? { ...others, enum: values } : others, constant)) {
    complain([...place, "const"], `must fit the keywords beside it, got ${shown(constant)}`);
  }
  if (!values) return;
  const kinds = solidKindsOf({ enum: values });
  if (kinds.length > 1) complain([...place, "enum"], `must hold values of one kind, got ${named(kinds)}`);
  const seen = new Set<unknown>();
  const fits = accepting(others);
  values.forEach((value, at) => {
    const here = [...place, "enum", at];
    if (value === undefined) return;
    if (seen.has(value)) complain(here, `is given twice: ${shown(value)}`);
    else if (!fits(value)) complain(here, `must fit the keywords beside it, got ${shown(value)}`);
    seen.add(value);
  });
}

function named(kinds: readonly ValueKind[]): string {
  return kinds.map((kind) => KIND_NAMES[kind]).join(" and ") || "nothing";
}
