/** The files that say what others hold, bulk.json and changes.json: whether each can be used, and names all that are there. */
import { type Bulk, encodeBulk, parseBulk } from "../artifacts/bulk/parts.js";
import { type Changes, encodeChanges, parseChanges } from "../artifacts/steps/steps.js";
import { shorten } from "../print/text.js";
import { BULK, CHANGES } from "../release/layout.js";
import type { Finding } from "./verdict.js";

interface Head<T> {
  path: string;
  /** What it says. */
  what: string;
  /** What each file is that it names. */
  one: string;
  parse(text: string): T | { why: string };
  encode(value: T): string;
}

export const BULK_HEAD: Head<Bulk> = {
  ...{ path: BULK, what: "the parts that hold all records", one: "part" },
  ...{ parse: parseBulk, encode: encodeBulk },
};

export const CHANGES_HEAD: Head<Changes> = {
  ...{ path: CHANGES, what: "the steps to this state", one: "step" },
  ...{ parse: parseChanges, encode: encodeChanges },
};

/** Adds a finding about a file. */
export type NoteFile = (path: string, difference: Pick<Finding, "found" | "expected">) => void;

/** @returns undefined where it cannot be used, with a finding that says why. */
export function readHead<T extends object>(head: Head<T>, text: string | { why: string }, note: NoteFile) {
  const { path, what, parse, encode } = head;
  const read = typeof text === "string" ? parse(text) : text;
  if ("why" in read) return void note(path, { found: `a file that ${shorten(`${read.why}`, 200)}`, expected: what });
  const expected = "keys sorted, no white space, one final newline";
  if (text !== encode(read)) note(path, { found: "another form", expected });
  return read;
}

/** @param there files that stand where only such do which the head names. */
export function noteUnnamed(
  { path, one }: Pick<Head<unknown>, "path" | "one">,
  files: readonly { file: string }[],
  there: Iterable<string>,
  note: NoteFile,
): void {
  const named = new Set(files.map(({ file }) => file));
  for (const file of there)
    if (!named.has(file)) note(file, { found: "a file", expected: `none, since ${path} has no such ${one}` });
}
