/** Examples of values: those of the contract, or else generated ones. Each is valid by its schema. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { neighbours } from "../../contract/links.js";
import { isNullable, kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import type { ApiDescription } from "./described.js";

/** An example of a schema's values; undefined if none is found, for example for a complex pattern. */
export function exampleOf(schema: ValueSchema): unknown {
  const type = typeOf(schema);
  return candidates(schema).find((value) => value !== undefined && type.safeParse(value).success);
}

/** An example page: the second of three, with this record. */
export function examplePage({ listing }: Contract, { baseUrl, links }: ApiDescription, record: unknown) {
  const place = { baseUrl, path: listing.path, links };
  return { count: 3, ...neighbours({ ...place, page: 2, pages: 3 }), results: [record] };
}

/** Possible examples, best first. */
function candidates(schema: ValueSchema): unknown[] {
  const { examples = [], const: constant, enum: values = [], anyOf = [] } = schema;
  const said = [...examples, constant, ...values, ...anyOf.map(exampleOf)];
  return [...said, ...generated(schema), ...(isNullable(schema) ? [null] : [])];
}

const TEXTS = {
  uuid: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53",
  date: "2026-01-31",
  "date-time": "2026-01-31T23:59:59Z",
  uri: "https://example.com/",
} as const;

function generated(schema: ValueSchema): unknown[] {
  switch (kindOf(schema)) {
    case "string":
      return texts(schema);
    case "integer":
      return numbers(schema, 1);
    case "number":
      return [1.5, ...numbers(schema, 0.5)];
    case "boolean":
      return [true];
    case "array":
      return lists(schema);
    case "object":
      return [members(schema)];
    case "json":
      return [{}];
    default:
      return [];
  }
}

function texts({ format, pattern, minLength = 0, maxLength }: ValueSchema): (string | undefined)[] {
  const plain = "text".padEnd(Math.min(minLength, LONGEST), "t").slice(0, maxLength);
  return [format && TEXTS[format], pattern === undefined ? plain : sampleOf(pattern), ""];
}

/** Maximum length of a text, and of the JSON of a list. */
const LONGEST = 1000;

function numbers(schema: ValueSchema, step: number): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  const ends = [least, most].filter((end) => end !== undefined);
  return [1, ...ends, ...ends.flatMap((end) => [Math.ceil(end), Math.floor(end)])];
}

function lists({ items, minItems = 0 }: ValueSchema): unknown[] {
  const item = items ? exampleOf(items) : {};
  const isLong = JSON.stringify(item ?? null).length * minItems > LONGEST;
  return item === undefined || isLong ? [[]] : [Array(Math.max(1, minItems)).fill(item), []];
}

function members({ properties = {} }: ValueSchema): Record<string, unknown> {
  const names = Object.keys(properties).sort();
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {})]));
}

/** A short text that a pattern matches; undefined for syntax that is not read here. */
export function sampleOf(pattern: string): string | undefined {
  const reader = { text: pattern, at: 0 };
  const sample = readBranches(reader);
  const isTaken = sample !== undefined && reader.at === pattern.length && new RegExp(pattern, "u").test(sample);
  return isTaken ? sample : undefined;
}

interface Reader {
  text: string;
  at: number;
}

function peek({ text, at }: Reader): string {
  return text.charAt(at);
}

/** Reads all branches of the pattern or group. @returns a sample of the first */
function readBranches(reader: Reader): string | undefined {
  const first = readTerms(reader);
  while (first !== undefined && peek(reader) === "|") {
    reader.at++;
    if (readTerms(reader) === undefined) return undefined;
  }
  return first;
}

function readTerms(reader: Reader): string | undefined {
  let sample = "";
  while (peek(reader) !== "" && !"|)".includes(peek(reader))) {
    const atom = readAtom(reader);
    const times = atom === undefined ? undefined : readQuantifier(reader);
    if (atom === undefined || times === undefined || sample.length + atom.length * times > LONGEST) return undefined;
    sample += atom.repeat(times);
  }
  return sample;
}

/** A member of each character set. */
const MEMBERS: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };

function readAtom(reader: Reader): string | undefined {
  const first = peek(reader);
  reader.at++;
  if (first === "^" || first === "$") return "";
  if (first === ".") return "a";
  if (first === "[") return readClass(reader);
  if (first === "\\") return readEscape(reader);
  if (first !== "(") return "*+?{}]".includes(first) ? undefined : first;
  if (reader.text.startsWith("?:", reader.at)) reader.at += 2;
  else if (peek(reader) === "?") return undefined;
  const inside = readBranches(reader);
  return peek(reader) === ")" && reader.at++ > 0 ? inside : undefined;
}

function readEscape(reader: Reader): string | undefined {
  const character = peek(reader);
  reader.at++;
  return MEMBERS[character] ?? (/\w/.test(character) ? undefined : character);
}

/** Reads a class. @returns one of its members, preferably a letter or digit */
function readClass(reader: Reader): string | undefined {
  const [whole, not, members = ""] = /^(\^?)((?:\\.|[^\]\\])*)\]/.exec(reader.text.slice(reader.at)) ?? [];
  if (whole === undefined) return undefined;
  reader.at += whole.length;
  const isMember = new RegExp(`^[${not}${members}]$`, "u");
  return ["A", "a", "1", "0", ...members, "-", " "].find((character) => isMember.test(character));
}

/** Reads a quantifier. @returns the minimum count; 1 for `*` and `?` */
function readQuantifier(reader: Reader): number | undefined {
  const [whole = "", least] = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})?\??/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += whole.length;
  return least === undefined ? 1 : Number(least);
}
