/** A simple writer of sorted files, after docs/reference/release-format.md, with files of any size. */
import { type Beginnings, LIST_DIGITS } from "../../../src/core/contract/lookup.js";

const LAST = "\u{10ffff}";

export interface PlainFiles {
  files: string[];
  beginnings: Beginnings;
}

/** @param isCut whether terms of one record are cut, and beginnings in several files have lines of their own. */
export function sortPlainly(lists: ReadonlyMap<string, ReadonlySet<number>>, size: number, isCut: boolean): PlainFiles {
  const files: string[] = [];
  const beginnings: (string | [string, number])[] = [];
  let file = "";
  /** The records of the `*` line that stands last in this file. */
  let before: string | undefined;

  const begin = (place: string, record?: number) => {
    if (file !== "") files.push(file);
    [file, before] = ["", undefined];
    beginnings.push(record === undefined ? place : [place, record]);
  };
  const write = (term: string, mark: string, numbers: readonly number[]) => {
    const place = mark === "*" || mark === "=" ? term + LAST : term;
    const head = `${written(term)}\t${mark}`;
    if (file === "" ? files.length === 0 : file.length >= size) begin(place);
    file += head;
    let last: number | undefined;
    for (const number of numbers) {
      if (last !== undefined && file.length >= size) {
        file += "\n";
        begin(place, number);
        file = head;
        last = undefined;
      }
      file += digits(number - (last ?? 0));
      last = number;
    }
    file += "\n";
  };
  /** The file in which the first line of each beginning began. */
  const open = new Map<string, number>();
  const close = (beginning: string) => {
    const first = open.get(beginning);
    open.delete(beginning);
    if (first === files.length) return;
    const all = new Set([...lists].flatMap(([term, records]) => (term.startsWith(beginning) ? [...records] : [])));
    const numbers = [...all].sort((one, other) => one - other);
    const isSame = before === `${numbers}` && file.length < size;
    write(beginning, isSame ? "=" : "*", isSame ? [] : numbers);
    before = `${numbers}`;
  };

  const terms = [...lists.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  for (const [at, term] of terms.entries()) {
    for (const beginning of [...open.keys()].reverse()) if (!term.startsWith(beginning)) close(beginning);
    const numbers = [...(lists.get(term) ?? [])].sort((one, other) => one - other);
    const others = [terms[at - 1], terms[at + 1]];
    const short = beginningsOf(term).find((one) => !others.some((other) => other?.startsWith(one)));
    const isOnly = short !== undefined && numbers.length === 1 && isCut;
    const began = file.length >= size ? files.length + 1 : files.length;
    before = undefined;
    write(isOnly ? short : term, isOnly ? "~" : "", numbers);
    if (isCut) for (const beginning of beginningsOf(term)) if (!open.has(beginning)) open.set(beginning, began);
  }
  for (const beginning of [...open.keys()].reverse()) close(beginning);
  if (file !== "") files.push(file);
  return { files, beginnings };
}

/** The shortest first. */
function beginningsOf(term: string): string[] {
  const all = Array.from(term);
  return all.map((_, at) => all.slice(0, at + 1).join(""));
}

function written(term: string): string {
  return term.startsWith('"') || JSON.stringify(term).includes("\\u00") || /[\b\t\n\f\r]/.test(term)
    ? JSON.stringify(term)
    : term;
}

function digits(number: number): string {
  const all = number.toString(32).split("");
  return all.map((digit, at) => LIST_DIGITS[Number.parseInt(digit, 32) + (at === all.length - 1 ? 32 : 0)]).join("");
}
