/** The zod schema of a contract's records, and its messages. */
import { z } from "zod";
import type { Contract } from "../contract.js";
import type { FieldSchema, ValueSchema } from "../file/form.js";
import { LONE_SURROGATE, whyNotExactJson } from "../json.js";
import { KEYWORDS, type Keyword, keywordsOf } from "./keywords.js";
import { isNullable, type Kind, kindOf } from "./kind.js";

/** What is wrong with one value of a record. */
interface Flaw {
  path: readonly (string | number)[];
  /** The keyword that the value violates: `type`, `pattern`, `enum`. */
  rule: string;
  /** The message without its subject: `must be an integer`. */
  message: string;
}

export type RecordCheck = (record: unknown) => readonly Flaw[];

const checks = new WeakMap<Contract, RecordCheck>();

/** Makes the exact check of a contract's records. It returns no flaws for a valid record. */
export function recordCheck(contract: Contract): RecordCheck {
  let check = checks.get(contract);
  if (!check) {
    const schema = objectOf(contract.file.properties);
    check = (record) => (schema.safeParse(record).error?.issues ?? []).map(toFlaw);
    checks.set(contract, check);
  }
  return check;
}

const RULES: Partial<Record<z.core.$ZodIssue["code"], string>> = {
  invalid_union: "anyOf",
  invalid_value: "enum",
  unrecognized_keys: "additionalProperties",
};

function toFlaw(issue: z.core.$ZodIssue): Flaw {
  const rule = issue.code === "custom" ? String(issue.params?.["rule"]) : (RULES[issue.code] ?? "type");
  return { path: issue.path as (string | number)[], rule, message: issue.message };
}

/** The message of a check. */
function must(be: string) {
  return ({ input }: { input?: unknown }) => {
    if (input === null) return 'is NULL; a type that includes "null" would accept it';
    return input === undefined ? "is missing" : `must be ${be}`;
  };
}

function mustBeObject(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "unrecognized_keys") return must("an object")(issue);
  return `must have only fields of the contract, got ${issue.keys.join(", ")}`;
}

function objectOf(properties: { readonly [name: string]: FieldSchema }): z.ZodType {
  const shape = Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)] as const);
  return z.strictObject(Object.fromEntries(shape), { error: mustBeObject });
}

/** Makes the zod type of a schema. */
export function typeOf(schema: ValueSchema): z.ZodType {
  const base = baseOf(schema);
  const keywords = keywordsOf(schema);
  const checked = keywords.length === 0 ? base : base.superRefine(firstFlaw(schema, keywords));
  return isNullable(schema) ? checked.nullable() : checked;
}

function firstFlaw(schema: ValueSchema, keywords: readonly Keyword[]) {
  const rules = keywords.map((rule) => ({ rule, check: KEYWORDS[rule].check(schema) }));
  return (value: unknown, context: z.core.$RefinementCtx) => {
    const found = rules.find(({ check }) => !check.passes(value));
    if (found) context.addIssue({ code: "custom", message: found.check.message, params: { rule: found.rule } });
  };
}

function baseOf(schema: ValueSchema): z.ZodType {
  const { const: constant, enum: values, anyOf } = schema;
  if (constant !== undefined) return z.literal(constant as z.core.util.Literal, { error: must(display(constant)) });
  if (values) {
    const literals = values as z.core.util.Literal[];
    return z.literal(literals, { error: must(`one of ${values.map(display).join(", ")}`) });
  }
  if (anyOf) return z.union(anyOf.map(typeOf), { error: must(anyOf.map(wordsFor).join(", or ")) });
  return BASES[kindOf(schema)](schema);
}

/** A value in a message; strings without quotes. */
function display(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The end of "must be ...", by type. */
const WORDS: Record<Kind, string> = {
  string: "text in valid UTF-8",
  integer: "an integer within +-(2^53 - 1)",
  number: "a finite number",
  boolean: "0 or 1",
  array: "a JSON array",
  object: "an object",
  json: "any JSON value",
  mixed: "another value",
};

const BASES: Record<Kind, (schema: ValueSchema) => z.ZodType> = {
  string: () =>
    z
      .string({ error: must(WORDS.string) })
      .refine((text) => !LONE_SURROGATE.test(text), { message: `must be ${WORDS.string}`, params: { rule: "type" } }),
  integer: () => z.int({ error: must(WORDS.integer) }),
  number: () => z.number({ error: must(WORDS.number) }),
  boolean: () => z.boolean({ error: must(WORDS.boolean) }),
  array: ({ items = { "x-json": true } }) => z.array(typeOf(items), { error: must(WORDS.array) }),
  object: ({ properties = {} }) => objectOf(properties),
  json: () => JSON_VALUE,
  mixed: () => z.unknown(),
};

/** The end of "must be ..." for a schema: by its first keyword if it has one, otherwise by its type. */
function wordsFor(schema: ValueSchema): string {
  if (schema.const !== undefined) return `exactly ${display(schema.const)}`;
  if (schema.enum) return `one of ${schema.enum.map(display).join(", ")}`;
  const [name] = keywordsOf(schema);
  const message = name && KEYWORDS[name].check(schema).message;
  return message?.startsWith("must be ") ? message.slice("must be ".length) : WORDS[kindOf(schema)];
}

/** Any JSON value that every parser holds exactly: without numbers that would be rounded, and without deep nesting. */
const JSON_VALUE = z.unknown().superRefine((value, context) => {
  const message = isPlain(value) ? whyNotExactJson(value) : "must be TEXT that holds JSON";
  if (message) context.addIssue({ code: "custom", message, params: { rule: "x-json" } });
});

/** Whether a value is a plain JSON value. The source reader passes text that is not JSON as another kind of object. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return true;
  return Object.getPrototypeOf(value) === Object.prototype;
}
