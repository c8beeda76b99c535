/** Reads single records of a snapshot from its pages. */
import { join } from "node:path";
import type { AnyRecord } from "../contract/contract.js";
import { isObject, parseJson } from "../contract/json.js";
import { type RecordPattern, recordPattern } from "../contract/record/byte-pattern.js";
import { writeKey } from "../contract/record/key.js";
import { recordCheck } from "../contract/record/schema.js";
import { valueAt } from "../contract/record/value.js";
import { UserError } from "../errors.js";
import { capital } from "../print/text.js";
import { PagePaths } from "../release/layout.js";
import { recordDigest } from "../release/record-lines.js";
import { badPage, type ListEntry, nameOf, readPage, type Side } from "./side.js";

const NEWLINE = 10;
const COMMA = 44;

/** Reads records by their entries in the list. Fastest in published order. */
export class RecordReader {
  readonly #paths: PagePaths;
  readonly #pattern: RecordPattern;
  /** The last page that was read. */
  #page = 0;
  #lines = new Lines(Buffer.alloc(0));

  constructor(private readonly side: Side) {
    const { contract } = side.facts;
    this.#paths = new PagePaths(contract.listing.path);
    this.#pattern = recordPattern(contract);
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
    const line = this.#linesOf(page).line((entry.at % this.side.facts.pageSize) + 1);
    if (line && recordDigest(line) === entry.digest) return line;
    const record = line && this.#parse(line);
    if (!record || !this.#hasKey(record, entry.key)) throw this.#refuse(entry);
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
    const name = nameOf(facts.contract, entry.key);
    const [word] = facts.contract.listing.words;
    return badPage(facts, this.#pageOf(entry), `does not hold ${name}, or not as a valid ${word}`);
  }

  /** The lines of a page. Keeps those of the last one. */
  #linesOf(page: number): Lines {
    if (page === this.#page) return this.#lines;
    const { facts, folder } = this.side;
    this.#page = 0;
    const bytes = readPage(join(folder, this.#paths.path(page)), facts, page);
    if (!bytes) throw badPage(facts, page, "is not a file");
    this.#lines = new Lines(bytes);
    this.#page = page;
    return this.#lines;
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
}

/** The lines of a page. After the first line, there is one per record. */
class Lines {
  readonly #ends: number[] = [];

  constructor(private readonly bytes: Buffer) {}

  /** The record on a line, counted from 0. */
  line(at: number): Buffer | undefined {
    while (this.#ends.length <= at) {
      const end = this.bytes.indexOf(NEWLINE, (this.#ends.at(-1) ?? -1) + 1);
      if (end < 0) return undefined;
      this.#ends.push(end);
    }
    const begin = (this.#ends[at - 1] ?? -1) + 1;
    const end = this.#ends[at] ?? 0;
    return this.bytes.subarray(begin, this.bytes[end - 1] === COMMA ? end - 1 : end);
  }
}
