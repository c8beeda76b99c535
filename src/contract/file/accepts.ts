/** Whether a value that stands in a contract fits a schema that stands there, too. */
import { typeOf } from "../record/schema.js";
import { patternOf } from "./backtracking.js";
import type { FieldSchema, ValueSchema } from "./form.js";
import { kindsOf } from "./kinds.js";

/** Keywords that are wrong themselves refuse nothing. */
export function accepts(schema: ValueSchema, value: unknown): boolean {
  return accepting(schema)(value);
}

/** Makes what asks many values of one schema, such as those of a long enum. */
export function accepting(schema: ValueSchema): (value: unknown) => boolean {
  const asked = sound(schema);
  const isSaid = kindsOf(schema).length > 0;
  const types = new Map<string, ReturnType<typeof typeOf>>();
  return (value) => {
    const type = isSaid ? undefined : typeFor(value);
    const found = types.get(String(type)) ?? typeOf(type ? { ...asked, type } : asked);
    types.set(String(type), found);
    return found.safeParse(value).success;
  };
}

/** For keywords that stand without a type. */
function typeFor(value: unknown): NonNullable<ValueSchema["type"]> {
  const [kind] = kindsOf({ const: value });
  return kind === "string" || kind === "integer" || kind === "number" || kind === "boolean" ? kind : ["string", "null"];
}

/** A schema without those of its parts that have no form, or cannot be asked. */
function sound({ pattern, anyOf, items, properties, enum: values, ...others }: ValueSchema): ValueSchema {
  const options = anyOf?.filter((option) => option !== undefined).map(sound);
  const inside = Object.entries(properties ?? {}) as [string, FieldSchema | undefined][];
  return {
    ...others,
    ...(pattern !== undefined && patternOf(pattern) && { pattern }),
    ...(options?.length && { anyOf: options }),
    ...(values && { enum: values.filter((value) => value !== undefined) }),
    ...(items && { items: sound(items) }),
    ...(properties && { properties: Object.fromEntries(inside.map(([name, field]) => [name, sound(field ?? ANY)])) }),
  };
}

const ANY: ValueSchema = { "x-json": true };
