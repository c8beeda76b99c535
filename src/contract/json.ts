/** Parses JSON from strangers, which is checked first: its value may take far more memory than its text, or overflow the stack. */
import type { z } from "zod";

const MAX_JSON_DEPTH = 32;

/** Far deeper than the contract allows, so that the contract itself refuses what is only a little too deep. */
const DEEPEST = 10 * MAX_JSON_DEPTH;
/** Five times as many as the largest page has. Without a limit, 64 MiB of `[],` would be 20 million values, and take a gigabyte. */
const MOST_VALUES = 200_000;

/** The value of a text, or why it is not parsed, as the end of a sentence: "is not JSON". */
export function parseJson(text: string, mostValues = MOST_VALUES): { value: unknown } | { why: string } {
  const why = whyNotToParse(text, mostValues);
  if (why !== undefined) return { why };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { why: "is not JSON" };
    throw error;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined when the text is not JSON or does not fit the schema. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = parseJson(text);
  return "why" in read ? undefined : schema.safeParse(read.value).data;
}

/** What a text says, or why it does not fit the schema, as the end of a sentence. */
export function readAs<T extends object>(schema: z.ZodType<T>, text: string): T | { why: string } {
  const read = parseJson(text);
  if ("why" in read) return read;
  const result = schema.safeParse(read.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  return { why: path ? `has a ${path} that does not fit: ${issue?.message}` : `does not fit: ${issue?.message}` };
}

export function isTooDeep(text: string): boolean {
  return whyNotToParse(text, Number.POSITIVE_INFINITY) !== undefined;
}

function whyNotToParse(text: string, mostValues = MOST_VALUES): string | undefined {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) [depth, values] = [depth + 1, values + 1];
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > DEEPEST) return `is nested deeper than ${DEEPEST} levels`;
    if (values > mostValues) return `holds more than ${mostValues} values`;
  }
  return undefined;
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((end - escapes) % 2 === 0) return end;
  }
  return text.length;
}

/** Why not every reader can hold a JSON value exactly, completing "it ..."; undefined where all can. */
export function whyNotExactJson(value: unknown, depth = MAX_JSON_DEPTH): string | undefined {
  if (typeof value === "number") {
    const exact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return exact ? undefined : "must not hold whole numbers beyond +-(2^53 - 1), 1e21 too";
  }
  if (typeof value === "string") return LONE_SURROGATE.test(value) ? "must not hold half a surrogate pair" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === 0) return `must not be nested deeper than ${MAX_JSON_DEPTH} levels`;
  for (const [key, item] of Object.entries(value)) {
    const message = whyNotExactJson(key, 0) ?? whyNotExactJson(item, depth - 1);
    if (message) return message;
  }
  return undefined;
}

/** Half a surrogate pair, which JSON can write and UTF-8 cannot. */
export const LONE_SURROGATE = /\p{Surrogate}/u;
