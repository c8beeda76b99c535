/** The lines of a step, as its plain bytes come: each puts a valid, canonical record or removes a key, in the order of keys. */
import { isUtf8 } from "node:buffer";
import type { Contract, OrderField } from "../../contract/contract.js";
import type { Span } from "../../contract/envelope.js";
import { parseJson } from "../../contract/json.js";
import { RECORD_SEPARATOR } from "../../contract/page.js";
import { fromBytes, type OrderKey, toBytes, writeKey } from "../../contract/record/key.js";
import { type RecordFinder, recordFinder } from "../../contract/record/locate.js";
import { shorten, showValue } from "../../print/text.js";
import { recordDigest } from "../../release/record/list.js";
import { type RecordChecker, recordChecker } from "../records.js";
import type { Finding } from "../verdict.js";

const NEWLINE = 0x0a;
const [PUT, REMOVE, END] = ['{"put":', '{"remove":', "}"];
const SEPARATOR = Buffer.from(RECORD_SEPARATOR);
/** Of a line: as long as a host's answer may be. */
const LONGEST_LINE = 2 ** 26;
/** Records that are checked at once, and their bytes. */
const MOST_RECORDS = 100;
const MOST_BYTES = 2 ** 20;
/** Of a text that differs, in characters. */
const LONGEST_SHOWN = 60;

export type Difference = Pick<Finding, "id" | "found" | "expected">;

/** Told of each line: the key as records.sha256 has it, and the digest of the record, or null for one that is removed. */
export type TakeLine = (key: string, digest: string | null) => void;

/** What checks the records of one contract, made once for all steps. */
export interface LineContext {
  contract: Contract;
  checker: RecordChecker;
  finder: RecordFinder;
}

/** @param defaultAvatar as `recordChecker` takes it. */
export function lineContext(contract: Contract, defaultAvatar: string): LineContext {
  return { contract, checker: recordChecker(contract, defaultAvatar), finder: recordFinder(contract) };
}

type Key = OrderKey[number];

/** Takes plain bytes piece by piece. Each call returns the first thing that is wrong, after which there is none to be made. */
export class StepLines {
  readonly counts = { put: 0, remove: 0 };
  /** What has come of a line that is not at its end. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #last: Key | undefined;
  /** Records that are still to be checked. */
  #records: Buffer[] = [];
  #bytes = 0;

  constructor(
    private readonly context: LineContext,
    private readonly onLine: TakeLine,
  ) {}

  take(plain: Buffer): Difference | undefined {
    let begin = 0;
    for (let end = plain.indexOf(NEWLINE); end >= 0; end = plain.indexOf(NEWLINE, begin)) {
      const difference = this.#takeLine(Buffer.concat([...this.#begun, plain.subarray(begin, end)]));
      if (difference) return difference;
      [this.#begun, this.#begunBytes, begin] = [[], 0, end + 1];
    }
    this.#begun.push(plain.subarray(begin));
    this.#begunBytes += plain.length - begin;
    if (this.#begunBytes <= LONGEST_LINE) return undefined;
    return this.#note(`more than ${LONGEST_LINE} bytes`, "a line that puts a record or removes a key");
  }

  finish(): Difference | undefined {
    const difference = this.#checkRecords();
    if (difference || this.#begunBytes === 0) return difference;
    return this.#note("no newline at its end", "a newline after every line");
  }

  #takeLine(line: Buffer): Difference | undefined {
    const isPut = line.toString("latin1", 0, PUT.length) === PUT;
    const isRemove = line.toString("latin1", 0, REMOVE.length) === REMOVE;
    if (!(isPut || isRemove) || line.toString("latin1", line.length - END.length) !== END)
      return this.#wrong(showBytes(line), `${PUT}a record} or ${REMOVE}a key}`);
    const inside = line.subarray(isPut ? PUT.length : REMOVE.length, -END.length);
    return isPut ? this.#put(inside) : this.#remove(inside);
  }

  #put(record: Buffer): Difference | undefined {
    this.#records.push(record);
    this.#bytes += record.length;
    const found = this.context.finder.find(record.toString("latin1"), 0, record.length);
    const value = found?.order.at(-1);
    if (!found || value === undefined) return this.#wrong(showBytes(record), "a record with its key");
    const difference = this.#takeKey(value);
    if (difference) return difference;
    this.onLine(found.key, recordDigest(record));
    this.counts.put++;
    return this.#records.length < MOST_RECORDS && this.#bytes < MOST_BYTES ? undefined : this.#checkRecords();
  }

  #remove(bytes: Buffer): Difference | undefined {
    const value = readKey(bytes, this.context.contract.key);
    if (value === undefined)
      return this.#wrong(showBytes(bytes), `a key of ${this.context.contract.key.kind}, as JSON`);
    const difference = this.#takeKey(typeof value === "string" ? toBytes(value) : value);
    if (difference) return difference;
    this.onLine(writeKey(value), null);
    this.counts.remove++;
    return undefined;
  }

  /** Every key comes after the one before. @param key a text byte by byte. */
  #takeKey(key: Key): Difference | undefined {
    const last = this.#last;
    this.#last = key;
    if (last === undefined || key > last) return undefined;
    return this.#wrong(`${show(key)} after ${show(last)}`, "each key once, in their order");
  }

  /** What is wrong with a line, unless a record before it is. */
  #wrong(found: string, expected: string): Difference {
    return this.#checkRecords() ?? this.#note(found, expected);
  }

  #note(found: string, expected: string): Difference {
    const { put, remove } = this.counts;
    return { found: `${found}, in line ${put + remove + 1}`, expected };
  }

  #checkRecords(): Difference | undefined {
    const [records, spans]: [Buffer[], Span[]] = [[], []];
    let at = 0;
    for (const record of this.#records) {
      spans.push([at, at + record.length]);
      records.push(record, SEPARATOR);
      at += record.length + SEPARATOR.length;
    }
    [this.#records, this.#bytes] = [[], 0];
    if (spans.length === 0) return undefined;
    const [flaw] = this.context.checker.checkText(Buffer.concat(records), spans, {}).flaws;
    return flaw && { ...(flaw.id !== undefined && { id: flaw.id }), found: flaw.found, expected: flaw.expected };
  }
}

/** Undefined for what is no key in its canonical text. */
function readKey(bytes: Buffer, { kind }: OrderField): string | number | undefined {
  const text = bytes.toString("utf8");
  const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
  if ("why" in read || JSON.stringify(read.value) !== text) return undefined;
  if (kind === "text") return typeof read.value === "string" ? read.value : undefined;
  return Number.isSafeInteger(read.value) ? (read.value as number) : undefined;
}

function show(key: Key): string {
  return shorten(typeof key === "string" ? fromBytes(key) : String(key), LONGEST_SHOWN);
}

function showBytes(bytes: Buffer): string {
  return showValue(bytes.toString("utf8", 0, LONGEST_SHOWN));
}
