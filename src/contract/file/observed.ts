/** The rules of x-observed: a schema that takes less than the field itself. */
import { accepts } from "./accepts.js";
import type { ValueSchema } from "./form.js";
import { isWithin, kindsOf, solidKindsOf } from "./kinds.js";
import { type Complain, type Pointer, shown } from "./mistakes.js";
import { checkKeywords } from "./values.js";

const LEAST = ["minLength", "minItems", "minimum", "exclusiveMinimum"] as const;
const MOST = ["maxLength", "maxItems", "maximum", "exclusiveMaximum"] as const;

/** @param field what is observed: a field, or the items of one. */
export function checkObserved(observed: ValueSchema, field: ValueSchema, place: Pointer, complain: Complain): void {
  if (field["x-json"]) {
    complain(place, "is for fields whose kind is known, and this is any JSON value");
    return;
  }
  if (Object.keys(observed).length === 0) complain(place, "must say what has been observed, got {}");
  const [kinds, own] = [kindsOf(field), kindsOf(observed)];
  if (kinds.length > 0 && !isWithin(own, kinds)) {
    complain(place, `must be of the field's own kind, ${kinds.join(" or ")}, got ${own.join(" and ")}`);
    return;
  }
  checkKeywords(observed, own.length > 0 ? solidKindsOf(observed) : solidKindsOf(field), place, complain);
  observed.anyOf?.forEach((option, at) => {
    if (option) checkKeywords(option, solidKindsOf(option), [...place, "anyOf", at], complain);
  });
  checkValues(observed, field, place, complain);
  checkBounds(observed, field, place, complain);
  if (observed.items && field.items) checkObserved(observed.items, field.items, [...place, "items"], complain);
}

function checkValues(
  { enum: values, const: constant }: ValueSchema,
  field: ValueSchema,
  place: Pointer,
  complain: Complain,
) {
  const refuse = (value: unknown, ...at: Pointer) => {
    if (value === undefined || accepts(field, value)) return;
    complain([...place, ...at], `is a value that the field itself refuses: ${shown(value)}`);
  };
  refuse(constant, "const");
  for (const [at, value] of (values ?? []).entries()) refuse(value, "enum", at);
}

function checkBounds(observed: ValueSchema, field: ValueSchema, place: Pointer, complain: Complain): void {
  for (const keyword of [...LEAST, ...MOST]) {
    const [own, outer] = [observed[keyword], field[keyword]];
    if (own === undefined || outer === undefined) continue;
    const isWider = (LEAST as readonly string[]).includes(keyword) ? own < outer : own > outer;
    if (isWider) complain([...place, keyword], `must be narrower than the field's own, which is ${outer}, got ${own}`);
  }
}
