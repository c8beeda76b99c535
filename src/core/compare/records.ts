/** Reads single records of a snapshot from its pages. */
import { join } from "node:path";
import type { AnyRecord } from "../contract/contract.js";
import { isObject, parseJson } from "../contract/json.js";
import { type RecordPattern, recordPattern } from "../contract/record/byte-pattern.js";
import { writeKey } from "../contract/record/key.js";
import { recordCheck } from "../contract/record/schema.js";
import { recordsOf } from "../contract/record/split.js";
import { valueAt } from "../contract/record/value.js";
import { UserError } from "../errors.js";
import { capital } from "../print/text.js";
import { PagePaths } from "../release/layout.js";
import { recordDigest } from "../release/record-lines.js";
import { badPage, type ListEntry, nameOf, readPage, type Side } from "./side.js";

/** What follows the last record of a page. */
const TAIL = "\n]}\n";

/** Reads records by their entries in the list. Fastest in published order. */
export class PageRecordReader {
  readonly #paths: PagePaths;
  readonly #pattern: RecordPattern;
  /** The last page that was read. */
  #page = 0;
  #records = new RecordsOnPage(Buffer.alloc(0));

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
    const text = this.#recordsOf(page).at(entry.at % this.side.facts.pageSize);
    if (text && recordDigest(text) === entry.digest) return text;
    const record = text && this.#parse(text);
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

  /** The records of a page. Keeps those of the last one. */
  #recordsOf(page: number): RecordsOnPage {
    if (page === this.#page) return this.#records;
    const { facts, folder } = this.side;
    this.#page = 0;
    const bytes = readPage(join(folder, this.#paths.path(page)), facts, page);
    if (!bytes) throw badPage(facts, page, "is not a file");
    this.#records = new RecordsOnPage(bytes);
    this.#page = page;
    return this.#records;
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

/** The records of a page, found when they are asked for. */
class RecordsOnPage {
  readonly #begin: number;
  readonly #found: [number, number, number][] = [];
  readonly #rest: ReturnType<typeof recordsOf>;

  constructor(private readonly page: Buffer) {
    // A damaged page may have any bytes. Then what is found does not match its digest.
    const text = page.toString("latin1");
    this.#begin = text.indexOf("\n") + 1;
    const end = text.endsWith(TAIL) ? -TAIL.length : undefined;
    this.#rest = recordsOf({ first: 0, text: text.slice(this.#begin, end) });
  }

  /** A record by its place on the page, from 0. */
  at(place: number): Buffer | undefined {
    while (this.#found.length <= place) {
      const next = this.#rest.next();
      if (next.done) return undefined;
      this.#found.push(next.value);
    }
    const [, begin, end] = this.#found[place] as [number, number, number];
    return this.page.subarray(this.#begin + begin, this.#begin + end);
  }
}
