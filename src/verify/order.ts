/** What must be true of records together: their order, and that no two have the same key. */
import type { Contract } from "../contract/contract.js";
import { fromBytes, isBehind, type OrderKey } from "../contract/record/key.js";
import { showValue } from "../print/text.js";
import { PagePaths } from "../release/layout.js";
import { idFrom } from "./records.js";
import { KeyTable, standIn } from "./repeated-keys.js";
import type { Findings } from "./verdict.js";

interface RecordOnPage {
  page: number;
  key: OrderKey;
}

/** What of a batch of pages is compared with other batches. */
export interface BatchRecords {
  count: number;
  /** Of each page, as a JSON array of what stands for the keys. */
  keys: { page: number; keys: string }[];
  /** The first and the last record; undefined where none has what it is ordered by. */
  edges: { first: RecordOnPage; last: RecordOnPage } | undefined;
}

/** Takes the records of a batch page by page, and checks their order. */
export class BatchCheck {
  readonly #records: BatchRecords = { count: 0, keys: [], edges: undefined };

  constructor(
    private readonly contract: Contract,
    private readonly findings: Findings,
  ) {}

  add(page: number, keys: readonly (OrderKey | undefined)[]): void {
    const own: OrderKey[number][] = [];
    for (const key of keys) {
      if (!key) continue;
      const record = { key, page };
      const { first, last } = this.#records.edges ?? { first: record };
      checkOrder(this.contract, last, record, this.findings);
      this.#records.edges = { first, last: record };
      own.push(standIn(key.at(-1) ?? ""));
    }
    this.#records.count += keys.length;
    this.#records.keys.push({ page, keys: JSON.stringify(own) });
  }

  finish(): BatchRecords {
    const { edges, ...others } = this.#records;
    return { ...others, edges: edges && { first: detach(edges.first), last: detach(edges.last) } };
  }
}

/** Takes batches in any order, and keeps only those before their turn. Call `close` in the end. */
export class AllRecordsCheck {
  count = 0;
  readonly #keys = new KeyTable();
  /** First page -> how many pages, and their records. */
  readonly #early = new Map<number, { pages: number; edges: BatchRecords["edges"] }>();
  #next = 1;
  #last: RecordOnPage | undefined;

  constructor(
    private readonly contract: Contract,
    private readonly findings: Findings,
  ) {}

  /** Call it for batches without records, too. @throws UserError when the folder for temporary files cannot hold their keys. */
  add(first: number, pages: number, records?: BatchRecords): void {
    this.count += records?.count ?? 0;
    for (const { page, keys } of records?.keys ?? []) this.#keys.add(page, keys);
    this.#early.set(first, { pages, edges: records?.edges });
    for (let batch = this.#early.get(this.#next); batch; batch = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += batch.pages;
      if (!batch.edges) continue;
      checkOrder(this.contract, this.#last, batch.edges.first, this.findings);
      this.#last = batch.edges.last;
    }
  }

  /** Adds a finding for every key that comes more than once. */
  finish(): void {
    const paths = new PagePaths(this.contract.listing.path);
    for (const { key, times, first, last } of this.#keys.find()) {
      const where = first === last ? `on page ${first}` : `on pages ${first} to ${last}`;
      const found = `${times} times, ${where}`;
      const place = { path: paths.path(first), page: first };
      this.findings.add({ check: "unique-keys", ...place, id: key, found, expected: "once" });
    }
  }

  close(): void {
    this.#keys.close();
  }
}

/** Each record must come after the one before. Equal keys are the finding of another check. */
function checkOrder(
  contract: Contract,
  before: RecordOnPage | undefined,
  { key, page }: RecordOnPage,
  findings: Findings,
): void {
  if (before === undefined || !isBehind(contract, before.key, key)) return;
  const { order, listing } = contract;
  const at = order.findIndex((_, at) => key[at] !== before.key[at]);
  const [value, other] = [key, before.key].map((values) => showOrdered(values[at]));
  const ties = order.slice(0, at).map(({ path }) => path);
  const found = `${order[at]?.path} ${value} after ${other}${at > 0 ? `, of equal ${ties.join(", ")}` : ""}`;
  const place = { path: new PagePaths(listing.path).path(page), page };
  findings.add({ check: "order", ...place, ...idFrom(key), found, expected: listing.order.join(", ") });
}

function showOrdered(value: OrderKey[number] | undefined): string {
  return showValue(typeof value === "string" ? fromBytes(value) : value);
}

/** Far longer than what texts in an order differ in. */
const LONGEST = 1024;

/**
 * What a record is ordered by, for comparison with other batches: as copies, since a slice of a string keeps the whole
 * one in memory. What follows a long text is left out, so that memory has a bound: two of the same beginning are not compared.
 */
function detach({ page, key }: RecordOnPage): RecordOnPage {
  const copies: OrderKey[number][] = [];
  for (const value of key) {
    if (typeof value === "number") copies.push(value);
    else copies.push(Buffer.from(value.slice(0, LONGEST), "latin1").toString("latin1"));
    if (typeof value === "string" && value.length >= LONGEST) break;
  }
  return { page, key: copies };
}
