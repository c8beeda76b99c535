/** Checks records: that each is valid and canonical, their order, and that keys are unique. */
import { isUtf8 } from "node:buffer";
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../../core/contract/contract.js";
import type { Span } from "../../core/contract/envelope.js";
import { parseJson } from "../../core/contract/json.js";
import { recordPattern } from "../../core/contract/record/byte-pattern.js";
import { comesAfter, fromBytes, type OrderKey, orderKeyOf } from "../../core/contract/record/key.js";
import { recordFinder } from "../../core/contract/record/locate.js";
import { recordCheck } from "../../core/contract/record/schema.js";
import { valueAt } from "../../core/contract/record/value.js";
import { fieldObserver, type WarningCounts } from "../../core/contract/record/warnings.js";
import { shorten, showValue } from "../../core/print/text.js";
import { PagePaths } from "../../core/release/layout.js";
import { TemporaryDatabase } from "../../core/scratch/database.js";
import type { Finding, Findings } from "../verdict.js";

export interface CheckedRecords {
  /** The values of order fields of each record; undefined for a record without usable ones. */
  keys: (OrderKey | undefined)[];
  flaws: Pick<Finding, "check" | "id" | "found" | "expected">[];
}

export type RecordChecker = ReturnType<typeof recordChecker>;

/** Maximum characters of a key or a path, and of a message, which may repeat unknown keys. */
const LONGEST_SHOWN = 60;
const LONGEST_MESSAGE = 200;
const CANONICAL = "keys sorted, no white space, each character in its shortest form";

/** Makes the checker of a contract. @param avatar an image URL that the fast pattern accepts as well */
export function recordChecker(contract: Contract, avatar: string) {
  const pattern = recordPattern(contract, avatar);
  const finder = recordFinder(contract);
  const check = recordCheck(contract);
  const observe = fieldObserver(contract);

  /** Checks one record and its text. @returns whether it is valid */
  function checkValue(record: unknown, text: string, flaws: CheckedRecords["flaws"]): boolean {
    const who = shownId(valueAt(record, contract.key));
    const found = check(record);
    for (const { path, message } of found) {
      const at = shorten(path.join("."), LONGEST_SHOWN);
      const shown = showValue(path.reduce<unknown>((inside, name) => Object(inside)[name], record));
      const expected = shorten(message, LONGEST_MESSAGE);
      flaws.push({ check: "records", ...who, found: at ? `${at} ${shown}` : shown, expected });
    }
    if (found.length > 0) return false;
    const canonical = stringify(record);
    if (text !== canonical)
      flaws.push({ check: "canonical", ...who, found: showFirstDifference(text, canonical), expected: CANONICAL });
    return true;
  }

  /** Checks records one by one. */
  function checkAll(records: readonly Buffer[], warnings: WarningCounts): CheckedRecords {
    const flaws: CheckedRecords["flaws"] = [];
    const keys = records.map((record) => {
      const text = record.toString("utf8");
      const read = isUtf8(record) ? parseJson(text) : { why: "is not UTF-8" };
      if ("why" in read) {
        const found = `${showValue(text)}, which ${read.why}`;
        flaws.push({ check: "records", found, expected: "one record as JSON in UTF-8" });
        return undefined;
      }
      if (checkValue(read.value, text, flaws)) observe(read.value, warnings);
      return orderKeyOf(contract, read.value);
    });
    return { keys, flaws };
  }

  /**
   * Checks the records of a page, and counts warnings about fields of valid ones. Fast if the whole page matches the pattern,
   * which accepts no values that have warnings.
   * @returns also the text of all records with their separators, one character per byte
   */
  function checkText(
    body: Buffer,
    records: readonly Span[],
    warnings: WarningCounts,
  ): CheckedRecords & { text: string } {
    const [begin] = records[0] ?? [0, 0];
    const [, end] = records.at(-1) ?? [0, 0];
    const text = body.toString("latin1", begin, end);
    if (pattern.takes(text, records.length) && isUtf8(body)) {
      const keys = records.map(([from, to]) => finder.find(text, from - begin, to - begin)?.order);
      return { keys, flaws: [], text };
    }
    const each = records.map(([from, to]) => body.subarray(from, to));
    return { ...checkAll(each, warnings), text };
  }

  return { contract, checkText };
}

