/** The keywords that narrow a type: the kinds that they are for, their message, and the check of values. */
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import type { ValueSchema } from "../file/form.js";
import { whyNotPattern } from "../file/patterns.js";
import { isUri } from "../links.js";
import type { ValueKind } from "./kind.js";

type Format = keyof typeof FORMATS;

interface Rule<Value, Checked> {
  of: readonly ValueKind[];
  /** The end of the message "must ...". */
  must(value: Value, schema: ValueSchema): string;
  /** Makes the check of values. */
  takes(value: Value): (checked: Checked) => boolean;
}

/** The check, name and example of each format. */
export const FORMATS = {
  uuid: { is: z.regexes.guid, name: "a UUID in 8-4-4-4-12 form", example: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53" },
  date: { is: z.regexes.date, name: "a real date", example: "2026-01-31" },
  "date-time": {
    is: z.regexes.datetime({ offset: true }),
    name: "a real time of RFC 3339",
    example: "2026-01-31T23:59:59Z",
  },
  uri: { is: isUri, name: "an absolute URL", example: "https://example.com/" },
  /** This and the next are only in contract.schema.json. */
  email: { is: z.regexes.email, name: "an e-mail address", example: "jo@example.com" },
  regex: { is: (text: string) => whyNotPattern(text) === undefined, name: "a fast pattern", example: "^[A-Z]{2}$" },
};

const TEXTS = ["string"] as const;
const NUMBERS = ["integer", "number"] as const;
const LISTS = ["array"] as const;

type Sized = string | unknown[];
const sizeOf = (value: Sized) => (typeof value === "string" ? z.util.codePointLength(value) : value.length);

/** A rule about a number: the length of a text or a list, or the number itself. */
function limit<Checked>(
  of: readonly ValueKind[],
  must: (limit: number) => string,
  isWithin: (value: Checked, limit: number) => boolean,
) {
  return { of, must, takes: (limit: number) => (value: Checked) => isWithin(value, limit) };
}

/** The rules of all keywords, in the order of their checks. */
const RULES = {
  format: {
    of: TEXTS,
    must(format: Format, { examples }: ValueSchema) {
      const { name, example } = FORMATS[format];
      return `be ${name}, like ${examples?.[0] ?? example}`;
    },
    takes: (format: Format) => (text: string) => hasFormat(format, text),
  },
  pattern: {
    of: TEXTS,
    must: (pattern: string, { examples }: ValueSchema) =>
      `match ${pattern}${examples?.[0] === undefined ? "" : `, like ${examples[0]}`}`,
    takes(pattern: string) {
      const expression = new RegExp(pattern, "u");
      return (text: string) => matches(expression, text);
    },
  },
  minLength: limit<Sized>(
    TEXTS,
    (least) => (least === 1 ? "not be empty" : `have at least ${least} characters`),
    (text, least) => sizeOf(text) >= least,
  ),
  maxLength: limit<Sized>(
    TEXTS,
    (most) => `have at most ${most} characters`,
    (text, most) => sizeOf(text) <= most,
  ),
  minimum: limit<number>(
    NUMBERS,
    (least) => (least === 0 ? "not be negative" : `be ${least} or more`),
    (value, least) => value >= least,
  ),
  maximum: limit<number>(
    NUMBERS,
    (most) => `be ${most} or less`,
    (value, most) => value <= most,
  ),
  exclusiveMinimum: limit<number>(
    NUMBERS,
    (below) => `be more than ${below}`,
    (value, below) => value > below,
  ),
  exclusiveMaximum: limit<number>(
    NUMBERS,
    (above) => `be less than ${above}`,
    (value, above) => value < above,
  ),
  minItems: limit<Sized>(
    LISTS,
    (least) => `have at least ${least} items`,
    (list, least) => sizeOf(list) >= least,
  ),
  maxItems: limit<Sized>(
    LISTS,
    (most) => `have at most ${most} items`,
    (list, most) => sizeOf(list) <= most,
  ),
  uniqueItems: {
    of: LISTS,
    must: () => "repeat no item",
    takes: (isSet: boolean) => (list: unknown[]) =>
      !isSet || new Set(list.map((item) => stringify(item))).size === list.length,
  },
} satisfies Record<string, Rule<never, never>>;

export type Keyword = keyof typeof RULES;

export const KEYWORDS = Object.keys(RULES) as Keyword[];

const ruleOf = (keyword: Keyword) => RULES[keyword] as Rule<unknown, unknown>;

/** The kinds of values that a keyword is for. */
export function kindsFor(keyword: Keyword): readonly ValueKind[] {
  return RULES[keyword].of;
}

/** Lists the keywords of a schema, in the order of their checks. */
export function keywordsOf(schema: ValueSchema): Keyword[] {
  return KEYWORDS.filter((name) => schema[name] !== undefined);
}

/** The message of a keyword of a schema: `must not be empty`. */
export function messageOf(keyword: Keyword, schema: ValueSchema): string {
  return `must ${ruleOf(keyword).must(schema[keyword], schema)}`;
}

/** Makes the checks of a schema's keywords. Their issues name the keyword. */
export function checksOf(schema: ValueSchema, error?: string): z.core.$ZodCheck<unknown>[] {
  return keywordsOf(schema).map((keyword) =>
    z.refine(ruleOf(keyword).takes(schema[keyword]), {
      error: error ?? messageOf(keyword, schema),
      params: { rule: keyword },
    }),
  );
}

/** Whether a text has a format. */
export function hasFormat(format: Format, text: string): boolean {
  const { is } = FORMATS[format];
  return is instanceof RegExp ? matches(is, text) : is(text);
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
