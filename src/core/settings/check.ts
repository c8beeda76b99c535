/** Checks values of settings: those of a layer, and the options of the library. */
import type * as z from "zod";
import { mistakesInNames } from "../contract/listing-names.js";
import { findNear } from "../print/near.js";
import { OF_FILE, type Setting, type VerbName } from "./kinds.js";
import { LISTING_KEYS, type SettingKey, settingOf } from "./settings.js";

/** The rule of a value. Rows of the table of settings are such rules. */
export type ValueRule = Pick<Setting, "kind" | "schema" | "allowed">;
export type ValueRules = Readonly<Record<string, ValueRule>>;
export type Values = Readonly<Record<string, unknown>>;

/** Where values come from. */
export interface Origin {
  /** The name of a value in messages: `--port`, `port in FILE`. */
  nameOf(key: string): string;
  /** What a value is: `a setting`. */
  what: string;
  /** The verb whose help lists them. */
  verb: VerbName;
  /** Parses a value before its check. */
  read(rule: ValueRule, value: unknown): unknown;
  /** Completes a value after its check. */
  resolve(rule: ValueRule, value: unknown): unknown;
}

export interface Checked {
  values: Record<string, unknown>;
  /** A sentence for each. */
  mistakes: string[];
}

/** Picks the rules of settings. */
export function rulesOf(keys: readonly SettingKey[]): ValueRules {
  return Object.fromEntries(keys.map((key) => [key, settingOf(key)]));
}

/** Checks the values that have a rule. An undefined value counts as not given. */
export function checkValues(given: Values, rules: ValueRules, origin: Origin): Checked {
  const values: Checked["values"] = {};
  const mistakes: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (!rule || value === undefined) continue;
    const { data, error } = rule.schema.safeParse(origin.read(rule, value));
    if (error) mistakes.push(describeMistake(origin.nameOf(key), value, rule, error));
    else if (rule.kind === "listings" || rule.kind === "files") {
      const check = rule.kind === "files" ? checkFiles : checkListings;
      const checked = check(data as Named, key, origin);
      values[key] = checked.values;
      mistakes.push(...checked.mistakes);
    } else values[key] = origin.resolve(rule, data);
  }
  return { values, mistakes };
}

/** Settings of listings or files, by name. */
type Named = Readonly<Record<string, Values>>;

/** Checks the settings of each text file. @param key of the setting that has them. */
function checkFiles(files: Named, key: string, origin: Origin): Checked {
  const mistakes: string[] = [];
  const values = Object.entries(files).map(([name, given]) => {
    const own = { ...origin, nameOf: (inside: string) => origin.nameOf(`${key}.${name}.${inside}`) };
    const checked = checkValues(given, OF_FILE, own);
    mistakes.push(...findUnknown(given, Object.keys(OF_FILE), own), ...checked.mistakes);
    return [name, checked.values] as const;
  });
  return { values: Object.fromEntries(values), mistakes };
}

/** Checks the settings of each listing of a site. @param key of the setting that has them. */
function checkListings(listings: Named, key: string, origin: Origin): Checked {
  const names = Object.keys(listings);
  const mistakes = mistakesInNames(names).map((mistake) => `${origin.nameOf(key)}: ${mistake}`);
  if (names.length === 0)
    mistakes.push(
      `${origin.nameOf(key)} has no listings; give it one, such as {"orders": {"contract": "orders.json"}}, or leave it out.`,
    );
  const values = Object.entries(listings).map(([name, given]) => {
    const own = { ...origin, nameOf: (inside: string) => origin.nameOf(`${key}.${name}.${inside}`) };
    const checked = checkValues(given, rulesOf(LISTING_KEYS), own);
    mistakes.push(...findUnknown(given, LISTING_KEYS, own), ...checked.mistakes, ...findTableAndQuery(given, own));
    return [name, checked.values] as const;
  });
  return { values: Object.fromEntries(values), mistakes };
}

/** A sentence if a table and a query are given together. */
export function findTableAndQuery(given: Values, { nameOf }: Pick<Origin, "nameOf">): string[] {
  if (given["table"] === undefined || given["query"] === undefined) return [];
  return [`${nameOf("table")} and ${nameOf("query")} exclude each other; remove one.`];
}

/** A sentence for each name that is not known. */
export function findUnknown(given: Values, known: readonly string[], { nameOf, what, verb }: Origin): string[] {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  return unknown.map((key) => {
    const near = findNear(key, known);
    const advice = near === undefined ? `remove it, or see "rollcall ${verb} --help".` : `did you mean ${near}?`;
    return `${nameOf(key)} is not ${what}; ${advice}`;
  });
}

/** The message for a wrong value. */
function describeMistake(name: string, value: unknown, { allowed }: ValueRule, error: z.ZodError): string {
  return allowed === undefined
    ? `${name}: ${error.issues[0]?.message}`
    : `${name} must be ${allowed}, got ${show(value)}.`;
}

/** A value as JSON, or as text if JSON cannot hold it. */
export function show(value: unknown): string {
  const text = typeof value === "bigint" ? undefined : JSON.stringify(value);
  return text ?? String(value);
}
