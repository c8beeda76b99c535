/** users.sha256: a digest of every user, with which two releases can be compared without reading their pages. */
import { createHash, type Hash, hash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECORD_SEPARATOR } from "../contract/record-text.js";
import { USERS } from "./layout.js";

// A line is the first digits of the SHA-256 of a user's canonical record, two spaces, the user's id and a newline. Lines
// are in published order, so the line of user N (from 0) begins at byte N * LINE_BYTES.
export const DIGEST_DIGITS = 32;
export const ID_AT = DIGEST_DIGITS + 2;
export const ID_LENGTH = 36;
export const LINE_BYTES = ID_AT + ID_LENGTH + 1;

const ID_KEY = '"id":"';

export interface RecordInText {
  text: string;
  at: number;
  end: number;
  id: string;
  idAt: number;
}

/** Calls `take` with each of a page's canonical records, which are given with their separators, in order. */
export function eachRecord(records: Buffer, take: (record: RecordInText) => void): void {
  // One character for each byte is enough, because only ASCII is searched for.
  const text = records.toString("latin1");
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next + 1 - RECORD_SEPARATOR.length;
    // The last match: `circles`, which come earlier, may have keys with this name. Texts cannot match: quotes are escaped.
    const idAt = at + text.slice(at, end).lastIndexOf(ID_KEY) + ID_KEY.length;
    take({ text, at, end, id: text.slice(idAt, idAt + ID_LENGTH), idAt });
    at = end + RECORD_SEPARATOR.length;
  }
}

/** The lines of the index for a page's canonical records, which are given with their separators. */
export function userLines(records: Buffer): Buffer {
  let lines = "";
  eachRecord(records, (record) => {
    lines += userLine(records, record);
  });
  return Buffer.from(lines, "latin1");
}

export function userLine(records: Buffer, { at, end, id }: RecordInText): string {
  return `${userDigest(records.subarray(at, end))}  ${id}\n`;
}

export function userDigest(record: Buffer): string {
  return hash("sha256", record, "hex").slice(0, DIGEST_DIGITS);
}

/** Writes the index while pages are written, in any order. */
export class UserIndexWriter {
  #file: number | undefined;
  readonly #hash: Hash = createHash("sha256");
  /** Lines that came before their turn, by their first page. */
  readonly #early = new Map<number, { pages: number; lines: Buffer }>();
  #next = 1;

  constructor(folder: string) {
    this.#file = openSync(join(folder, USERS), "wx");
  }

  add(first: number, pages: number, lines: Buffer): void {
    this.#early.set(first, { pages, lines });
    for (let found = this.#early.get(this.#next); found; found = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      writeFileSync(this.#file ?? -1, found.lines);
      this.#hash.update(found.lines);
      this.#next += found.pages;
    }
  }

  finish(): string {
    if (this.#file !== undefined) fsyncSync(this.#file);
    this.close();
    return this.#hash.digest("hex");
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

export class UserIndexReader {
  readonly #file: number;

  constructor(folder: string) {
    this.#file = openSync(join(folder, USERS), "r");
  }

  /** The lines of `count` users from user `first` (from 0) on; fewer at the end of the index. */
  lines(first: number, count: number): Buffer {
    const lines = Buffer.allocUnsafe(count * LINE_BYTES);
    return lines.subarray(0, readSync(this.#file, lines, 0, lines.length, first * LINE_BYTES));
  }

  close(): void {
    closeSync(this.#file);
  }
}
