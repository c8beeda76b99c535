/** Patterns of contracts: whether they are fast on every text (no ReDoS), and as patterns of UTF-8 bytes. */
import { createRequire } from "node:module";
import type { isSafePattern } from "redos-detector";
import type { AstNode, Quantifier, RootNode, Value } from "regjsparser";

const require = createRequire(import.meta.url);
const SYNTAX = { lookbehind: true, namedGroups: true, unicodePropertyEscape: true } as const;
type Syntax = typeof SYNTAX;
type Node = AstNode<Syntax>;
export type PatternNode = RootNode<Syntax>;

const LONGEST_PATTERN = 400;
/** Limits of the detector. Safe patterns need a few hundred steps; 2000 steps take 0.2 s. */
const LIMITS = { unicode: true, maxSteps: 2000, maxScore: 100, timeout: Number.POSITIVE_INFINITY } as const;
/** With at most this many paths through a pattern, backtracking is fast enough. */
const FEW_PATHS = 10_000;

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
  const tree = parsePattern(pattern);
  if (tree && repeatsInLookaround(tree))
    return `${SLOW}; put lookaheads directly after ^ at the beginning, or use no repetition in them`;
  const paths = (tree && translate(tree))?.paths ?? Number.POSITIVE_INFINITY;
  if (paths <= FEW_PATHS || isSafe(pattern)) return undefined;
  return `${SLOW}; begin it with ^, and do not let adjacent or nested repetitions match the same character`;
}

const SLOW = "may take very long on some texts";

/** Parses a pattern; undefined for syntax that only newer versions of Node know. */
export function parsePattern(pattern: string): PatternNode | undefined {
  const parser: typeof import("regjsparser") = require("regjsparser");
  try {
    return parser.parse(pattern, "u", SYNTAX);
  } catch {
    return undefined;
  }
}

/**
 * Whether a lookaround that is tried at many places of a text has a repetition, so that time grows with the square of the
 * length. A lookahead directly after the first `^` is tried once.
 */
function repeatsInLookaround(node: Node, isAround = false, isHead = true): boolean {
  if (isAround && node.type === "quantifier" && node.max !== 1) return true;
  const body: readonly Node[] = "body" in node ? node.body : [];
  let isStart = isHead && node.type === "alternative";
  return body.some((part, at) => {
    const look = part.type === "group" && /look/i.test(part.behavior) ? part.behavior : "";
    if (at === 0) isStart &&= part.type === "anchor" && part.kind === "start";
    else isStart &&= /ahead$/.test(look);
    return repeatsInLookaround(part, isAround || (look !== "" && !isStart), false);
  });
}

function isSafe(pattern: string): boolean {
  const detector: { isSafePattern: typeof isSafePattern } = require("redos-detector");
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
  return pattern.replace(/\[[^\]]*\]|\\p\{\w+\}/g, (part) => {
    const inside = part.replace(/\\p\{(\w+)\}/g, (whole, name: string) => CATEGORIES[name] ?? whole);
    return part.startsWith("[") || inside === part ? inside : `[${inside}]`;
  });
}

/** Maximum number of atoms with counts expanded, so that byte patterns stay small. */
const LARGEST = 2000;

/**
 * Translates a pattern for use between two quotes, on UTF-8 read as latin1. The result matches the texts that `pattern`
 * matches, except those that JSON writes with escapes. Undefined unless the pattern is anchored at both ends, names only
 * ASCII that JSON writes without escapes, and has no lookaround or back-reference.
 */
export function inBytes(pattern: string): string | undefined {
  const tree = parsePattern(pattern);
  const part = tree && translate(tree);
  return part && part.size <= LARGEST ? part.source : undefined;
}

/** A part of a pattern. */
interface Part {
  /** Its source as a pattern of bytes. */
  source: string;
  /** Number of atoms with counts expanded. */
  size: number;
  /** Number of paths through it, exact up to FEW_PATHS; Infinity if it has an unbounded repetition. */
  paths: number;
}

