/** Checks options that a program passes to a verb of the library, with the rules and messages of flags. */
import { z } from "zod";
import { isObject } from "../contract/json.js";
import { manyMistakes, usageError } from "../errors.js";
import { suggest } from "../print/near.js";
import { isPath } from "./kinds.js";

/** The schema of a value. Rows of the table of settings are such rules. */
export interface Rule {
  schema: z.ZodType;
  /** Completes "must be ..."; undefined if the schema's own message is a sentence. */
  allowed?: string;
}

export type OptionRules<T> = { readonly [K in keyof T]-?: Rule };

export const callback: Rule = { schema: z.custom((value) => typeof value === "function"), allowed: "a function" };
export const abortSignal: Rule = { schema: z.instanceof(AbortSignal), allowed: "an AbortSignal" };
export const folder: Rule = { schema: z.string().refine(isPath), allowed: "a folder's path on this machine" };
/** An object whose members are checked separately. */
export const anyObject: Rule = { schema: z.looseObject({}), allowed: "an object" };

/**
 * Checks and normalises options. An undefined option counts as not given.
 * @param what the function's name in messages.
 * @throws UserError (usage) with a sentence for each option that is unknown, wrong or missing.
 */
export function checkOptions<T extends object>(
  what: string,
  given: T,
  rules: OptionRules<T>,
  required: readonly (keyof T & string)[] = [],
): T {
  if (!isObject(given)) throw usageError(`${what} takes its options as an object, got ${show(given)}.`);
  const known = new Map(Object.entries(rules) as [string, Rule][]);
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const rule = known.get(name);
    if (!rule) mistakes.push(`${what} has no option ${name}; ${suggest(name, [...known.keys()])}`);
    if (!rule || value === undefined) continue;
    const { data, error } = rule.schema.safeParse(value);
    if (error) mistakes.push(`${what}: ${describeMistake(name, value, rule, error)}`);
    else values[name] = data;
  }
  const missing = required.filter((name) => given[name] === undefined);
  if (missing.length > 0) mistakes.push(`${what} needs ${missing.join(" and ")}.`);
  if (mistakes.length > 0) throw manyMistakes("options", mistakes);
  return values as T;
}

/** The message for a wrong value. */
export function describeMistake(name: string, value: unknown, { allowed }: Rule, error: z.ZodError): string {
  return allowed === undefined
    ? `${name}: ${error.issues[0]?.message}`
    : `${name} must be ${allowed}, got ${show(value)}.`;
}

/** A value as JSON, or as text if JSON cannot hold it. */
function show(value: unknown): string {
  const text = typeof value === "bigint" ? undefined : JSON.stringify(value);
  return text ?? String(value);
}
