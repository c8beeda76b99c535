/** Parses and checks a contract file, which may be untrusted. Reports all mistakes at once. */
import { shorten, visible } from "../../print/text.js";
import { type Contract, contractOf } from "../contract.js";
import { isObject, isTooDeep, LONE_SURROGATE } from "../json.js";
import { whyNotPattern } from "./backtracking.js";
import { checkConditions } from "./conditions.js";
import { parseConfig } from "./config-json.js";
import { checkFields } from "./field-rules.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import { checkListing } from "./listing-rules.js";
import { display, firstMistakes, Place, suggestion } from "./mistakes.js";
import { contractForm, MEMBERS } from "./shapes.js";

/** A contract, or its mistakes, one line each. */
export type ReadContract = Contract | { mistakes: string[] };

/** Depth limit of the file. 16 nested fields, with lists and values in the last one, need less. */
const MOST_LEVELS = 100;
const MOST_PATTERNS = 100;
const MOST_REFUSED = 4;

/** Parses the text of a contract file. */
export function parseContract(text: string): ReadContract {
  if (Buffer.byteLength(text) > MAX_CONTRACT) {
    return { mistakes: [`The file must have at most ${MAX_CONTRACT} bytes.`] };
  }
  if (isTooDeep(text)) return { mistakes: [`The file is nested deeper than ${MOST_LEVELS} levels.`] };
  const parsed = parseConfig(text);
  if ("mistake" in parsed) return { mistakes: [`The file is not JSON: ${parsed.mistake}.`] };
  const repeated = parsed.repeated.map(
    ({ key, line, column }) => `${visible(shorten(key, 60))} is repeated (line ${line}, column ${column}); remove one.`,
  );
  return check(parsed.value, repeated);
}

/** Checks a contract that is given as a plain object. The object is copied. */
export function checkContract(value: unknown): ReadContract {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return { mistakes: [`The contract must be plain JSON: ${why}.`] };
  }
  return parseContract(text ?? "");
}

function check(value: unknown, before: readonly string[]): ReadContract {
  const mistakes = new Set<string>();
  const top = new Place(mistakes);
  const rough = isPlainJson(value, top) && hasFewPatterns(value, top) ? checkForm(value, top) : undefined;
  if (rough) {
    const fields = checkFields(rough, top);
    checkListing(rough, fields, top);
    checkConditions(rough, fields, top);
  }
  const all = [...before, ...firstMistakes(mistakes)];
  return all.length > 0 ? { mistakes: all } : contractOf(value as ContractFile);
}

/** Checks that a value is JSON of limited depth that can be written again without loss. */
function isPlainJson(value: unknown, here: Place): boolean {
  const why = whyNotPlainJson(value, here);
  if (why !== undefined) here.refuse(why);
  if (why !== undefined || typeof value !== "object" || value === null) return why === undefined;
  const all = Object.entries(value).map(([name, inside]) => {
    if (name !== "__proto__" && !LONE_SURROGATE.test(name)) return isPlainJson(inside, here.at(name));
    here.at(name).refuse("has a name that is not allowed");
    return false;
  });
  return all.every(Boolean);
}

function whyNotPlainJson(value: unknown, { names }: Place): string | undefined {
  if (names.length > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
  if (typeof value === "string" && LONE_SURROGATE.test(value)) return "has half a surrogate pair";
  if (typeof value === "number" && !Number.isFinite(value)) return "is a number too large for JSON parsers";
  return undefined;
}

/** Limits the number of patterns, and of invalid ones, since checking a pattern is expensive. */
function hasFewPatterns(value: unknown, top: Place): boolean {
  const patterns = new Set<string>();
  JSON.stringify(value, (name, inside) => {
    if (name === "pattern" && typeof inside === "string") patterns.add(inside);
    return inside;
  });
  if (patterns.size > MOST_PATTERNS) {
    top.refuse(`must have at most ${MOST_PATTERNS} different patterns, got ${patterns.size}`);
    return false;
  }
  const refused: string[] = [];
  for (const pattern of patterns) {
    if (whyNotPattern(pattern) !== undefined) refused.push(display(pattern));
    if (refused.length <= MOST_REFUSED) continue;
    top.refuse(
      `has more than ${MOST_REFUSED} patterns that are invalid or may be slow, so it is not checked further: ${refused.join(", ")}`,
    );
    return false;
  }
  return true;
}

/**
 * Checks the form of each part.
 * @returns the file without the parts whose form is wrong, so that the rules can check the others.
 */
function checkForm(value: unknown, top: Place): Partial<ContractFile> | undefined {
  const rough: unknown = structuredClone(value);
  for (const issue of contractForm.safeParse(value).error?.issues ?? []) {
    const here = top.at(...issue.path);
    if (issue.code === "unrecognized_keys") {
      const known = MEMBERS.get(issue.message) ?? [];
      for (const key of issue.keys) {
        here.at(key).refuse(`is not a keyword of ${issue.message}; ${suggestion(key, known)}`);
        leaveOut(rough, [...issue.path, key]);
      }
    } else {
      here.mustBe(issue.message, valueAt(value, issue.path));
      leaveOut(rough, issue.path);
    }
  }
  return isObject(rough) ? rough : undefined;
}

function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>((inside, name) => (inside as Record<PropertyKey, unknown> | undefined)?.[name], value);
}

/** Sets a part to undefined. Its name stays, so that it is not reported as missing. */
function leaveOut(rough: unknown, place: readonly PropertyKey[]): void {
  const above = valueAt(rough, place.slice(0, -1));
  const name = place.at(-1);
  if (name !== undefined && typeof above === "object" && above !== null) Object.assign(above, { [name]: undefined });
}
