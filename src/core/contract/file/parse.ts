/** Parses and checks a contract file, which may be untrusted. Reports all mistakes at once. */

import { readFileSync } from "node:fs";
import type * as z from "zod";
import { packageFile } from "../../package.js";
import { shorten, visible } from "../../print/text.js";
import { type Contract, contractOf } from "../contract.js";
import { DEEPEST_JSON, findFlaw, isObject, isTooDeep, isWellFormed } from "../json.js";
import { type Flaw, flawsOf, MISSING, typeOf } from "../record/schema.js";
import { valueAt } from "../record/value.js";
import { checkConditions } from "./conditions.js";
import { parseConfig } from "./config-json.js";
import { checkFields, checkListing, checkPath } from "./field-rules.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import { below, display, firstMistakes, lineOf, type Refuse } from "./mistakes.js";
import { whyNotPattern } from "./patterns.js";
import { checkObject } from "./rules.js";

/** A contract, or its mistakes, one line each. */
export type ReadContract = Contract | { mistakes: string[] };

const MOST_PATTERNS = 100;
const MOST_REFUSED = 4;

/** Checks a contract, given as the text of its file or as a plain object, which is copied. */
export function checkContract(given: unknown): ReadContract {
  let text: string | undefined;
  try {
    text = typeof given === "string" ? given : JSON.stringify(given);
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { mistakes: [`The contract must be plain JSON: ${why}.`] };
  }
  return parse(text ?? "");
}

function parse(text: string): ReadContract {
  if (Buffer.byteLength(text) > MAX_CONTRACT) {
    return { mistakes: [`The file must have at most ${MAX_CONTRACT} bytes.`] };
  }
  if (isTooDeep(text)) return { mistakes: [`The file is nested deeper than ${DEEPEST_JSON} levels.`] };
  const parsed = parseConfig(text);
  if ("mistake" in parsed) return { mistakes: [`The file is not JSON: ${parsed.mistake}.`] };
  const { value, repeated } = parsed;
  const twice = repeated.map(
    ({ key, line, column }) => `${visible(shorten(key, 60))} is repeated (line ${line}, column ${column}); remove one.`,
  );
  const mistakes = firstMistakes([...twice, ...(whyNotPlain(value) ?? whyNotPatterns(value) ?? mistakesIn(value))]);
  return mistakes.length > 0 ? { mistakes } : contractOf(value as ContractFile);
}

/** Checks that a file can be written again without loss. */
function whyNotPlain(value: unknown): string[] | undefined {
  const flaw = findFlaw(value, (part, isName) => {
    if (typeof part === "number") return Number.isFinite(part) ? undefined : "is a number too large for JSON parsers";
    if (isName && part === "__proto__") return "has a name that is not allowed";
    return isWellFormed(part) ? undefined : "has half a surrogate pair";
  });
  return flaw && [lineOf(flaw.why, flaw.place)];
}

/** Limits the number of patterns, and of invalid ones, since checking a pattern is expensive. */
function whyNotPatterns(value: unknown): string[] | undefined {
  const patterns = new Set<string>();
  JSON.stringify(value, (name, inside) => {
    if (name === "pattern" && typeof inside === "string") patterns.add(inside);
    return inside;
  });
  if (patterns.size > MOST_PATTERNS) {
    return [lineOf(`must have at most ${MOST_PATTERNS} different patterns, got ${patterns.size}`, [])];
  }
  const refused: string[] = [];
  for (const pattern of patterns) {
    if (whyNotPattern(pattern) !== undefined) refused.push(display(pattern));
    if (refused.length <= MOST_REFUSED) continue;
    const what = `has more than ${MOST_REFUSED} patterns that are invalid or may be slow`;
    return [lineOf(`${what}, so it is not checked further: ${refused.join(", ")}`, [])];
  }
  return undefined;
}

/** The form of a contract file, by contract.schema.json, which editors use, too. */
function formOf(): z.ZodType {
  const text = readFileSync(packageFile("contract.schema.json"), "utf8");
  const types = new Map<string, z.ZodType>();
  const schema = JSON.parse(text, (_, part) => {
    const { $ref } = Object(part);
    return typeof $ref === "string" ? { lazy: () => typeAt($ref) } : part;
  });
  const typeAt = (ref: string): z.ZodType => {
    const names = ref.split("/").slice(1);
    const type = types.get(ref) ?? typeOf(names.reduce((inside, name) => inside[name], schema));
    types.set(ref, type);
    return type;
  };
  return typeOf(schema);
}

let form: z.ZodType | undefined;

/** Checks the form and the rules of a file. */
function mistakesIn(value: unknown): string[] {
  form ??= formOf();
  const sound = structuredClone(value);
  const mistakes = flawsOf(form.safeParse(value).error?.issues ?? []).map(({ path, rule, message }) => {
    drop(sound, path);
    const found = valueAt(value, { names: path as string[] });
    if (found === null && rule === "type") return lineOf("must not be null", path);
    if (rule === "additionalProperties" || message === MISSING) return lineOf(message, path);
    const why = rule === "format" && path.at(-1) === "pattern" ? whyNotPattern(String(found)) : undefined;
    return lineOf(`${why ?? message}, got ${display(found)}`, path);
  });
  if (isObject(sound)) checkFile(sound, (what, ...place) => void mistakes.push(lineOf(what, place)));
  return mistakes;
}

/** Replaces a value whose form is wrong by undefined, and so its list, so that rules see only what they can check. */
function drop(file: unknown, path: Flaw["path"]): void {
  const at = path.findLastIndex((name) => typeof name === "string");
  const holder = valueAt(file, { names: path.slice(0, at) as string[] });
  if (at >= 0 && isObject(holder)) holder[path[at] as string] = undefined;
}

function checkFile(file: Partial<ContractFile>, refuse: Refuse): void {
  const { properties, "x-listing": listing, "x-observed": conditions } = file;
  if (listing) checkPath(listing, below(refuse, "x-listing", "path"));
  if (!properties) return;
  checkObject(file, refuse);
  const fields = checkFields(properties, refuse);
  if (listing) checkListing(listing, fields, below(refuse, "x-listing"));
  if (conditions) checkConditions(conditions, fields, below(refuse, "x-observed"));
}
