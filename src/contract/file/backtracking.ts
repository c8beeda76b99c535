/** Whether a pattern of an author can be compiled, and answers in good time whatever text it is asked of. */
import { createRequire } from "node:module";
import type { isSafePattern } from "redos-detector";
import { waysOf } from "./patterns.js";

const LONGEST_PATTERN = 400;
/** What is safe is found to be so in a few hundred steps; 2000 take a fifth of a second. */
const LIMITS = { unicode: true, maxSteps: 2000, maxScore: 100, timeout: Number.POSITIVE_INFINITY } as const;

/** Verdicts by pattern: one pattern often stands in several fields, and a contract is read more than once. */
const verdicts = new Map<string, string | undefined>();
/** So that a stranger's contracts neither fill the memory nor take long. */
const MOST_VERDICTS = 200;

/** The regular expression of a pattern that nothing is wrong with. */
export function patternOf(pattern: string): RegExp | undefined {
  return whyNotPattern(pattern) === undefined ? new RegExp(pattern, "u") : undefined;
}

/** What is wrong with a pattern, as the end of a sentence. The verdict is the same on every machine: steps are counted, not time. */
export function whyNotPattern(pattern: string): string | undefined {
  if (!verdicts.has(pattern)) {
    if (verdicts.size >= MOST_VERDICTS) verdicts.clear();
    verdicts.set(pattern, judge(pattern));
  }
  return verdicts.get(pattern);
}

function judge(pattern: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) return `must have at most ${LONGEST_PATTERN} characters`;
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    return `must be a regular expression with the flag u (${String(error).replace(/^.*\/u: /, "")})`;
  }
  if (repeatsAround(pattern)) return `may take very long on some texts; ${AROUND_ADVICE}`;
  return isQuick(pattern) ? undefined : `may take very long on some texts; ${ADVICE}`;
}

const ADVICE =
  "begin it with ^, and let no two parts that repeat and stand side by side, or within each other, take the same character";
const AROUND_ADVICE = "let what looks ahead stand right behind a ^ at the beginning, or look at no part that repeats";

/** Text that is only itself, and the parentheses of a pattern. */
const PARTS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|[()]|[*+{]/gs;

/**
 * Whether something that repeats is looked at from many places of a text, so that each place may take as long as the text.
 * What is looked at from its beginning alone takes that once.
 */
function repeatsAround(pattern: string): boolean {
  /** Of each group that is open, whether it looks around from many places. */
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

/** Where there are so few ways through a pattern, all of them can be tried. */
const FEW_WAYS = 10_000;

function isQuick(pattern: string): boolean {
  if (waysOf(pattern) <= FEW_WAYS) return true;
  // Most runs read no pattern but those of the built-in contract, which are known to be quick.
  const detector: { isSafePattern: typeof isSafePattern } = createRequire(import.meta.url)("redos-detector");
  try {
    return detector.isSafePattern(inAscii(pattern), LIMITS).safe;
  } catch {
    return false;
  }
}

/** Of what each common category of Unicode is in ASCII, and of a control character for what it is beyond. */
const CATEGORIES: Readonly<Record<string, string>> = {
  L: "A-Za-z\\x01",
  Lu: "A-Z\\x01",
  Ll: "a-z\\x01",
  M: "\\x02",
  N: "0-9\\x03",
  Nd: "0-9\\x03",
};

/**
 * A pattern in which categories are written as classes of ASCII that have characters in common where the categories have:
 * the detector takes all categories to overlap with everything. Unchanged where that could hide an overlap.
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
