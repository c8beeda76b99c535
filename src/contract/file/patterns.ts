/** Says patterns of authors again for the check of a page's bytes, where it is proved that they mean the same there. */

/** Atoms that a pattern may have once its counts are written out, so that a check of bytes stays small. */
const LARGEST = 2000;

/**
 * The source of a regular expression that takes the texts that `pattern` does, where it stands between two quotes in one
 * that reads UTF-8 as latin1. Of texts that JSON writes with escapes it takes none. Undefined where that is not proved. It is
 * where the whole pattern is anchored, all that it names is ASCII that JSON writes as it is, and nothing in it looks
 * around or repeats what it took.
 */
export function inBytes(pattern: string): string | undefined {
  const read = readPattern(pattern);
  return read && read.size <= LARGEST ? read.source : undefined;
}

/** In how many ways a pattern can be walked at most; Infinity where it repeats without end, or is of a kind that is not read here. */
export function waysOf(pattern: string): number {
  return readPattern(pattern)?.ways ?? Number.POSITIVE_INFINITY;
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
  /** How it is written in bytes. */
  source: string;
  /** How many atoms it has with its counts written out. */
  size: number;
  /** In how many ways it can be walked, at most. */
  ways: number;
}

/** Terms up to the end, or to what closes a group's branch. */
function readSequence(reader: Reader): Part | undefined {
  let [source, size, ways] = ["", 0, 1];
  while (reader.at < reader.text.length && !"|)".includes(next(reader))) {
    const atom = readAtom(reader);
    const times = atom && readQuantifier(reader);
    if (!atom || !times) return undefined;
    source += atom.source + times.source;
    size += atom.size * times.size;
    ways *= waysToRepeat(atom.ways, times);
  }
  return { source, size, ways };
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
    return { source: allBut("", LINE_ENDS), size: 2, ways: 1 };
  }
  const { source, character } = readCharacter(reader, SYNTAX) ?? {};
  if (source === undefined || (character !== undefined && !isPlain(character))) return undefined;
  return { source, size: 1, ways: 1 };
}

function readGroup(reader: Reader): Part | undefined {
  reader.at += reader.text.startsWith("(?:", reader.at) ? 3 : 1;
  // A look-around, or a name for what another part repeats.
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
  const ways = branches.reduce((sum, branch) => sum + branch.ways, 0);
  return { source: `(?:${sources.join("|")})`, size, ways };
}

/** U+2028 and U+2029, which a dot does not take. */
const LINE_ENDS = "(?!\\xe2\\x80[\\xa8\\xa9])";

/** One character that JSON writes as it is: in ASCII none of the class, beyond it any. Nothing else begins with a byte that continues one. */
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
  return isNegated ? { source: allBut(source), size: 2, ways: 1 } : { source: `[${source}]`, size: 1, ways: 1 };
}

/** Whether JSON writes every character of a range as it is. A set, such as `\d`, has no character. */
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

/** A character as it may stand anywhere, in a class too. */
function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/-]/.test(character) ? `\\${character}` : character;
}

/** How often an atom may stand. */
interface Times {
  source: string;
  /** At most or, without an end, at least. */
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

/** Only greedy ones are read. */
function readQuantifier(reader: Reader): Times | undefined {
  const [source = "", from, to] = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})?/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += source.length;
  if (source !== "" && next(reader) === "?") return undefined;
  const counted = [Number(from), to === "" ? Number.POSITIVE_INFINITY : Number(to ?? from)] as const;
  const [least, most] = TIMES[source] ?? counted;
  return { source, size: Math.max(1, Number.isFinite(most) ? most : least), least, most };
}

function waysToRepeat(ways: number, { least, most }: Times): number {
  if (!Number.isFinite(most)) return most;
  if (ways === 1) return most - least + 1;
  let [sum, each] = [0, ways ** least];
  for (let times = least; times <= most && sum < Number.POSITIVE_INFINITY; times++, each *= ways) sum += each;
  return sum;
}
