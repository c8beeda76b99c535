/** Reads a contract file, as its author or a stranger wrote it. All of its mistakes are told at once. */
import { shorten, visible } from "../../print/text.js";
import { type Contract, contractOf } from "../contract.js";
import { isObject, isTooDeep, LONE_SURROGATE } from "../json.js";
import { whyNotPattern } from "./backtracking.js";
import { checkConditions } from "./conditions.js";
import { parseConfig } from "./config-json.js";
import { checkFields } from "./field-rules.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import { checkListing } from "./listing-rules.js";
import { listed, meant, Place, shown } from "./mistakes.js";
import { contractForm, MEMBERS } from "./shapes.js";

/** A contract, or what is wrong with it: a line each. */
export type ReadContract = Contract | { mistakes: string[] };

/** Deeper than 16 fields within each other, with lists and values in the last one. */
const MOST_LEVELS = 100;
const MOST_PATTERNS = 100;
const MOST_REFUSED = 4;

/** @param text of a file. */
export function parseContract(text: string): ReadContract {
  if (Buffer.byteLength(text) > MAX_CONTRACT) {
    return { mistakes: [`The file is larger than ${MAX_CONTRACT} bytes; a contract needs far less.`] };
  }
  if (isTooDeep(text)) return { mistakes: ["The file is nested far deeper than a contract can be."] };
  const parsed = parseConfig(text);
  if ("mistake" in parsed) return { mistakes: [`The file is not JSON: ${parsed.mistake}.`] };
  const repeated = parsed.repeated.map(
    ({ key, line, column }) =>
      `${visible(shorten(key, 60))} is repeated (line ${line}, column ${column}); give each name once.`,
  );
  return check(parsed.value, repeated);
}

/** @param value plain JSON that a program gives as a contract. Later changes of it change nothing here. */
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
  const rough = isSound(value, top) && hasFewPatterns(value, top) ? checkForm(value, top) : undefined;
  if (rough) {
    const fields = checkFields(rough, top);
    checkListing(rough, fields, top);
    checkConditions(rough, fields, top);
  }
  const all = [...before, ...listed(mistakes)];
  return all.length > 0 ? { mistakes: all } : contractOf(value as ContractFile);
}

/** Whether a value can be walked, and written again as what it is. */
function isSound(value: unknown, here: Place): boolean {
  const why = whyNotSound(value, here);
  if (why !== undefined) here.refuse(why);
  if (why !== undefined || typeof value !== "object" || value === null) return why === undefined;
  const all = Object.entries(value).map(([name, inside]) => {
    if (name !== "__proto__" && !LONE_SURROGATE.test(name)) return isSound(inside, here.at(name));
    here.at(name).refuse("has a name that no property may have");
    return false;
  });
  return all.every(Boolean);
}

function whyNotSound(value: unknown, { names }: Place): string | undefined {
  if (names.length > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
  if (typeof value === "string" && LONE_SURROGATE.test(value)) return "has half a surrogate pair in it";
  if (typeof value === "number" && !Number.isFinite(value)) return "is a number beyond what JSON's readers hold";
  return undefined;
}

/** Each pattern is judged by counting steps. A stranger's contract with very many, or with many bad ones, is not worth that. */
function hasFewPatterns(value: unknown, top: Place): boolean {
  const patterns = new Set<string>();
  JSON.stringify(value, (name, inside) => {
    if (name === "pattern" && typeof inside === "string") patterns.add(inside);
    return inside;
  });
  if (patterns.size > MOST_PATTERNS) {
    top.refuse(`has ${patterns.size} patterns that differ; at most ${MOST_PATTERNS} are asked`);
    return false;
  }
  const refused: string[] = [];
  for (const pattern of patterns) {
    if (whyNotPattern(pattern) !== undefined) refused.push(shown(pattern));
    if (refused.length <= MOST_REFUSED) continue;
    top.refuse(
      `has too many patterns that are wrong or may take very long to be checked further: ${refused.join(", ")}`,
    );
    return false;
  }
  return true;
}

/**
 * Checks the form of each part.
 * @returns the file without the parts whose form is wrong, so that rules still find what else is wrong.
 */
function checkForm(value: unknown, top: Place): Partial<ContractFile> | undefined {
  const rough: unknown = structuredClone(value);
  for (const issue of contractForm.safeParse(value).error?.issues ?? []) {
    const here = top.at(...issue.path);
    if (issue.code === "unrecognized_keys") {
      const known = MEMBERS.get(issue.message) ?? [];
      for (const key of issue.keys) {
        here.at(key).refuse(`is no keyword of ${issue.message}; ${meant(key, known)}`);
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

/** The name stays, so that it is not reported as missing, too. */
function leaveOut(rough: unknown, place: readonly PropertyKey[]): void {
  const above = valueAt(rough, place.slice(0, -1));
  const name = place.at(-1);
  if (name !== undefined && typeof above === "object" && above !== null) Object.assign(above, { [name]: undefined });
}
