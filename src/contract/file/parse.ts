/** Parses and checks a contract file, which may be untrusted. Reports all mistakes at once. */
import { shorten, visible } from "../../print/text.js";
import { type Contract, contractOf } from "../contract.js";
import { DEEPEST_JSON, findFlaw, isTooDeep, isWellFormed } from "../json.js";
import { whyNotPattern } from "./backtracking.js";
import { parseConfig } from "./config-json.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import { display, firstMistakes, lineOf, suggestion } from "./mistakes.js";
import { contractForm, MEMBERS } from "./shapes.js";

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
  const all = repeated.map(
    ({ key, line, column }) => `${visible(shorten(key, 60))} is repeated (line ${line}, column ${column}); remove one.`,
  );
  all.push(...firstMistakes(whyNotPlain(value) ?? whyNotPatterns(value) ?? formMistakes(value)));
  return all.length > 0 ? { mistakes: all } : contractOf(value as ContractFile);
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

/** Checks the form and the rules of a file. */
function formMistakes(value: unknown): string[] {
  const issues = contractForm.safeParse(value).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const { path, message } = issue;
    if (issue.code !== "unrecognized_keys") return [lineOf(message, path)];
    const known = MEMBERS.get(message) ?? [];
    return issue.keys.map((key) => lineOf(`is not a keyword of ${message}; ${suggestion(key, known)}`, [...path, key]));
  });
}
