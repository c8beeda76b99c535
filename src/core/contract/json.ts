/** Parses untrusted JSON. Depth and number of values are checked first, since parsing could exhaust memory or the stack. */
import type * as z from "zod";

const MAX_JSON_DEPTH = 32;

/** Depth limit of the parser. It is above `MAX_JSON_DEPTH`, so that values slightly too deep get the contract's own message. */
export const DEEPEST_JSON = 10 * MAX_JSON_DEPTH;
/** Five times the values of the largest page. Without a limit, 64 MiB of `[],` is 20 million values and takes 1 GB of memory. */
const MOST_VALUES = 200_000;

/** Parses untrusted JSON. @returns the value, or why not, as the end of a sentence: "is not JSON". */
export function parseJson(text: string): { value: unknown } | { why: string } {
  const why = whyNotToParse(text, MOST_VALUES);
  if (why !== undefined) return { why };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { why: "is not JSON" };
    throw error;
  }
}

/** Whether a value is an object, not null or an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses untrusted JSON and checks it against a schema; undefined if it is not JSON or does not fit. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = parseJson(text);
  return "why" in read ? undefined : schema.safeParse(read.value).data;
}

/** Like `parseAs`, but says why the text does not fit, as the end of a sentence. */
export function readAs<T extends object>(schema: z.ZodType<T>, text: string): T | { why: string } {
  const read = parseJson(text);
  if ("why" in read) return read;
  const result = schema.safeParse(read.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  return { why: path ? `has a ${path} that does not fit: ${issue?.message}` : `does not fit: ${issue?.message}` };
}

/** Whether JSON is nested too deeply to be parsed safely. */
export function isTooDeep(text: string): boolean {
  return whyNotToParse(text, Number.POSITIVE_INFINITY) !== undefined;
}

function whyNotToParse(text: string, mostValues: number): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++;
      values++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > DEEPEST_JSON) return `is nested deeper than ${DEEPEST_JSON} levels`;
    if (values > mostValues) return `holds more than ${mostValues} values`;
  }
  return undefined;
}

// Character codes of JSON.
export const QUOTE = 0x22;
export const COMMA = 0x2c;
const BACKSLASH = 0x5c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Offset of the quote that ends the string at an offset; the text's length if none does. */
export function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** What is wrong in a JSON value, completing "it ...", and where. */
interface Flaw {
  why: string;
  place: readonly string[];
}

/** Says what is wrong with a number, a text, or the name of a member. */
type WhyNot = (part: number | string, isName: boolean) => string | undefined;

/** Finds the first flaw in a JSON value. */
export function findFlaw(value: unknown, whyNot: WhyNot, levels = Number.POSITIVE_INFINITY): Flaw | undefined {
  const why = typeof value === "number" || typeof value === "string" ? whyNot(value, false) : undefined;
  if (why !== undefined) return { why, place: [] };
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return { why: `must not be nested deeper than ${MAX_JSON_DEPTH} levels`, place: [] };
  for (const [name, item] of Object.entries(value)) {
    const whyNotName = whyNot(name, true);
    const found = whyNotName === undefined ? findFlaw(item, whyNot, levels - 1) : { why: whyNotName, place: [] };
    if (found) return { why: found.why, place: [name, ...found.place] };
  }
  return undefined;
}

/** Says why some JSON parsers cannot hold a value exactly, completing "it ..."; undefined if all can. */
export function whyNotExactJson(value: unknown): string | undefined {
  return findFlaw(value, whyNotExact, MAX_JSON_DEPTH)?.why;
}

function whyNotExact(part: number | string): string | undefined {
  if (typeof part === "string") return isWellFormed(part) ? undefined : "must not hold half a surrogate pair";
  const isExact = Number.isInteger(part) ? Number.isSafeInteger(part) : Number.isFinite(part);
  return isExact ? undefined : "must not hold whole numbers beyond +-(2^53 - 1), 1e21 too";
}

/** Whether a text has no half of a surrogate pair, which JSON can express and UTF-8 cannot. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
