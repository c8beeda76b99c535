/** A simple reader of sorted files, after docs/reference/release-format.md, independent of the writer. */

/** One line, without what was left out of it. */
export interface PlainLine {
  file: number;
  term: string;
  mark: string;
  numbers: number[];
  bytes: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export function readNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [difference, before] = [0, 0];
  for (const digit of text) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) throw new Error(`${digit} is no digit`);
    difference = difference * 32 + (value % 32);
    if (value < 32) continue;
    before += difference;
    difference = 0;
    numbers.push(before);
  }
  return numbers;
}

/** All lines of a family's files, in order. */
export function readLines(files: readonly Buffer[]): PlainLine[] {
  return files.flatMap((file, at) =>
    file
      .toString()
      .split("\n")
      .slice(0, -1)
      .map((line) => readLine(line, at)),
  );
}

function readLine(line: string, file: number): PlainLine {
  const tab = line.indexOf("\t");
  const written = line.slice(0, tab);
  const [, mark = "", digits = ""] = /^([*~=]?)(.*)$/.exec(line.slice(tab + 1)) ?? [];
  const term = written.startsWith('"') ? JSON.parse(written) : written;
  return { file, term, mark, numbers: readNumbers(digits), bytes: Buffer.byteLength(line) + 1 };
}

/** Terms with all of their numbers: lists that go on in the next file are joined, and what is left out is filled in. */
export function joinLines(lines: readonly PlainLine[]): Omit<PlainLine, "bytes">[] {
  const joined: Omit<PlainLine, "bytes">[] = [];
  for (const { file, term, mark, numbers } of lines) {
    const last = joined.at(-1);
    if (last && last.file < file && last.term === term && last.mark === mark) {
      last.numbers = [...last.numbers, ...numbers];
      last.file = file;
    } else if (mark === "=") {
      if (last?.file !== file || !["*", "="].includes(last.mark)) throw new Error(`${term} is the same as nothing`);
      joined.push({ file, term, mark, numbers: last.numbers });
    } else joined.push({ file, term, mark, numbers });
  }
  return joined;
}

export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const HIGHEST = "\u{10ffff}";

type Beginning = string | readonly [string, number];

/** The records that have a term which begins so, or that have exactly this term: found in the way a reader does, before anything is confirmed. */
export function lookUp(
  beginnings: readonly Beginning[],
  files: readonly Buffer[],
  wanted: string,
  isWhole: boolean,
): number[] {
  const last = beginnings.findLastIndex((entry) => compareBytes(placeOf(entry), wanted + HIGHEST) <= 0);
  if (last < 0) return [];
  // A list may have begun in earlier files.
  let first = last;
  const goesOn = (at: number) => typeof beginnings[at] !== "string";
  const plain = (at: number) => placeOf(beginnings[at] ?? "");
  if (isWhole) while (first > 0 && compareBytes(plain(first), wanted) >= 0) first--;
  while (goesOn(first)) first--;
  const lines = joinLines(
    readLines(files.slice(first, last + 1)).map((line) => ({ ...line, file: line.file + first })),
  );
  if (!isWhole) {
    const all = lines.find(({ term, mark }) => term === wanted && (mark === "*" || mark === "="));
    if (all) return all.numbers;
  }
  const fits = ({ term, mark }: Pick<PlainLine, "term" | "mark">) => {
    if (mark === "~") return wanted.startsWith(term) || (!isWhole && term.startsWith(wanted));
    return mark === "" && (isWhole ? term === wanted : term.startsWith(wanted));
  };
  return [...new Set(lines.filter(fits).flatMap(({ numbers }) => numbers))].sort((one, other) => one - other);
}

function placeOf(entry: Beginning): string {
  return typeof entry === "string" ? entry : entry[0];
}
