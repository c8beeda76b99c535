/** The zod schema of a contract's records, and its messages. */
import * as z from "zod";
import type { Contract } from "../contract.js";
import type { ValueSchema } from "../file/form.js";
import { suggestion } from "../file/mistakes.js";
import { isObject, isWellFormed, whyNotExactJson } from "../json.js";
import { checksOf, keywordsOf, messageOf } from "./keywords.js";
import { type Kind, kindOf, kindsOf } from "./kind.js";

/** What is wrong with one value of a record, or of a contract file. */
export interface Flaw {
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
    const schema = z.compile(typeOf(contract.file));
    check = (record) => flawsOf(schema.safeParse(record).error?.issues ?? []);
    checks.set(contract, check);
  }
  return check;
}

const RULES: Partial<Record<z.core.$ZodIssue["code"], string>> = { invalid_union: "anyOf", invalid_value: "enum" };

/** The first flaw of each value. */
export function flawsOf(issues: readonly z.core.$ZodIssue[]): readonly Flaw[] {
  const flaws = new Map<string, Flaw>();
  for (const issue of issues) {
    const path = issue.path as (string | number)[];
    const place = JSON.stringify(path);
    const rule = issue.code === "custom" ? issue.params?.["rule"] : (RULES[issue.code] ?? "type");
    if (!flaws.has(place)) flaws.set(place, { path, rule, message: issue.message });
  }
  return [...flaws.values()];
}

export const MISSING = "is missing";

/** The message of a check. */
function must(be: string) {
  return ({ input }: { input?: unknown }) => {
    if (input === null) return 'is NULL; a type that includes "null" would accept it';
    return input === undefined ? MISSING : `must be ${be}`;
  };
}

/** A schema of records, or of contract.schema.json, which also has optional members, maps and references. */
export interface FormSchema extends ValueSchema {
  readonly prefixItems?: readonly FormSchema[];
  /** The type that a `$ref` leads to. */
  readonly lazy?: () => z.ZodType;
  /** The message of all its keywords, which editors show, too. */
  readonly errorMessage?: string;
  /** What an object is, in messages. */
  readonly "x-name"?: string;
}

function objectOf(schema: FormSchema): z.ZodType {
  const { properties = {}, required = [], additionalProperties: others, "x-name": what, errorMessage } = schema;
  if (others) return z.record(z.string(), typeOf(others as FormSchema), errorMessage);
  const names = Object.keys(properties);
  const types = names.map((name) => {
    const type = typeOf(properties[name] ?? {});
    return [name, required.includes(name) ? type : type.optional()];
  });
  const error = ({ path }: z.core.$ZodRawIssue) => {
    if (what === undefined) return "is not a field of the contract";
    return `is not a keyword of ${what}; ${suggestion(String(path?.at(-1)), names)}`;
  };
  const none = z.custom(() => false, { error, params: { rule: "additionalProperties" } });
  return z.object(Object.fromEntries(types), { error: must(ALLOWED.object) }).catchall(none);
}

/** Makes the check whether a value fits a schema. */
export function acceptorOf(schema: ValueSchema): (value: unknown) => boolean {
  const type = typeOf(schema);
  return (value) => type.safeParse(value).success;
}

/** Makes the zod type of a schema. */
export function typeOf(schema: FormSchema): z.ZodType {
  if (schema.lazy) return z.lazy(schema.lazy);
  const checked = baseOf(schema).check(...checksOf(schema, schema.errorMessage));
  return kindsOf(schema).nullable ? checked.nullable() : checked;
}

function baseOf(schema: FormSchema): z.ZodType {
  const { const: constant, enum: values, anyOf, errorMessage } = schema;
  const error = (allowed: string) => errorMessage ?? must(allowed);
  if (constant !== undefined) return z.literal(constant as z.core.util.Literal, { error: error(display(constant)) });
  if (values) {
    const literals = values as z.core.util.Literal[];
    return z.literal(literals, { error: error(`one of ${values.map(display).join(", ")}`) });
  }
  if (anyOf) return z.union(anyOf.map(typeOf), { error: error(anyOf.map(allowedBy).join(", or ")) });
  const kind = kindOf(schema);
  return BASES[kind](schema, error(ALLOWED[kind]));
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

type Message = string | ReturnType<typeof must>;

const BASES: Record<Kind, (schema: FormSchema, error: Message) => z.ZodType> = {
  string: (_, error) =>
    z.string({ error }).refine(isWellFormed, { message: `must be ${ALLOWED.string}`, params: { rule: "type" } }),
  integer: (_, error) => z.int({ error }),
  number: (_, error) => z.number({ error }),
  boolean: (_, error) => z.boolean({ error }),
  array({ items = ANY, prefixItems }, error) {
    return prefixItems ? z.tuple(prefixItems.map(typeOf) as [z.ZodType], { error }) : z.array(typeOf(items), { error });
  },
  object: objectOf,
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

/** The schema of items for which a list has none. */
const ANY = { "x-json": true } as const;

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
