/** Makes the functions of the library, which check their options with the rules and messages of flags. */
import type { z } from "zod";
import { isObject } from "../contract/json.js";
import { manyMistakes, UserError, usageError } from "../errors.js";
import { suggest } from "../print/near.js";
import { mistakesInNames, type VerbName } from "./kinds.js";
import { type Complete, LISTING_KEYS, optionKeys, settingOf, withDefaults } from "./settings.js";
import { SETTINGS } from "./table.js";

/** The schema of a value. Rows of the table of settings are such rules. */
export interface Rule {
  schema: z.ZodType;
  /** Completes "must be ..."; undefined if the schema's own message is a sentence. */
  allowed?: string;
}

export type OptionRules = Readonly<Record<string, Rule>>;

/**
 * Makes the library's function of a verb, which checks and completes the options. An undefined option counts as not given.
 * @param name the function's name in messages.
 * @param own the options that are not settings.
 * @param required options that must be given.
 */
export function library<Options extends object, Effects extends object, Result>(
  name: string,
  verb: VerbName,
  run: (options: Complete<Options>, effects: Effects) => Promise<Result>,
  { own = {}, required = [] }: { own?: OptionRules; required?: readonly (keyof Options & string)[] } = {},
): (options: Options, effects?: Effects) => Promise<Result> {
  const rules = { ...own, ...Object.fromEntries(optionKeys(verb).map((key) => [key, settingOf(key)])) };
  return async (options, effects = {} as Effects) =>
    run(withDefaults(verb, checkOptions(name, options, rules, required)) as Complete<Options>, effects);
}

/** @throws UserError (usage) with a sentence for each option that is unknown, wrong or missing. */
function checkOptions<Options extends object>(
  name: string,
  given: Options,
  rules: OptionRules,
  required: readonly (keyof Options & string)[],
): Options {
  if (!isObject(given)) throw usageError(`${name} takes its options as an object, got ${show(given)}.`);
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [option, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined;
    if (!rule) mistakes.push(`${name} has no option ${option}; ${suggest(option, Object.keys(rules))}`);
    if (!rule || value === undefined) continue;
    const { data, error } = rule.schema.safeParse(value);
    if (error) mistakes.push(`${name}: ${describeMistake(option, value, rule, error)}`);
    else if (rule === SETTINGS.listings) values[option] = checkListings(name, data as Listings, mistakes);
    else values[option] = data;
  }
  const missing = required.filter((option) => given[option] === undefined);
  if (missing.length > 0) mistakes.push(`${name} needs ${missing.join(" and ")}.`);
  if (mistakes.length > 0) throw manyMistakes("options", mistakes);
  return values as Options;
}

type Listings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Checks the settings of each listing. @param mistakes gets what is wrong */
function checkListings(name: string, listings: Listings, mistakes: string[]): Listings {
  mistakes.push(...mistakesInNames(Object.keys(listings)).map((mistake) => `${name}: listings: ${mistake}`));
  const rules = Object.fromEntries(LISTING_KEYS.map((key) => [key, settingOf(key)]));
  const checked = Object.entries(listings).map(([listing, own]) => {
    try {
      return [listing, checkOptions(`${name}: listings.${listing}`, own, rules, [])] as const;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(...(error.details.length > 0 ? error.details : [error.message]));
      return [listing, {}] as const;
    }
  });
  return Object.fromEntries(checked);
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
