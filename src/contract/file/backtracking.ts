/** Checks patterns of contracts: each must compile, and must not backtrack for long on any text (ReDoS). */
import { createRequire } from "node:module";
import type { isSafePattern } from "redos-detector";
import { countPaths } from "./patterns.js";

const LONGEST_PATTERN = 400;
/** Limits of the detector. Safe patterns need a few hundred steps; 2000 steps take 0.2 s. */
const LIMITS = { unicode: true, maxSteps: 2000, maxScore: 100, timeout: Number.POSITIVE_INFINITY } as const;

/** Cache of results by pattern: fields share patterns, and a contract is read more than once. */
const verdicts = new Map<string, string | undefined>();
/** Maximum size of the cache. */
const MOST_VERDICTS = 200;

/** Says what is wrong with a pattern, as the end of a sentence. Equal on every machine: it counts steps, not time. */
export function whyNotPattern(pattern: string): string | undefined {
  if (!verdicts.has(pattern)) {
    if (verdicts.size >= MOST_VERDICTS) verdicts.clear();
    verdicts.set(pattern, findFault(pattern));
  }
  return verdicts.get(pattern);
}

function findFault(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `must have at most ${LONGEST_PATTERN} characters`;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return `must be a regular expression with the flag u (${String(error).replace(/^.*\/u: /, "")})`;
  }
  if (repeatsInLookaround(pattern)) return `may take very long on some texts; ${AROUND_ADVICE}`;
  return isFast(pattern) ? undefined : `may take very long on some texts; ${ADVICE}`;
}

const ADVICE = "begin it with ^, and do not let adjacent or nested repetitions match the same character";
const AROUND_ADVICE = "put lookaheads directly after ^ at the beginning, or use no repetition in them";

/** Escapes, classes, group openings, parentheses and quantifiers of a pattern. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[()]|[*+{]/gs;

/**
 * Whether a lookaround that is tried at many places of a text has a repetition, so that time grows with the square of the
 * length. A lookahead directly after `^` is tried once.
 */
function repeatsInLookaround(pattern: string): boolean {
  /** For each open group, whether it is within a lookaround that is tried at many places. */
  const open: boolean[] = [];
  let head = pattern.startsWith("^") ? 1 : 0;
  for (const { 0: part, index } of pattern.matchAll(PARTS)) {
    if (part.startsWith("(?")) {
      const isAtHead = head > 0 && index === head && !part.startsWith("(?<");
      open.push(open.includes(true) || !isAtHead);
    } else if (part === "(") open.push(open.includes(true));
    else if (part === ")") {
      open.pop();
      if (open.length === 0 && isLookAhead(pattern, head)) head = index + 1;
    } else if (/^[*+{]/.test(part) && open.includes(true)) return true;
  }
  return false;
}

function isLookAhead(pattern: string, at: number): boolean {
  return /^\(\?[=!]/.test(pattern.slice(at, at + 3));
}

/** With at most this many paths through a pattern, backtracking is fast enough. */
const FEW_PATHS = 10_000;

function isFast(pattern: string): boolean {
  if (countPaths(pattern) <= FEW_PATHS) return true;
  // Loaded on demand: most runs use only the built-in contract, whose patterns are not checked.
  const detector: { isSafePattern: typeof isSafePattern } = createRequire(import.meta.url)("redos-detector");
  try {
    return detector.isSafePattern(inAscii(pattern), LIMITS).safe;
  } catch {
    return false;
  }
}

/** For each common Unicode category, its ASCII members, and a control character that stands for all others. */
const CATEGORIES: Readonly<Record<string, string>> = {
  L: "A-Za-z\\x01",
  Lu: "A-Z\\x01",
  Ll: "a-z\\x01",
  M: "\\x02",
  N: "0-9\\x03",
  Nd: "0-9\\x03",
};

/**
 * Replaces Unicode categories by ASCII classes that overlap where the categories do, since the detector assumes that every
 * category overlaps with everything. Returns the pattern unchanged if that could hide an overlap.
 */
function inAscii(pattern: string): string {
  if (/[^\x20-\x7e]|\\[uxcPkb[\]]/.test(pattern)) return pattern;
  const classes = pattern.replace(/\[[^\]]*\]/g, (members) => replaceCategories(members, (inside) => inside));
  return replaceCategories(classes, (inside) => `[${inside}]`);
}

function replaceCategories(text: string, write: (members: string) => string): string {
  return text.replace(/\\p\{(\w+)\}/g, (whole, name: string) => {
    const members = CATEGORIES[name];
    return members === undefined ? whole : write(members);
  });
}
