/** The keywords that narrow a type: their form in a contract file, and the check of values. */
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import type { ValueSchema } from "../file/form.js";
import { isUri } from "../links.js";
import type { ValueKind } from "./kind.js";

/** The check of one keyword. It passes values of another type, which the check of `type` refuses. */
interface KeywordCheck {
  passes(value: unknown): boolean;
  message: string;
}

type Given<Name extends keyof ValueSchema> = NonNullable<ValueSchema[Name]>;

/** For each keyword: its form in a contract file, its check, and the end of the message "must ...". */
type Rules<Names extends keyof ValueSchema, Value> = {
  [Name in Names]: {
    form: z.ZodType;
    check: (given: Given<Name>, schema: ValueSchema) => [passes: (value: Value) => boolean, must: string];
  };
};

const PATTERN = z.string({ error: "a regular expression" }).min(1, { error: "a regular expression" });
const COUNT = z.int({ error: "a whole number from 0" }).min(0, { error: "a whole number from 0" });
const BOUND = z.number({ error: "a finite number" });
const DATE_TIME = z.regexes.datetime({ offset: true });

/** The check, message and example of each format. byte-pattern.ts has the same formats as patterns of bytes. */
const FORMATS: Record<Given<"format">, { is: (text: string) => boolean; words: string; example: string }> = {
  uuid: {
    is: (text) => matches(z.regexes.guid, text),
    words: "a UUID in 8-4-4-4-12 form",
    example: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53",
  },
  date: { is: (text) => matches(z.regexes.date, text), words: "a real date", example: "2026-01-31" },
  "date-time": {
    is: (text) => matches(DATE_TIME, text),
    words: "a real time of RFC 3339",
    example: "2026-01-31T23:59:59Z",
  },
  uri: { is: isUri, words: "an absolute URL", example: "https://example.com/" },
};
const FORMAT = z.enum(Object.keys(FORMATS), { error: `one of ${Object.keys(FORMATS).join(", ")}` });

const OF_STRINGS: Rules<"format" | "pattern" | "minLength" | "maxLength", string> = {
  format: {
    form: FORMAT.describe("A form of strings, which is checked."),
    check: (format, { examples }) => {
      const { is, words, example } = FORMATS[format];
      return [is, `be ${words}, like ${examples?.[0] ?? example}`];
    },
  },
  pattern: {
    form: PATTERN.describe(
      "A regular expression (ECMAScript, flag u) that a string has a match of; ^ and $ anchor it.",
    ),
    check: (pattern, { examples }) => {
      const expression = new RegExp(pattern, "u");
      const like = examples?.[0] === undefined ? "" : `, like ${examples[0]}`;
      return [(text) => matches(expression, text), `match ${pattern}${like}`];
    },
  },
  minLength: {
    form: COUNT.describe("The fewest characters of a string."),
    check: (least) => [
      (text) => lengthOf(text) >= least,
      least === 1 ? "not be empty" : `have at least ${least} characters`,
    ],
  },
  maxLength: {
    form: COUNT.describe("The most characters of a string."),
    check: (most) => [(text) => lengthOf(text) <= most, `have at most ${most} characters`],
  },
};

const OF_NUMBERS: Rules<"minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", number> = {
  minimum: {
    form: BOUND.describe("The least number."),
    check: (least) => [(number) => number >= least, least === 0 ? "not be negative" : `be ${least} or more`],
  },
  maximum: {
    form: BOUND.describe("The greatest number."),
    check: (most) => [(number) => number <= most, `be ${most} or less`],
  },
  exclusiveMinimum: {
    form: BOUND.describe("A number that values must be above."),
    check: (limit) => [(number) => number > limit, `be more than ${limit}`],
  },
  exclusiveMaximum: {
    form: BOUND.describe("A number that values must be below."),
    check: (limit) => [(number) => number < limit, `be less than ${limit}`],
  },
};

const OF_LISTS: Rules<"minItems" | "maxItems" | "uniqueItems", readonly unknown[]> = {
  minItems: {
    form: COUNT.describe("The fewest items of a list."),
    check: (least) => [(list) => list.length >= least, `have at least ${least} items`],
  },
  maxItems: {
    form: COUNT.describe("The most items of a list."),
    check: (most) => [(list) => list.length <= most, `have at most ${most} items`],
  },
  uniqueItems: {
    form: z.boolean({ error: "true or false" }).describe("Whether no two items of a list may be equal."),
    check: (isSet) => [
      (list) => !isSet || new Set(list.map((item) => stringify(item))).size === list.length,
      "repeat no item",
    ],
  },
};

export type Keyword = keyof typeof KEYWORDS;

/** In the order of their checks. Only the first one that fails is reported. */
export const KEYWORDS = {
  ...rulesFor(OF_STRINGS, ["string"], (value) => typeof value === "string"),
  ...rulesFor(OF_NUMBERS, ["integer", "number"], (value) => typeof value === "number"),
  ...rulesFor(OF_LISTS, ["array"], (value) => Array.isArray(value)),
};

/** Limits rules to values of the given kinds. */
function rulesFor<Names extends keyof ValueSchema, Value>(
  rules: Rules<Names, Value>,
  kinds: readonly ValueKind[],
  isSubject: (value: unknown) => boolean,
) {
  const all = (Object.keys(rules) as Names[]).map((name) => {
    const check = (schema: ValueSchema): KeywordCheck => {
      const [passes, must] = rules[name].check(schema[name] as Given<Names>, schema);
      return { passes: (value) => !isSubject(value) || passes(value as Value), message: `must ${must}` };
    };
    return [name, { form: rules[name].form.optional(), kinds, check }] as const;
  });
  return Object.fromEntries(all) as Record<Names, (typeof all)[number][1]>;
}

/** Lists the keywords of a schema, in the order of `KEYWORDS`. */
export function keywordsOf(schema: ValueSchema): Keyword[] {
  return (Object.keys(KEYWORDS) as Keyword[]).filter((name) => schema[name] !== undefined);
}

/** Whether a text has a format. */
export function hasFormat(format: Given<"format">, text: string): boolean {
  return FORMATS[format].is(text);
}

/**
 * Whether a text matches. V8's backtracking stack holds at most 64 MiB; a text of many megabytes can need more. Such a text
 * counts as not matching.
 */
export function matches(expression: RegExp, text: string): boolean {
  try {
    return expression.test(text);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The length of a text in code points, as JSON Schema counts it. */
function lengthOf(text: string): number {
  let length = text.length;
  // The second half of a surrogate pair is not a character of its own.
  for (let at = 1; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) length--;
  return length;
}
