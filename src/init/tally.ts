/** Statistics of a column, collected in one pass and in bounded memory. */
import { REPLACEMENT } from "../source/candidates.js";
import { beginsAsJson, FORMS, type Form } from "./forms.js";

/** A row in messages: `rowid 17`, or `row 17` of a view. */
export type RowName = string;

export interface Example {
  row: RowName;
  value: unknown;
}

/** A number of values, and the first of them. */
export interface Counted {
  count: number;
  first?: Example;
}

/** Texts that do not match a form. */
export interface Misses extends Counted {
  form: Form;
  /** Whether all of these texts are equal. */
  isOneText: boolean;
}

export const STORAGE = ["NULL", "INTEGER", "REAL", "TEXT", "BLOB"] as const;
export type Storage = (typeof STORAGE)[number];

/** Maximum number of values of an enumeration, and their length. */
const MOST_VALUES = 20;
const LONGEST_VALUE = 40;

const MOST_MEMBERS = 1000;

/** A form is given up if more than this share, and more than this number, of texts do not match. */
const [SHARE_MISSED, FEW_MISSED] = [1 / 20, 10];

export class ColumnTally {
  rows = 0;
  readonly counts: Record<Storage, number> = { NULL: 0, INTEGER: 0, REAL: 0, TEXT: 0, BLOB: 0 };
  /** The first value of each storage class. */
  readonly firsts: Partial<Record<Storage, Example>> = {};
  /** Integers that a double would round. */
  readonly unsafe: Counted = { count: 0 };
  /** REAL values that are not finite. */
  readonly infinite: Counted = { count: 0 };
  least: bigint | number = Number.POSITIVE_INFINITY;
  most: bigint | number = Number.NEGATIVE_INFINITY;
  empty = 0;
  longest = 0;
  /** Whether a text has U+FFFD, which may replace invalid bytes. */
  needsExactCheck = false;
  /** Texts that are not UTF-8, counted if `needsExactCheck`. */
  undecodable = 0;
  firstUndecodable: RowName | undefined;
  /** Lengths of BLOBs, at most two different ones. */
  readonly bytes = new Set<number>();
  /** Names of members in JSON values, which may indicate private data. */
  readonly members = new Set<string>();
  /** Occurrences of each text; undefined if there are too many or long ones. */
  values: Map<string, number> | undefined = new Map();
  #misses: Misses[] = FORMS.map((form) => ({ form, count: 0, isOneText: true }));

  constructor(
    readonly column: string,
    readonly declared: string,
  ) {}

  add(value: unknown, row: () => RowName): void {
    this.rows++;
    const storage = storageOf(value);
    if (this.counts[storage]++ === 0) this.firsts[storage] = { row: row(), value };
    if (typeof value === "string") this.#addText(value, row);
    else if (typeof value === "bigint" || typeof value === "number") this.#addNumber(value, row);
    else if (Buffer.isBuffer(value) && this.bytes.size < 2) this.bytes.add(value.length);
  }

  #addNumber(value: bigint | number, row: () => RowName): void {
    const isInteger = typeof value === "bigint";
    const isExact = isInteger ? Number.isSafeInteger(Number(value)) : Number.isFinite(value);
    const others = isInteger ? this.unsafe : this.infinite;
    if (!isExact && others.count++ === 0) others.first = { row: row(), value };
    if (value < this.least) this.least = value;
    if (value > this.most) this.most = value;
  }

  #addText(text: string, row: () => RowName): void {
    if (text.length > this.longest) this.longest = text.length;
    if (text.includes(REPLACEMENT)) this.needsExactCheck = true;
    this.#count(text);
    if (text === "") this.empty++;
    else if (this.#misses.length > 0) this.#match(text, row);
    if (beginsAsJson(text)) this.#addMembers(text);
  }

  #addMembers(text: string): void {
    let open: number | undefined;
    for (const { 0: part, index } of text.matchAll(/\\.|"\s*:?/gs)) {
      if (part.startsWith("\\")) continue;
      if (open === undefined) open = index + 1;
      else {
        if (part.endsWith(":") && this.members.size < MOST_MEMBERS) this.members.add(text.slice(open, index));
        open = undefined;
      }
    }
  }

  #count(text: string): void {
    if (!this.values) return;
    this.values.set(text, (this.values.get(text) ?? 0) + 1);
    if (text.length > LONGEST_VALUE || this.values.size > MOST_VALUES) this.values = undefined;
  }

  #match(text: string, row: () => RowName): void {
    let isOver = false;
    for (const misses of this.#misses) {
      if (misses.form.accepts(text)) continue;
      misses.first ??= { row: row(), value: text };
      if (misses.first.value !== text) misses.isOneText = false;
      misses.count++;
      isOver ||= isMissed(misses.count, this.counts.TEXT);
    }
    if (isOver) this.#misses = this.#misses.filter(({ count }) => !isMissed(count, this.counts.TEXT));
  }

  /** The form of all, or nearly all, texts that are not empty. */
  form(): Misses | undefined {
    const filled = this.counts.TEXT - this.empty;
    if (filled === 0) return undefined;
    const exact = this.#misses.find(({ count }) => count === 0);
    return exact ?? this.#misses.find(({ count }) => count < filled / 2 && !isMissed(count, filled));
  }
}

function isMissed(count: number, texts: number): boolean {
  return count > FEW_MISSED && count > texts * SHARE_MISSED;
}

function storageOf(value: unknown): Storage {
  if (value === null) return "NULL";
  if (typeof value === "string") return "TEXT";
  if (typeof value === "bigint") return "INTEGER";
  return typeof value === "number" ? "REAL" : "BLOB";
}
