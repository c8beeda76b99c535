/** Reads single records of a snapshot from its pages. */
import { fstatSync, readSync } from "node:fs";
import type { AnyRecord } from "../contract/contract.js";
import { isObject, parseJson } from "../contract/json.js";
import { type RecordPattern, recordPattern } from "../contract/record/byte-pattern.js";
import { keyText, toBytes, writeKey } from "../contract/record/key.js";
import { recordCheck } from "../contract/record/schema.js";
import { valueAt } from "../contract/record/value.js";
import { UserError } from "../errors.js";
import { capital } from "../print/text.js";
import { PagePaths } from "../release/layout.js";
import { closing, MAX_PAGE, openPlain } from "../release/plain-files.js";
import { recordDigest } from "../release/record-lines.js";
import { badPage, type ListEntry, nameOf, type Side } from "./side.js";

const NEWLINE = 10;
const COMMA = 44;

/** Reads records by their entries in the list. Fastest in published order. */
export class RecordReader {
  readonly #paths: PagePaths;
  readonly #pattern: RecordPattern;
  /** The JSON of the key's name in a record, with its colon. */
  readonly #member: string;
  #memory = Buffer.allocUnsafe(0);
  /** The last page that was read. */
  #page = 0;
  #lines = new Lines(this.#memory);

  constructor(private readonly side: Side) {
    const { contract } = side.facts;
    this.#paths = new PagePaths(contract.listing.path);
    this.#pattern = recordPattern(contract);
    this.#member = toBytes(`${JSON.stringify(contract.key.names.at(-1))}:`);
  }

  /** Reads and validates a record. @throws UserError if the page is missing, or does not have this valid record with its digest. */
  read(entry: ListEntry): AnyRecord {
    const record = this.#readValid(this.readText(entry));
    // An altered page must not be reported as the snapshot's, or pass a gate.
    if (record && this.#hasKey(record, entry.key)) return record;
    throw this.#refuse(entry);
  }

  /** Reads the canonical text of a record, which matches its digest. Valid until the next read. @throws as `read` does. */
  readText(entry: ListEntry): Buffer {
    const page = this.#pageOf(entry);
    const lines = this.#linesOf(page);
    const line = lines.line((entry.at % this.side.facts.pageSize) + 1);
    if (line && recordDigest(line) === entry.digest) return line;
    if (!this.#isThere(lines, entry)) throw this.#refuse(entry);
    const { contract, name } = this.side.facts;
    const what = capital(nameOf(contract, entry.key));
    throw new UserError(
      `${what} on page ${page} of ${name} does not match its digest; check it with "rollcall verify".`,
    );
  }

  #pageOf({ at }: ListEntry): number {
    return Math.floor(at / this.side.facts.pageSize) + 1;
  }

  #refuse(entry: ListEntry): UserError {
    const { facts } = this.side;
    const [name, word] = [nameOf(facts.contract, entry.key), facts.contract.listing.words[0]];
    return badPage(facts, this.#pageOf(entry), `does not hold ${name}, or not as a valid ${word}`);
  }

  /** The lines of a page. Keeps those of the last one. */
  #linesOf(page: number): Lines {
    if (page === this.#page) return this.#lines;
    const { facts, folder } = this.side;
    this.#page = 0;
    const file = openPlain(`${folder}/${this.#paths.path(page)}`);
    if (file === undefined) throw badPage(facts, page, "does not exist");
    this.#lines = closing(file, () => {
      const { size } = fstatSync(file);
      if (size > MAX_PAGE) throw badPage(facts, page, `has ${size} bytes, more than a page may have`);
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafe(2 * size);
      return new Lines(this.#memory.subarray(0, readSync(file, this.#memory, 0, size, 0)));
    });
    this.#page = page;
    return this.#lines;
  }

  /** The JSON of the key's name and value in a record, one character per byte. */
  #memberOf(key: string): string {
    return this.#member + keyText(this.side.facts.contract, key);
  }

  #readValid(bytes: Buffer): AnyRecord | undefined {
    // The pattern takes a tenth of the schema's time, and accepts only what the schema accepts.
    if (this.#pattern.takes(bytes.toString("latin1"), 1)) return JSON.parse(bytes.toString("utf8"));
    const record = this.#parse(bytes);
    return record && recordCheck(this.side.facts.contract)(record).length === 0 ? record : undefined;
  }

  #parse(bytes: Buffer): AnyRecord | undefined {
    const read = parseJson(bytes.toString("utf8"));
    return "value" in read && isObject(read.value) ? read.value : undefined;
  }

  #hasKey(record: AnyRecord, key: string): boolean {
    const value = valueAt(record, this.side.facts.contract.key);
    return (typeof value === "string" || typeof value === "number") && writeKey(value) === key;
  }

  /** Whether a page has a record with this key. */
  #isThere({ bytes }: Lines, { key }: ListEntry): boolean {
    return [...linesWith(bytes, this.#memberOf(key))].some((line) => {
      const record = this.#parse(line);
      return record && this.#hasKey(record, key);
    });
  }
}

/** The lines of a page. After the first line, there is one per record. */
class Lines {
  readonly #ends: number[] = [];

  constructor(readonly bytes: Buffer) {}

  /** The record on a line, counted from 0. */
  line(at: number): Buffer | undefined {
    while (this.#ends.length <= at) {
      const end = this.bytes.indexOf(NEWLINE, (this.#ends.at(-1) ?? -1) + 1);
      if (end < 0) return undefined;
      this.#ends.push(end);
    }
    return withoutComma(this.bytes, (this.#ends[at - 1] ?? -1) + 1, this.#ends[at] ?? 0);
  }
}

/** The complete lines that contain a text. */
function* linesWith(bytes: Buffer, text: string): Generator<Buffer> {
  for (let from = 0; ; ) {
    const found = bytes.indexOf(text, from, "latin1");
    const end = found < 0 ? -1 : bytes.indexOf(NEWLINE, found);
    if (end < 0) return;
    from = end + 1;
    const begin = bytes.lastIndexOf(NEWLINE, found) + 1;
    if (begin > 0) yield withoutComma(bytes, begin, end);
  }
}

function withoutComma(bytes: Buffer, begin: number, end: number): Buffer {
  return bytes.subarray(begin, bytes[end - 1] === COMMA ? end - 1 : end);
}
