/** A text that a pattern takes, for an example. */

/** A short one; undefined where the pattern is of a kind that is not read here. */
export function sampleOf(pattern: string): string | undefined {
  const reader = { text: pattern, at: 0 };
  const sample = readBranches(reader);
  const isTaken = sample !== undefined && reader.at === pattern.length && new RegExp(pattern, "u").test(sample);
  return isTaken ? sample : undefined;
}

interface Reader {
  text: string;
  at: number;
}

function peek({ text, at }: Reader): string {
  return text.charAt(at);
}

/** All branches are read, up to the end or to what closes the group; the first one is taken. */
function readBranches(reader: Reader): string | undefined {
  const first = readTerms(reader);
  while (first !== undefined && peek(reader) === "|") {
    reader.at++;
    if (readTerms(reader) === undefined) return undefined;
  }
  return first;
}

function readTerms(reader: Reader): string | undefined {
  let sample = "";
  while (peek(reader) !== "" && !"|)".includes(peek(reader))) {
    const atom = readAtom(reader);
    const times = atom === undefined ? undefined : readTimes(reader);
    if (atom === undefined || times === undefined || sample.length + atom.length * times > LONGEST) return undefined;
    sample += atom.repeat(times);
  }
  return sample;
}

/** Sets that stand for many characters, by one of them. */
const MEMBERS: Readonly<Record<string, string>> = { d: "1", w: "a", s: " ", D: "a", W: "-", S: "a" };
/** Longer texts are no examples. */
const LONGEST = 1000;

function readAtom(reader: Reader): string | undefined {
  const first = peek(reader);
  reader.at++;
  if (first === "^" || first === "$") return "";
  if (first === ".") return "a";
  if (first === "[") return readClass(reader);
  if (first === "\\") return readEscape(reader);
  if (first !== "(") return "*+?{}]".includes(first) ? undefined : first;
  if (reader.text.startsWith("?:", reader.at)) reader.at += 2;
  else if (peek(reader) === "?") return undefined;
  const inside = readBranches(reader);
  return peek(reader) === ")" && reader.at++ > 0 ? inside : undefined;
}

function readEscape(reader: Reader): string | undefined {
  const character = peek(reader);
  reader.at++;
  return MEMBERS[character] ?? (/\w/.test(character) ? undefined : character);
}

/** One of its members: the first letter or digit that begins one of its ranges, or else the first. */
function readClass(reader: Reader): string | undefined {
  const [whole, not, members = ""] = /^(\^?)((?:\\.|[^\]\\])*)\]/.exec(reader.text.slice(reader.at)) ?? [];
  if (whole === undefined) return undefined;
  reader.at += whole.length;
  const isMember = new RegExp(`^[${not}${members}]$`, "u");
  return ["A", "a", "1", "0", ...members, "-", " "].find((character) => isMember.test(character));
}

/** As seldom as may be, but once rather than never. */
function readTimes(reader: Reader): number | undefined {
  const [whole = "", least] = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})?\??/.exec(reader.text.slice(reader.at)) ?? [];
  reader.at += whole.length;
  return least === undefined ? 1 : Number(least);
}
