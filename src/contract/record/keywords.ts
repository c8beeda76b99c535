/** The keywords that narrow a type: their form in a contract file, their message, and the check of values. */
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import type { ValueSchema } from "../file/form.js";
import { otherThan } from "../file/mistakes.js";
import { isUri } from "../links.js";
import type { ValueKind } from "./kind.js";

type Format = NonNullable<ValueSchema["format"]>;

interface Rule<Value = unknown> {
  /** The form of the keyword's value in a contract file. */
  form: z.ZodType;
  /** The end of the message "must ...". */
  must(value: Value, schema: ValueSchema): string;
  check(value: Value, params: { error: string }): z.core.$ZodCheck<never>;
}

const PATTERN = z.string(otherThan("a regular expression")).min(1, otherThan("a regular expression"));
const COUNT = z.int(otherThan("a whole number from 0")).min(0, otherThan("a whole number from 0"));
const BOUND = z.number(otherThan("a finite number"));
const DATE_TIME = z.regexes.datetime({ offset: true });

/** The check, name and example of each format. byte-pattern.ts has the same formats as patterns of bytes. */
const FORMATS: Record<Format, { is: (text: string) => boolean; name: string; example: string }> = {
  uuid: {
    is: (text) => matches(z.regexes.guid, text),
    name: "a UUID in 8-4-4-4-12 form",
    example: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53",
  },
  date: { is: (text) => matches(z.regexes.date, text), name: "a real date", example: "2026-01-31" },
  "date-time": {
    is: (text) => matches(DATE_TIME, text),
    name: "a real time of RFC 3339",
    example: "2026-01-31T23:59:59Z",
  },
  uri: { is: isUri, name: "an absolute URL", example: "https://example.com/" },
};
const FORMAT = z.enum(Object.keys(FORMATS), otherThan(`one of ${Object.keys(FORMATS).join(", ")}`));

/** A check that zod does not have. Its issues name the keyword. */
function custom<Value>(rule: string, passes: (value: Value) => boolean, params: { error: string }) {
  return z.refine<Value>(passes, { ...params, params: { rule } });
}

const OF_STRINGS = {
  format: {
    form: FORMAT.describe("A form of strings, which is checked."),
    must(format, { examples }) {
      const { name, example } = FORMATS[format];
      return `be ${name}, like ${examples?.[0] ?? example}`;
    },
    check: (format, params) => custom("format", FORMATS[format].is, params),
  } satisfies Rule<Format>,
  pattern: {
    form: PATTERN.describe(
      "A regular expression (ECMAScript, flag u) that a string has a match of; ^ and $ anchor it.",
    ),
    must: (pattern, { examples }) => `match ${pattern}${examples?.[0] === undefined ? "" : `, like ${examples[0]}`}`,
    check(pattern, params) {
      const expression = new RegExp(pattern, "u");
      return custom("pattern", (text: string) => matches(expression, text), params);
    },
  } satisfies Rule<string>,
  minLength: {
    form: COUNT.describe("The fewest characters of a string."),
    must: (least) => (least === 1 ? "not be empty" : `have at least ${least} characters`),
    check: z.minLength,
  } satisfies Rule<number>,
  maxLength: {
    form: COUNT.describe("The most characters of a string."),
    must: (most) => `have at most ${most} characters`,
    check: z.maxLength,
  } satisfies Rule<number>,
};

const OF_NUMBERS = {
  minimum: {
    form: BOUND.describe("The least number."),
    must: (least) => (least === 0 ? "not be negative" : `be ${least} or more`),
    check: z.gte,
  } satisfies Rule<number>,
  maximum: {
    form: BOUND.describe("The greatest number."),
    must: (most) => `be ${most} or less`,
    check: z.lte,
  } satisfies Rule<number>,
  exclusiveMinimum: {
    form: BOUND.describe("A number that values must be above."),
    must: (limit) => `be more than ${limit}`,
    check: z.gt,
  } satisfies Rule<number>,
  exclusiveMaximum: {
    form: BOUND.describe("A number that values must be below."),
    must: (limit) => `be less than ${limit}`,
    check: z.lt,
  } satisfies Rule<number>,
};

const OF_LISTS = {
  minItems: {
    form: COUNT.describe("The fewest items of a list."),
    must: (least) => `have at least ${least} items`,
    check: z.minLength,
  } satisfies Rule<number>,
  maxItems: {
    form: COUNT.describe("The most items of a list."),
    must: (most) => `have at most ${most} items`,
    check: z.maxLength,
  } satisfies Rule<number>,
  uniqueItems: {
    form: z.boolean(otherThan("true or false")).describe("Whether no two items of a list may be equal."),
    must: () => "repeat no item",
    check: (isSet, params) => custom("uniqueItems", (list: unknown) => !isSet || areUnique(list), params),
  } satisfies Rule<boolean>,
};

/** The rules of all keywords, in the order of their checks. */
const RULES = { ...OF_STRINGS, ...OF_NUMBERS, ...OF_LISTS } as Record<Keyword, Rule>;

export type Keyword = keyof typeof OF_STRINGS | keyof typeof OF_NUMBERS | keyof typeof OF_LISTS;

/** The keywords for each kind of value. */
export const KEYWORDS_OF = {
  string: Object.keys(OF_STRINGS) as Keyword[],
  number: Object.keys(OF_NUMBERS) as Keyword[],
  array: Object.keys(OF_LISTS) as Keyword[],
} satisfies Partial<Record<ValueKind, Keyword[]>>;

/** The form of a keyword's value in a contract file. */
export function formOf(keyword: Keyword): z.ZodType {
  return RULES[keyword].form.optional();
}

/** Lists the keywords of a schema, in the order of their checks. */
export function keywordsOf(schema: ValueSchema): Keyword[] {
  return (Object.keys(RULES) as Keyword[]).filter((name) => schema[name] !== undefined);
}

/** The message of a keyword of a schema: `must not be empty`. */
export function messageOf(keyword: Keyword, schema: ValueSchema): string {
  return `must ${RULES[keyword].must(schema[keyword], schema)}`;
}

/** Makes the checks of a schema's keywords. */
export function checksOf(schema: ValueSchema): z.core.$ZodCheck<unknown>[] {
  return keywordsOf(schema).map((keyword) => {
    const check = RULES[keyword].check(schema[keyword], { error: messageOf(keyword, schema) });
    return check as z.core.$ZodCheck<unknown>;
  });
}

/** The keywords that zod checks itself, by the code and the origin of their issues. */
const NATIVE: Partial<Record<string, Readonly<Partial<Record<string, Keyword>>>>> = {
  too_small: { string: "minLength", array: "minItems", number: "minimum", exclusive: "exclusiveMinimum" },
  too_big: { string: "maxLength", array: "maxItems", number: "maximum", exclusive: "exclusiveMaximum" },
};

/** The keyword that an issue of zod is about. An integer that a double does not hold has the origin "int". */
export function keywordOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === "custom") return issue.params?.["rule"];
  if (issue.code !== "too_small" && issue.code !== "too_big") return undefined;
  return NATIVE[issue.code]?.[issue.inclusive === false ? "exclusive" : issue.origin];
}

function areUnique(list: unknown): boolean {
  return !Array.isArray(list) || new Set(list.map((item) => stringify(item))).size === list.length;
}

/** Whether a text has a format. */
export function hasFormat(format: Format, text: string): boolean {
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