/** Translates a pattern that is anchored at both ends. */
function translate(tree: PatternNode): Part | undefined {
  if (tree.type !== "alternative") return undefined;
  const [first, ...others] = tree.body;
  const last = others.pop();
  if (first?.type !== "anchor" || first.kind !== "start" || last?.type !== "anchor" || last.kind !== "end")
    return undefined;
  return sequence(others);
}

function sequence(nodes: readonly Node[]): Part | undefined {
  const parts = all(nodes, partOf);
  return (
    parts && {
      source: parts.map(({ source }) => source).join(""),
      size: parts.reduce((sum, { size }) => sum + size, 0),
      paths: parts.reduce((product, { paths }) => product * paths, 1),
    }
  );
}

/** The results of a translation; undefined if there is none for one of the nodes. */
function all<Result>(nodes: readonly Node[], translated: (node: Node) => Result | undefined): Result[] | undefined {
  const results = nodes.map(translated);
  return results.includes(undefined) ? undefined : (results as Result[]);
}

function partOf(node: Node): Part | undefined {
  const simple = (source: string | undefined, size = 1) => (source === undefined ? source : { source, size, paths: 1 });
  switch (node.type) {
    case "alternative":
      return sequence(node.body);
    case "group":
      return node.behavior === "normal" || node.behavior === "ignore" ? groupOf(node.body) : undefined;
    case "quantifier":
      return repeated(node);
    case "dot":
      return simple(allBut("", LINE_ENDS), 2);
    case "characterClass": {
      const members = all(node.body, memberOf)?.join("");
      if (!members) return undefined;
      return node.negative ? simple(allBut(members), 2) : simple(`[${members}]`);
    }
    default:
      return simple(memberOf(node));
  }
}

/** A group, whose body is one disjunction, or a sequence. */
function groupOf(body: readonly Node[]): Part | undefined {
  const [first] = body;
  const whole = sequence(first?.type === "disjunction" ? [] : body);
  const branches = first?.type === "disjunction" ? all(first.body, partOf) : whole && [whole];
  return (
    branches && {
      source: `(?:${branches.map(({ source }) => source).join("|")})`,
      size: branches.reduce((sum, { size }) => sum + size, 1),
      paths: branches.reduce((sum, { paths }) => sum + paths, 0),
    }
  );
}

function repeated({ body: [inside], min, max, greedy, raw }: Quantifier<Syntax>): Part | undefined {
  const part = partOf(inside);
  if (!part || !greedy) return undefined;
  let paths = max === undefined ? Number.POSITIVE_INFINITY : 0;
  for (let times = min; times <= (max ?? 0) && paths <= FEW_PATHS; times++) paths += part.paths ** times;
  return { source: part.source + raw.slice(inside.raw.length), size: part.size * Math.max(1, max ?? min), paths };
}

/** Excludes U+2028 and U+2029, which a dot does not match. */
const LINE_ENDS = "(?!\\xe2\\x80[\\xa8\\xa9])";

/** One character that JSON writes without an escape: ASCII outside the class, or any multi-byte character. */
function allBut(members: string, not = ""): string {
  return `(?:[^${members}"\\\\\\x00-\\x1f\\x80-\\xff]|${not}[\\xc2-\\xf4][\\x80-\\xbf]+)`;
}

/** A character, a range, or one of the two sets that are the same in bytes; undefined for any other. */
function memberOf(node: Node): string | undefined {
  if (node.type === "characterClassEscape") return /[dw]/.test(node.value) ? node.raw : undefined;
  if (node.type === "characterClassRange") return rangeOf(node.min, node.max);
  return node.type === "value" ? rangeOf(node, node) : undefined;
}

/** Printable ASCII that JSON writes without escapes, as a class has it. */
function rangeOf({ codePoint: from }: Value, { codePoint: to }: Value): string | undefined {
  const isAround = (character: string) => from <= character.charCodeAt(0) && character.charCodeAt(0) <= to;
  if (from < 0x20 || to > 0x7e || isAround('"') || isAround("\\")) return undefined;
  const [first, last] = [from, to].map((code) => String.fromCharCode(code).replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&"));
  return from === to ? first : `${first}-${last}`;
}
