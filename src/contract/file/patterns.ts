/** Translates patterns of contracts to patterns of UTF-8 bytes, where both provably match the same texts. */

/** Maximum number of atoms with counts expanded, so that byte patterns stay small. */
const LARGEST = 2000;

/**
 * Translates a pattern for use between two quotes, on UTF-8 read as latin1. The result matches the texts that `pattern`
 * matches, except those that JSON writes with escapes. Undefined unless the pattern is anchored at both ends, names only
 * ASCII that JSON writes without escapes, and has no lookaround or back-reference.
 */
export function inBytes(pattern: string): string | undefined {
  const read = readPattern(pattern);
  return read && read.size <= LARGEST ? read.source : undefined;
}

/** Maximum number of paths through a pattern; Infinity if it has an unbounded repetition, or syntax that is not read here. */
export function countPaths(pattern: string): number {
  return readPattern(pattern)?.paths ?? Number.POSITIVE_INFINITY;
}

function readPattern(pattern: string): Part | undefined {
  try {
    new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) return undefined;
  const reader = { text: pattern.slice(1, -1), at: 0 };
  const read = readSequence(reader);
  return reader.at === reader.text.length ? read : undefined;
}

interface Reader {
  text: string;
  at: number;
}

/** A part of a pattern. */
interface Part {
  /** Its source as a pattern of bytes. */
  source: string;
  /** Number of atoms with counts expanded. */
  size: number;
  /** Maximum number of paths through it. */
  paths: number;
}

/** Reads terms up to the end of the pattern or of a group's branch. */
function readSequence(reader: Reader): Part | undefined {
  let source = "";
  let size = 0;
  let paths = 1;
  while (reader.at < reader.text.length && !"|)".includes(next(reader))) {
    const atom = readAtom(reader);
    const times = atom && readQuantifier(reader);
    if (!atom || !times) return undefined;
    source += atom.source + times.source;
    size += atom.size * times.size;
    paths *= pathsToRepeat(atom.paths, times);
  }
  return { source, size, paths };
}

function next({ text, at }: Reader): string {
  return text.charAt(at);
}

function readAtom(reader: Reader): Part | undefined {
  const first = next(reader);
  if (first === "(") return readGroup(reader);
  if (first === "[") return readClass(reader);
  if (first === ".") {
    reader.at++;
    return { source: allBut("", LINE_ENDS), size: 2, paths: 1 };
  }
  const { source, character } = readCharacter(reader, SYNTAX) ?? {};
  if (source === undefined || (character !== undefined && !isPlain(character))) return undefined;
  return { source, size: 1, paths: 1 };
}

function readGroup(reader: Reader): Part | undefined {
  reader.at += reader.text.startsWith("(?:", reader.at) ? 3 : 1;
  // A lookaround or a named group.
  if (next(reader) === "?") return undefined;
  const branches: Part[] = [];
  do {
    if (branches.length > 0) reader.at++;
    const branch = readSequence(reader);
    if (!branch) return undefined;
    branches.push(branch);
  } while (next(reader) === "|");
  reader.at++;
  const sources = branches.map(({ source }) => source);
  const size = branches.reduce((sum, branch) => sum + branch.size, 1);
  const paths = branches.reduce((sum, branch) => sum + branch.paths, 0);
  return { source: `(?:${sources.join("|")})`, size, paths };
}

/** Excludes U+2028 and U+2029, which a dot does not match. */
const LINE_ENDS = "(?!\\xe2\\x80[\\xa8\\xa9])";

/** One character that JSON writes without an escape: ASCII outside the class, or any multi-byte character. */
function allBut(members: string, not = ""): string {
  return `(?:[^${members}"\\\\\\x00-\\x1f\\x80-\\xff]|${not}[\\xc2-\\xf4][\\x80-\\xbf]+)`;
}

function readClass(reader: Reader): Part | undefined {
  reader.at++;
  const isNegated = next(reader) === "^";
  if (isNegated) reader.at++;
  if (next(reader) === "]") return undefined;
  let source = "";
  while (next(reader) !== "]") {
    const from = readCharacter(reader, "]");
    if (!from) return undefined;
    const isRange = next(reader) === "-" && reader.text.charAt(reader.at + 1) !== "]";
    if (isRange) reader.at++;
    const to = isRange ? readCharacter(reader, "]") : from;
    if (!to || !isPlainRange(from.character, to.character)) return undefined;
    source += isRange ? `${from.source}-${to.source}` : from.source;
  }
  reader.at++;
  return isNegated ? { source: allBut(source), size: 2, paths: 1 } : { source: `[${source}]`, size: 1, paths: 1 };
}

/** Whether JSON writes every character of a range without escapes. False for a set such as `\d` as an end. */
function isPlainRange(from: string | undefined, to: string | undefined): boolean {
  if (from === undefined || to === undefined) return from === to;
  const isAround = (character: string) => from <= character && character <= to;
  return isPlain(from) && isPlain(to) && !isAround('"') && !isAround("\\");
}

/** Printable ASCII that JSON does not escape. */
function isPlain(character: string): boolean {
  return /^[ !#-[\]-~]$/.test(character);
}

const SYNTAX = "^$.*+?()[]{}|";

/** One character, escaped or not, or one of the two sets that are the same in bytes. */
function readCharacter(reader: Reader, refused: string): { source: string; character?: string } | undefined {
  const first = next(reader);
  reader.at++;
  if (first === "" || refused.includes(first)) return undefined;
  if (first !== "\\") return { source: escaped(first), character: first };
  const second = next(reader);
  reader.at++;
  if (second === "d" || second === "w") return { source: `\\${second}` };
  return /[\w]/.test(second) ? undefined : { source: escaped(second), character: second };
}

/** Escapes a character for any place of a pattern, in a class too. */
function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(character) ? `\\${character}` : character;
}

/** A quantifier. */
interface Times {
  source: string;
  /** The maximum; if unbounded, the minimum. */
  size: number;
  least: number;
  most: number;
}

const TIMES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  "": [1, 1],
  "?": [0, 1],
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
};

/** Reads a quantifier; undefined for a lazy one. */
function readQuantifier(reader: Reader): Times | undefined {
  const [source = "", from, to] = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})?/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += source.length;
  if (source !== "" && next(reader) === "?") return undefined;
  const counted = [Number(from), to === "" ? Number.POSITIVE_INFINITY : Number(to ?? from)] as const;
  const [least, most] = TIMES[source] ?? counted;
  return { source, size: Math.max(1, Number.isFinite(most) ? most : least), least, most };
}

function pathsToRepeat(paths: number, { least, most }: Times): number {
  if (!Number.isFinite(most)) return most;
  if (paths === 1) return most - least + 1;
  let sum = 0;
  let each = paths ** least;
  for (let times = least; times <= most && sum < Number.POSITIVE_INFINITY; times++, each *= paths) sum += each;
  return sum;
}
