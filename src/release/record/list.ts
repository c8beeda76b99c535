/** records.sha256: a digest of every record, with which two releases can be compared without reading their pages. */
import { hash } from "node:crypto";
import { join } from "node:path";
import type { RecordFinder, RecordInText } from "../../contract/record/locate.js";
import { DigestedFile } from "../digested-file.js";
import { RECORDS } from "../layout.js";

// A line is the first digits of the SHA-256 of a record's canonical text, two spaces, the record's key and a newline.
// Lines are in published order.
export const DIGEST_DIGITS = 32;
export const KEY_AT = DIGEST_DIGITS + 2;

/**
 * The lines for a page's canonical records, which are given with their separators. @param text of them, with a character for each byte
 * @returns undefined when a record has no key where it should be.
 */
export function recordLines(
  finder: RecordFinder,
  records: Buffer,
  text = records.toString("latin1"),
): Buffer | undefined {
  let lines = "";
  const isWhole = finder.each(text, (record) => {
    lines += recordLine(records, record);
  });
  return isWhole ? Buffer.from(lines, "latin1") : undefined;
}

/** One character for each byte. */
function recordLine(records: Buffer, { at, end, key }: RecordInText): string {
  return `${recordDigest(records.subarray(at, end))}  ${key}\n`;
}

export function recordDigest(record: Buffer): string {
  return hash("sha256", record, "hex").slice(0, DIGEST_DIGITS);
}

/** Writes the list while pages are written, in any order. */
export class RecordListWriter {
  readonly #file: DigestedFile;
  /** Lines that came before their turn, by their first page. */
  readonly #early = new Map<number, { pages: number; lines: Buffer }>();
  #next = 1;

  constructor(folder: string) {
    this.#file = new DigestedFile(join(folder, RECORDS));
  }

  add(first: number, pages: number, lines: Buffer): void {
    this.#early.set(first, { pages, lines });
    for (let found = this.#early.get(this.#next); found; found = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#file.write(found.lines);
      this.#next += found.pages;
    }
  }

  finish(): string {
    return this.#file.finish();
  }

  close(): void {
    this.#file.close();
  }
}
