/** Patterns of contracts for other programs: how a pattern is written in all of them, and how the texts that it matches begin. */
import { type PatternNode, parsePattern } from "./patterns.js";

type Member = Extract<PatternNode, { type: "characterClass" }>["body"][number];

/**
 * Writes a pattern in the syntax that ECMAScript, Java, Python and XML Schema share, between `^` and `$`.
 * @returns undefined for a pattern that is not anchored at both ends, or that uses more than this syntax
 */
export function portablePattern(pattern: string): string | undefined {
  const tree = parsePattern(pattern);
  const branches = tree && branchesOf(tree).map(betweenAnchors);
  const whole = branches && joined(branches, "|");
  if (whole === undefined) return undefined;
  return branches?.length === 1 ? `^${whole}$` : `^(${whole})$`;
}

/** Whether a text that a pattern matches can begin with one of some characters. True if that is not known. */
export function canBeginWith(pattern: string, characters: string): boolean {
  const tree = parsePattern(pattern);
  if (tree === undefined) return true;
  return branchesOf(tree).some(([first, ...others]) => {
    const isOpen = first?.type !== "anchor" || first.kind !== "start" || others.every(canBeEmpty);
    return isOpen || beginSoon(others, characters);
  });
}

/** The alternatives of a whole pattern, each as a sequence. */
function branchesOf(tree: PatternNode): readonly (readonly PatternNode[])[] {
  const branches = tree.type === "disjunction" ? tree.body : [tree];
  return branches.map((branch) => (branch.type === "alternative" ? branch.body : [branch]));
}

function betweenAnchors(sequence: readonly PatternNode[]): string | undefined {
  const [first, ...others] = sequence;
  const last = others.pop();
  if (first?.type !== "anchor" || first.kind !== "start" || last?.type !== "anchor" || last.kind !== "end")
    return undefined;
  return joined(others.map(written));
}

/** Joins texts; undefined if one of them is undefined. */
function joined(texts: readonly (string | undefined)[], between = ""): string | undefined {
  return texts.includes(undefined) ? undefined : texts.join(between);
}

function written(node: PatternNode): string | undefined {
  switch (node.type) {
    case "alternative":
      return joined(node.body.map(written));
    case "disjunction":
      return joined(node.body.map(written), "|");
    case "group": {
      const inside = isLookaround(node) ? undefined : joined(node.body.map(written));
      return inside === undefined ? undefined : `(${inside})`;
    }
    case "quantifier": {
      const [repeated] = node.body;
      const inside = node.greedy ? written(repeated) : undefined;
      return inside === undefined ? undefined : inside + node.raw.slice(repeated.raw.length);
    }
    case "dot":
      return ".";
    case "characterClass": {
      const members = joined(node.body.map(member));
      return members ? `[${node.negative ? "^" : ""}${members}]` : undefined;
    }
    case "characterClassEscape": {
      const members = member(node);
      return members === undefined ? undefined : `[${members}]`;
    }
    case "value":
      // XML Schema has no escape for the dollar sign.
      return node.codePoint === DOLLAR ? "[$]" : character(node.codePoint, /[\\^.*+?()[\]{}|]/);
    default:
      return undefined;
  }
}

const DOLLAR = 0x24;
/** What `\d` and `\w` match in ECMAScript. Elsewhere they match digits and letters of all scripts. */
const ESCAPES: Readonly<Partial<Record<string, string>>> = { d: "0-9", w: "A-Za-z0-9_" };
const IN_CLASS = /[\\\]^[-]/;

/** A member of a class. */
function member(node: Member): string | undefined {
  if (node.type === "characterClassEscape") return ESCAPES[node.value];
  if (node.type === "characterClassRange")
    return joined([character(node.min.codePoint, IN_CLASS), character(node.max.codePoint, IN_CLASS)], "-");
  return node.type === "value" ? character(node.codePoint, IN_CLASS) : undefined;
}

const CONTROLS: Readonly<Partial<Record<string, string>>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Writes a character; undefined for other control characters, and for those of two UTF-16 units. */
function character(codePoint: number, special: RegExp): string | undefined {
  const text = String.fromCodePoint(codePoint);
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return CONTROLS[text];
  if (text.length > 1) return undefined;
  return special.test(text) ? `\\${text}` : text;
}

function isLookaround({ behavior }: Extract<PatternNode, { type: "group" }>): boolean {
  return behavior !== "normal" && behavior !== "ignore";
}

/** Whether what a sequence matches can begin with one of the characters. */
function beginSoon(sequence: readonly PatternNode[], characters: string): boolean {
  for (const node of sequence) {
    if (canBegin(node, characters)) return true;
    if (!canBeEmpty(node)) return false;
  }
  return false;
}

function canBegin(node: PatternNode, characters: string): boolean {
  switch (node.type) {
    case "alternative":
      return beginSoon(node.body, characters);
    case "disjunction":
      return node.body.some((branch) => canBegin(branch, characters));
    case "group":
      return !isLookaround(node) && beginSoon(node.body, characters);
    case "quantifier":
      return canBegin(node.body[0], characters);
    case "anchor":
      return false;
    case "reference":
      return true;
    default: {
      const one = new RegExp(`^${node.raw}$`, "u");
      return [...characters].some((first) => one.test(first));
    }
  }
}

function canBeEmpty(node: PatternNode): boolean {
  switch (node.type) {
    case "alternative":
      return node.body.every(canBeEmpty);
    case "disjunction":
      return node.body.some(canBeEmpty);
    case "group":
      return isLookaround(node) || node.body.every(canBeEmpty);
    case "quantifier":
      return node.min === 0 || canBeEmpty(node.body[0]);
    case "anchor":
      // Nothing follows the end.
      return node.kind !== "end";
    case "reference":
      return true;
    default:
      return false;
  }
}
