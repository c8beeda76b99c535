/** The zod schema of a contract's records, and its messages. */
import { z } from "zod";
import type { Contract } from "../contract.js";
import type { FieldSchema, ValueSchema } from "../file/form.js";
import { isObject, isWellFormed, whyNotExactJson } from "../json.js";
import { checksOf, keywordOf, keywordsOf, messageOf } from "./keywords.js";
import { type Kind, kindOf, kindsOf } from "./kind.js";

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
    const schema = z.compile(objectOf(contract.file.properties));
    check = (record) => flawsOf(schema.safeParse(record).error?.issues ?? []);
    checks.set(contract, check);
  }
  return check;
}

const RULES: Partial<Record<z.core.$ZodIssue["code"], string>> = {
  invalid_union: "anyOf",
  invalid_value: "enum",
  unrecognized_keys: "additionalProperties",
};

/** The first flaw of each value. */
function flawsOf(issues: readonly z.core.$ZodIssue[]): readonly Flaw[] {
  const flaws = new Map<string, Flaw>();
  for (const issue of issues) {
    const path = issue.path as (string | number)[];
    const place = JSON.stringify(path);
    const rule = keywordOf(issue) ?? RULES[issue.code] ?? "type";
    if (!flaws.has(place)) flaws.set(place, { path, rule, message: issue.message });
  }
  return [...flaws.values()];
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

/** Makes the check whether a value fits a schema. */
export function acceptorOf(schema: ValueSchema): (value: unknown) => boolean {
  const type = typeOf(schema);
  return (value) => type.safeParse(value).success;
}

/** Makes the zod type of a schema. */
export function typeOf(schema: ValueSchema): z.ZodType {
  const checked = baseOf(schema).check(...checksOf(schema));
  return kindsOf(schema).nullable ? checked.nullable() : checked;
}

function baseOf(schema: ValueSchema): z.ZodType {
  const { const: constant, enum: values, anyOf } = schema;
  if (constant !== undefined) return z.literal(constant as z.core.util.Literal, { error: must(display(constant)) });
  if (values) {
    const literals = values as z.core.util.Literal[];
    return z.literal(literals, { error: must(`one of ${values.map(display).join(", ")}`) });
  }
  if (anyOf) return z.union(anyOf.map(typeOf), { error: must(anyOf.map(allowedBy).join(", or ")) });
  return BASES[kindOf(schema)](schema);
}

/** A value in a message; strings without quotes. */
function display(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The end of "must be ...", by type. */
const ALLOWED: Record<Kind, string> = {
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
      .string({ error: must(ALLOWED.string) })
      .refine(isWellFormed, { message: `must be ${ALLOWED.string}`, params: { rule: "type" } }),
  integer: () => z.int({ error: must(ALLOWED.integer) }),
  number: () => z.number({ error: must(ALLOWED.number) }),
  boolean: () => z.boolean({ error: must(ALLOWED.boolean) }),
  array: ({ items = { "x-json": true } }) => z.array(typeOf(items), { error: must(ALLOWED.array) }),
  object: ({ properties = {} }) => objectOf(properties),
  json: () => JSON_VALUE,
  mixed: () => z.unknown(),
};

/** The end of "must be ..." for a schema: by its first keyword if it has one, otherwise by its type. */
function allowedBy(schema: ValueSchema): string {
  if (schema.const !== undefined) return `exactly ${display(schema.const)}`;
  if (schema.enum) return `one of ${schema.enum.map(display).join(", ")}`;
  const [keyword] = keywordsOf(schema);
  const message = keyword && messageOf(keyword, schema);
  return message?.startsWith("must be ") ? message.slice("must be ".length) : ALLOWED[kindOf(schema)];
}

/** Any JSON value that every parser holds exactly: without numbers that would be rounded, and without deep nesting. */
const JSON_VALUE = z.unknown().refine((value) => whyNotJson(value) === undefined, {
  error: ({ input }) => whyNotJson(input),
  params: { rule: "x-json" },
});

/** The source reader passes text that is not JSON as an object of a class. */
function whyNotJson(value: unknown): string | undefined {
  const isPlain = !isObject(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? whyNotExactJson(value) : "must be TEXT that holds JSON";
}
