/** The keywords of JSON Schema that narrow a type: whether a value fits one, and in words what it must be. */
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import type { ValueSchema } from "../file/form.js";
import { isUri } from "../links.js";
import { matches } from "./matches.js";

/** A check of one keyword. Values of another type fit it, since another check refuses those. */
export interface KeywordCheck {
  passes(value: unknown): boolean;
  message: string;
}

type Given<Name extends keyof ValueSchema> = NonNullable<ValueSchema[Name]>;

function ofText(passes: (text: string) => boolean, be: string): KeywordCheck {
  return { passes: (value) => typeof value !== "string" || passes(value), message: `must ${be}` };
}

function ofNumber(passes: (number: number) => boolean, be: string): KeywordCheck {
  return { passes: (value) => typeof value !== "number" || passes(value), message: `must ${be}` };
}

function ofList(passes: (list: readonly unknown[]) => boolean, be: string): KeywordCheck {
  return { passes: (value) => !Array.isArray(value) || passes(value), message: `must ${be}` };
}

function bound<Name extends keyof ValueSchema>(
  name: Name,
  check: (limit: Given<Name>, schema: ValueSchema) => KeywordCheck,
): (schema: ValueSchema) => KeywordCheck {
  return (schema) => check(schema[name] as Given<Name>, schema);
}

export type Keyword = keyof typeof KEYWORDS;

/** In the order in which they are asked; the first that a value does not fit is told. */
export const KEYWORDS = {
  format: bound("format", (format, { examples }) => {
    const { is, words, example } = FORMATS[format];
    return ofText(is, `be ${words}, like ${examples?.[0] ?? example}`);
  }),
  pattern: bound("pattern", (pattern, { examples }) => {
    const expression = new RegExp(pattern, "u");
    const like = examples?.[0] === undefined ? "" : `, like ${examples[0]}`;
    return ofText((text) => matches(expression, text), `match ${pattern}${like}`);
  }),
  minLength: bound("minLength", (least) =>
    ofText((text) => lengthOf(text) >= least, least === 1 ? "not be empty" : `have at least ${least} characters`),
  ),
  maxLength: bound("maxLength", (most) => ofText((text) => lengthOf(text) <= most, `have at most ${most} characters`)),
  minimum: bound("minimum", (least) =>
    ofNumber((number) => number >= least, least === 0 ? "not be negative" : `be ${least} or more`),
  ),
  maximum: bound("maximum", (most) => ofNumber((number) => number <= most, `be ${most} or less`)),
  exclusiveMinimum: bound("exclusiveMinimum", (limit) => ofNumber((number) => number > limit, `be more than ${limit}`)),
  exclusiveMaximum: bound("exclusiveMaximum", (limit) => ofNumber((number) => number < limit, `be less than ${limit}`)),
  minItems: bound("minItems", (least) => ofList((list) => list.length >= least, `have at least ${least} items`)),
  maxItems: bound("maxItems", (most) => ofList((list) => list.length <= most, `have at most ${most} items`)),
  uniqueItems: bound("uniqueItems", (isAsked) =>
    ofList((list) => !isAsked || new Set(list.map((item) => stringify(item))).size === list.length, "repeat no item"),
  ),
} satisfies Partial<Record<keyof ValueSchema, (schema: ValueSchema) => KeywordCheck>>;

const DATE_TIME = z.regexes.datetime({ offset: true });

/** What each format means, here and in the pattern that checks texts. */
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

/** In characters (code points), as JSON Schema counts them. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) if (isSecondHalf(text.charCodeAt(at)) && at > 0) length--;
  return length;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
