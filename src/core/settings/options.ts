/** Makes the functions of the library, which check their options with the rules and messages of flags. */
import { isObject } from "../contract/json.js";
import { manyMistakes, usageError } from "../errors.js";
import { checkValues, findUnknown, type Origin, rulesOf, show, type ValueRules } from "./check.js";
import type { VerbName } from "./kinds.js";
import { type Complete, optionKeys, withDefaults } from "./settings.js";

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
  { own = {}, required = [] }: { own?: ValueRules; required?: readonly (keyof Options & string)[] } = {},
): (options: Options, effects?: Effects) => Promise<Result> {
  const rules = { ...own, ...rulesOf(optionKeys(verb)) };
  const asGiven = (_rule: unknown, value: unknown) => value;
  const origin: Origin = {
    nameOf: (option) => `${name}: ${option}`,
    what: "an option",
    verb,
    read: asGiven,
    resolve: asGiven,
  };
  return async (given, effects = {} as Effects) => {
    if (!isObject(given)) throw usageError(`${name} takes its options as an object, got ${show(given)}.`);
    const { values, mistakes } = checkValues(given, rules, origin);
    mistakes.unshift(...findUnknown(given, Object.keys(rules), origin));
    const missing = required.filter((option) => given[option] === undefined);
    if (missing.length > 0) mistakes.push(`${name} needs ${missing.join(" and ")}.`);
    if (mistakes.length > 0) throw manyMistakes("options", mistakes);
    return run(withDefaults(verb, values as Options) as Complete<Options>, effects);
  };
}
