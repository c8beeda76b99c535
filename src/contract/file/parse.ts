/** Reads a contract file, as its author or a stranger wrote it. All of its mistakes are told at once. */
import { shorten, visible } from "../../print/text.js";
import { type Contract, contractOf } from "../contract.js";
import { isObject, isTooDeep, LONE_SURROGATE } from "../json.js";
import { whyNotPattern } from "./backtracking.js";
import { checkConditions } from "./conditions.js";
import { checkFields } from "./fields.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import { parseConfig } from "./json.js";
import { checkListing } from "./listing.js";
import { type Complain, meant, mistakeList, mustBe, type Pointer, shown } from "./mistakes.js";
import { checkNullRules } from "./nulls.js";
import { contractForm, MEMBERS } from "./schema.js";

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
  const { complain, lines } = mistakeList();
  if (isSound(value, [], complain) && hasFewPatterns(value, complain)) {
    const rough = checkForm(value, complain);
    if (rough) {
      const fields = checkFields(rough, complain);
      checkNullRules(fields, complain);
      checkListing(rough, fields, complain);
      checkConditions(rough, fields, complain);
    }
  }
  const mistakes = [...before, ...lines()];
  return mistakes.length > 0 ? { mistakes } : contractOf(value as ContractFile);
}

/** Whether a value can be walked, and written again as what it is. */
function isSound(value: unknown, place: Pointer, complain: Complain): boolean {
  const refuse = (what: string) => {
    complain(place, what);
    return false;
  };
  if (place.length > MOST_LEVELS) return refuse(`is nested deeper than ${MOST_LEVELS} levels`);
  if (typeof value === "string" && LONE_SURROGATE.test(value)) return refuse("has half a surrogate pair in it");
  if (typeof value === "number" && !Number.isFinite(value))
    return refuse("is a number beyond what JSON's readers hold");
  if (typeof value !== "object" || value === null) return true;
  const all = Object.entries(value).map(([name, inside]) => {
    if (name !== "__proto__" && !LONE_SURROGATE.test(name)) return isSound(inside, [...place, name], complain);
    complain([...place, name], "has a name that no property may have");
    return false;
  });
  return all.every(Boolean);
}

/** Each pattern is judged by counting steps. A stranger's contract with very many, or with many bad ones, is not worth that. */
function hasFewPatterns(value: unknown, complain: Complain): boolean {
  const patterns = new Set<string>();
  JSON.stringify(value, (name, inside) => {
    if (name === "pattern" && typeof inside === "string") patterns.add(inside);
    return inside;
  });
  const refused: string[] = [];
  for (const pattern of patterns.size > MOST_PATTERNS ? [] : patterns) {
    if (whyNotPattern(pattern) === undefined) continue;
    refused.push(shown(pattern));
    if (refused.length > MOST_REFUSED) break;
  }
  if (patterns.size > MOST_PATTERNS) {
    complain([], `has ${patterns.size} patterns that differ; at most ${MOST_PATTERNS} are asked`);
  } else if (refused.length > MOST_REFUSED) {
    complain(
      [],
      `has too many patterns that are wrong or may take very long to be checked further: ${refused.join(", ")}`,
    );
  } else return true;
  return false;
}

/**
 * Checks the form of each part.
 * @returns the file without the parts whose form is wrong, so that rules still find what else is wrong.
 */
function checkForm(value: unknown, complain: Complain): Partial<ContractFile> | undefined {
  const rough: unknown = structuredClone(value);
  for (const issue of contractForm.safeParse(value).error?.issues ?? []) {
    if (issue.code === "unrecognized_keys") {
      const known = MEMBERS.get(issue.message) ?? [];
      for (const key of issue.keys) {
        complain([...issue.path, key], `is no keyword of ${issue.message}; ${meant(key, known)}`);
      }
      continue;
    }
    complain(issue.path, mustBe(issue.message, valueAt(value, issue.path)));
    leaveOut(rough, issue.path);
  }
  return isObject(rough) ? rough : undefined;
}

function valueAt(value: unknown, place: Pointer): unknown {
  return place.reduce<unknown>((inside, name) => (inside as Record<PropertyKey, unknown> | undefined)?.[name], value);
}

/** The name stays, so that nobody misses it. */
function leaveOut(rough: unknown, place: Pointer): void {
  const above = valueAt(rough, place.slice(0, -1));
  const name = place.at(-1);
  if (name !== undefined && typeof above === "object" && above !== null) Object.assign(above, { [name]: undefined });
}
