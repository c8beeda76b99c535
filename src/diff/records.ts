/** Reads single records of a snapshot, without reading whole pages if possible. */
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

const [NEWLINE, COMMA] = [10, 44];
/** Bytes to read around the estimated place of a record. Most records are shorter, and most pages longer. */
const WINDOW = 8192;
/** A window has room for at least this many records of average length. */
const RECORDS_A_WINDOW = 4;
/** Records of a page to read individually before the whole page is read. */
const FEW = 3;

/** Reads records by their entries in the list. Fastest in published order. */
export class RecordReader {
  readonly #paths: PagePaths;
  readonly #pattern: RecordPattern;
  /** The JSON of the key's name in a record, with its colon. */
  readonly #member: string;
  #memory = Buffer.allocUnsafe(0);
  /** The last page, the number of its records that were read, and its lines if it was read whole. */
  #last = { page: 0, records: 0, whole: undefined as Lines | undefined };
  /** Average bytes of a record in the last whole page, to estimate the place of a record. */
  #bytesARecord = 0;

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
    const bytes = this.#find(page, entry);
    if (bytes) return bytes;
    if (!this.#isThere(page, entry)) throw this.#refuse(entry);
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

  /** Finds the bytes of a record that match its digest. */
  #find(page: number, entry: ListEntry): Buffer | undefined {
    if (this.#last.page !== page) this.#last = { page, records: 0, whole: undefined };
    const isFew = this.#last.records++ < FEW;
    if (isFew && !this.#last.whole && this.#bytesARecord > 0) {
      const found = this.#findNear(page, entry);
      if (found) return found;
    }
    const line = this.#readWhole(page).line((entry.at % this.side.facts.pageSize) + 1);
    return line && recordDigest(line) === entry.digest ? line : undefined;
  }

  /** Looks for a record at its estimated place. */
  #findNear(page: number, { key, at, digest }: ListEntry): Buffer | undefined {
    const length = Math.ceil(Math.max(WINDOW, RECORDS_A_WINDOW * this.#bytesARecord));
    const middle = Math.floor(this.#bytesARecord * ((at % this.side.facts.pageSize) + 0.5));
    const bytes = this.#open(page, (file) => this.#read(file, Math.max(0, middle - (length >> 1)), length));
    for (const line of linesWith(bytes, this.#memberOf(key))) if (recordDigest(line) === digest) return line;
    return undefined;
  }

  #readWhole(page: number): Lines {
    this.#last.whole ??= this.#open(page, (file) => {
      const { facts } = this.side;
      const { size } = fstatSync(file);
      if (size > MAX_PAGE) throw badPage(facts, page, `has ${size} bytes, more than a page may have`);
      // The count of an invalid snapshot may be 0.
      this.#bytesARecord = size / Math.max(1, Math.min(facts.pageSize, facts.count - (page - 1) * facts.pageSize));
      return new Lines(this.#read(file, 0, size), facts.pageSize + 1);
    });
    return this.#last.whole;
  }

  #open<T>(page: number, step: (file: number) => T): T {
    const file = openPlain(`${this.side.folder}/${this.#paths.path(page)}`);
    if (file === undefined) throw badPage(this.side.facts, page, "does not exist");
    return closing(file, step);
  }

  #read(file: number, begin: number, length: number): Buffer {
    if (length > this.#memory.length) this.#memory = Buffer.allocUnsafe(2 * length);
    return this.#memory.subarray(0, readSync(file, this.#memory, 0, length, begin));
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
  #isThere(page: number, { key }: ListEntry): boolean {
    const lines = linesWith(this.#readWhole(page).bytes, this.#memberOf(key));
    return [...lines].some((line) => {
      const record = this.#parse(line);
      return record && this.#hasKey(record, key);
    });
  }
}

/** The lines of a page. After the first line, there is one per record. */
class Lines {
  readonly #ends: number[] = [];

  constructor(
    readonly bytes: Buffer,
    most: number,
  ) {
    for (
      let end = bytes.indexOf(NEWLINE);
      end >= 0 && this.#ends.length < most;
      end = bytes.indexOf(NEWLINE, end + 1)
    ) {
      this.#ends.push(end);
    }
  }

  /** The record on a line, counted from 0. */
  line(at: number): Buffer | undefined {
    const [before, end] = [this.#ends[at - 1], this.#ends[at]];
    return before === undefined || end === undefined ? undefined : withoutComma(this.bytes, before + 1, end);
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