/** A record's key for a finding, if it is a text or a number. */
export function shownId(key: unknown): Pick<Finding, "id"> {
  return typeof key === "string" || typeof key === "number" ? { id: shorten(String(key), LONGEST_SHOWN) } : {};
}

/** A value of an order field, as it is in the record. */
function plainValue(value: OrderKey[number]): string | number {
  return typeof value === "string" ? fromBytes(value) : value;
}

/** A record's key for a finding, from its order values. */
function idFrom(order: OrderKey): Pick<Finding, "id"> {
  return shownId(plainValue(order.at(-1) ?? ""));
}

/** Some characters around the first difference of two texts. */
function showFirstDifference(text: string, other: string): string {
  let at = 0;
  while (text[at] === other[at]) at++;
  return showValue(text.slice(Math.max(0, at - 20), at + 20));
}

interface RecordOnPage {
  page: number;
  key: OrderKey;
}

/** Checks that each record comes after the previous one. */
export class OrderCheck {
  first: RecordOnPage | undefined;
  last: RecordOnPage | undefined;

  constructor(
    private readonly contract: Contract,
    private readonly findings: Findings,
  ) {}

  add(record: RecordOnPage): void {
    // The check `unique-keys` finds equal keys.
    if (this.last && comesAfter(this.contract, this.last.key, record.key)) this.#note(this.last.key, record);
    this.first ??= record;
    this.last = record;
  }

  /** Adds the records of the next batch, whose order was checked. */
  join({ first, last }: Pick<OrderCheck, "first" | "last">): void {
    if (first) this.add(first);
    this.last = last ?? this.last;
  }

  #note(before: OrderKey, { key, page }: RecordOnPage): void {
    const { order, listing } = this.contract;
    const at = order.findIndex((_, at) => key[at] !== before[at]);
    const [value, other] = [key, before].map((values) => showValue(plainValue(values[at] ?? "")));
    const ties = order.slice(0, at).map(({ path }) => path);
    const found = `${order[at]?.path} ${value} after ${other}${at > 0 ? `, of equal ${ties.join(", ")}` : ""}`;
    const place = { path: new PagePaths(listing.path).path(page), page, ...idFrom(key) };
    this.findings.add({ check: "order", ...place, found, expected: listing.order.join(", ") });
  }
}

/** Finds repeated keys with a temporary database, in bounded memory. Call `close` at the end. */
export class AllKeys {
  readonly #temporary = new TemporaryDatabase({
    tables: "CREATE TABLE keys (key BLOB, page INTEGER)",
    memory: 16_384,
  });
  readonly #insert = this.#temporary.db.prepare("INSERT INTO keys SELECT value, ? FROM json_each(?)");

  /** Adds the keys of a page. @param keys a JSON array. @throws UserError if the temporary directory is full */
  add(page: number, keys: string): void {
    this.#temporary.run(() => this.#insert.run(page, keys));
  }

  /** Adds a finding for each repeated key. */
  check({ listing }: Contract, findings: Findings): void {
    const sql = `SELECT key, count(*) AS times, min(page) AS page, max(page) AS last FROM keys
      WHERE key IN (SELECT key FROM keys GROUP BY key HAVING count(*) > 1) GROUP BY key`;
    type Row = { key: OrderKey[number]; times: number; page: number; last: number };
    for (const { key, times, page, last } of this.#temporary.rows<Row>(sql)) {
      const found = `${times} times, ${page === last ? `on page ${page}` : `on pages ${page} to ${last}`}`;
      const place = { path: new PagePaths(listing.path).path(page), page, ...idFrom([key]) };
      findings.add({ check: "unique-keys", ...place, found, expected: "once" });
    }
  }

  close(): void {
    this.#temporary.close();
  }
}
