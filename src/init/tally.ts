/** Statistics of a column, collected in one pass and in bounded memory. */
import { isWellFormed, whyNotExactJson } from "../core/contract/json.js";
import { ABSENCE_MARKS, CellColumn, memberTypeOf, storedMember } from "../core/source/cells.js";
import { DecimalColumn, type Mark } from "../core/source/decimals.js";
import { InvalidText } from "../core/source/values.js";
import { beginsAsJson, type Conversion, FORMS, type Form, hasEmailAddress, isExactJson } from "./forms.js";
import type { Subject, SubjectColumn, ValueOrigin } from "./subject.js";

/** A row in messages: `rowid 17`, `row 17` of a view, or `line 17`. */
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
}

/** The types of values. Booleans and JSON are types of their own only in NDJSON. */
export const VALUE_TYPES = ["INTEGER", "REAL", "TEXT", "BLOB", "BOOLEAN", "JSON"] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** Maximum number of values of an enumeration, and their length. */
const MOST_VALUES = 20;
const LONGEST_VALUE = 40;

const MOST_MEMBERS = 1000;

/** A form is given up if more than this share, and more than this number, of texts do not match. */
const SHARE_MISSED = 1 / 20;
const FEW_MISSED = 10;

const TIME_OF_DAY = /^ ?\d{1,3}:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?: ?[ap]m)?$/i;

export class ColumnTally {
  rows = 0;
  nulls = 0;
  readonly counts: Record<ValueType, number> = { INTEGER: 0, REAL: 0, TEXT: 0, BLOB: 0, BOOLEAN: 0, JSON: 0 };
  /** The first value of each type. */
  readonly firsts: Partial<Record<ValueType, Example>> = {};
  /** The type that says the same as each cell. */
  readonly cells = new CellColumn();
  /** What the texts show about decimal marks. */
  readonly decimals = new DecimalColumn();
  /** Cells that often stand for an absent value. */
  readonly marks = new Map<string, number>();
  /** Whole numbers that a double would round. */
  readonly unsafe: Counted = { count: 0 };
  /** Other values that readers of JSON would change: numbers that a double cannot hold, and half a surrogate pair. */
  readonly inexact: Counted = { count: 0 };
  /** Whole numbers with an exponent that `x-json` does not allow: `1e21`. */
  readonly wide: Counted = { count: 0 };
  /** Numbers of more than three decimal places. */
  readonly finer: Counted = { count: 0 };
  /** Texts, lists and objects with an e-mail address in them. */
  readonly withEmail: Counted = { count: 0 };
  least: bigint | number = Number.POSITIVE_INFINITY;
  most: bigint | number = Number.NEGATIVE_INFINITY;
  empty = 0;
  longest = 0;
  /** Texts such as `08:00:00` or ` 8:00:00`; hours may exceed 24. */
  timesOfDay = 0;
  /** Texts that are not UTF-8. */
  readonly undecodable: Counted = { count: 0 };
  /** Lengths of BLOBs, at most two different ones. */
  readonly bytes = new Set<number>();
  /** Names of members in JSON values, which may indicate private data. */
  readonly members = new Set<string>();
  /** Occurrences of each text; undefined if there are too many or long ones. */
  values: Map<string, number> | undefined = new Map();
  #misses: Misses[] = FORMS.map((form) => ({ form, count: 0 }));

  readonly column: string;
  readonly declared: string;
  readonly isUnnamed: boolean;

  constructor(
    { name, type, isUnnamed = false }: SubjectColumn,
    readonly origin: ValueOrigin,
    /** Texts that the user named as marks for NULL. */
    private readonly givenMarks: ReadonlySet<string>,
  ) {
    this.column = name;
    this.declared = type;
    this.isUnnamed = isUnnamed;
  }

  /** Adds a value as it is in the table: for NDJSON, its JSON. */
  add(value: unknown, row: () => RowName): void {
    this.rows++;
    if (value === null) this.nulls++;
    else if (this.origin === "members") this.#addMember(String(value), row);
    else if (typeof value === "string") this.#addText(value, row);
    else if (value instanceof InvalidText) this.#addInvalid(value, row);
    else this.#addOther(value, row);
  }

  #addInvalid({ decoded }: InvalidText, row: () => RowName): void {
    countExample(this.undecodable, decoded, row);
    this.#addText(decoded, row);
  }

  #addMember(json: string, row: () => RowName): void {
    const type = memberTypeOf(json);
    if (type === "text") {
      const text: string = JSON.parse(json);
      if (!isWellFormed(text)) countExample(this.inexact, json, row);
      this.#addText(text, row);
    } else if (type === "number") this.#addMemberNumber(json, row);
    else {
      const isBoolean = type === "boolean";
      this.#countType(isBoolean ? "BOOLEAN" : "JSON", json, row);
      if (!isBoolean) this.#addJson(json, row);
    }
  }

  #addMemberNumber(json: string, row: () => RowName): void {
    const value = storedMember(json);
    if (typeof value !== "string") {
      this.#addOther(value, row);
      return;
    }
    const isWhole = /^-?\d+$/.test(json) && json !== "-0";
    this.#countType(isWhole ? "INTEGER" : "REAL", json, row);
    countExample(isWhole ? this.unsafe : this.inexact, json, row);
  }

  #addOther(value: unknown, row: () => RowName): void {
    const type = typeof value === "bigint" ? "INTEGER" : typeof value === "number" ? "REAL" : "BLOB";
    this.#countType(type, value, row);
    if (typeof value === "bigint" || typeof value === "number") this.#addNumber(value, row);
    else if (Buffer.isBuffer(value) && this.bytes.size < 2) this.bytes.add(value.length);
  }

  #countType(type: ValueType, value: unknown, row: () => RowName): void {
    if (this.counts[type]++ === 0) this.firsts[type] = { row: row(), value };
  }

  #addNumber(value: bigint | number, row: () => RowName): void {
    const isWhole = typeof value === "bigint";
    const isExact = isWhole ? Number.isSafeInteger(Number(value)) : Number.isFinite(value);
    if (!isExact) countExample(isWhole ? this.unsafe : this.inexact, value, row);
    else if (whyNotExactJson(Number(value)) !== undefined) countExample(this.wide, value, row);
    this.#measure(value, row);
  }

  #measure(value: bigint | number, row: () => RowName): void {
    if (typeof value === "number" && Math.round(value * 1000) / 1000 !== value) countExample(this.finer, value, row);
    if (value < this.least) this.least = value;
    if (value > this.most) this.most = value;
  }

  #addText(text: string, row: () => RowName): void {
    this.#countType("TEXT", text, row);
    if (text.length > this.longest) this.longest = text.length;
    this.#countValue(text);
    if (this.origin === "cells") {
      if (this.isMark(text)) {
        this.marks.set(text, (this.marks.get(text) ?? 0) + 1);
        return;
      }
      this.cells.add(text);
      if (this.cells.isNumeric) this.#measure(Number(text), row);
    }
    if (text === "") this.empty++;
    else {
      this.decimals.add(text);
      if (TIME_OF_DAY.test(text)) this.timesOfDay++;
      this.#match(text, row);
    }
    if (beginsAsJson(text)) this.#addMembers(text);
  }

  private isMark(text: string): boolean {
    return ABSENCE_MARKS.has(text) || this.givenMarks.has(text);
  }

  /** Adds a list or an object of NDJSON to the forms of texts, since they tell lists of texts. */
  #addJson(json: string, row: () => RowName): void {
    if (!isExactJson(json)) countExample(this.inexact, json, row);
    this.#match(json, row);
    this.#addMembers(json);
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

  #countValue(text: string): void {
    if (!this.values) return;
    this.values.set(text, (this.values.get(text) ?? 0) + 1);
    if (text.length > LONGEST_VALUE || this.values.size > MOST_VALUES) this.values = undefined;
  }

  #match(text: string, row: () => RowName): void {
    let isOver = false;
    if (hasEmailAddress(text)) countExample(this.withEmail, text, row);
    for (const misses of this.#misses) {
      if (misses.form.accepts(text)) continue;
      misses.first ??= { row: row(), value: text };
      misses.count++;
      isOver ||= isMissed(misses.count, this.#matched);
    }
    if (isOver) this.#misses = this.#misses.filter(({ count }) => !isMissed(count, this.#matched));
  }

  /** Whether at least half of the texts have an e-mail address in them. */
  get hasEmails(): boolean {
    return this.withEmail.count > 0 && this.withEmail.count >= this.#matched / 2;
  }

  /** Whether all texts are times of day. */
  get hasTimesOfDay(): boolean {
    return this.timesOfDay > 0 && this.timesOfDay === this.#matched;
  }

  /** The number of texts that forms were compared with. */
  get #matched(): number {
    const marked = [...this.marks.values()].reduce((sum, count) => sum + count, 0);
    return this.counts.TEXT + this.counts.JSON - this.empty - marked;
  }

  /** Whether a column of cells is one of numbers. Texts of a database may be. */
  get isNumeric(): boolean {
    return this.origin !== "cells" || this.cells.isNumeric;
  }

  /** The form of all, or nearly all, texts that are neither empty nor marks. @param mark the decimal mark of numbers, if it is known */
  form(mark?: Mark): Misses | undefined {
    const filled = this.#matched;
    if (filled === 0) return undefined;
    const possible = this.#misses.filter(({ form: { decimal } }) => (decimal ?? mark) === mark || mark === undefined);
    const exact = possible.find(({ count }) => count === 0);
    return exact ?? possible.find(({ count }) => count < filled / 2 && !isMissed(count, filled));
  }
}

function countExample(counted: Counted, value: unknown, row: () => RowName): void {
  if (counted.count++ === 0) counted.first = { row: row(), value };
}

function isMissed(count: number, texts: number): boolean {
  return count > FEW_MISSED && count > texts * SHARE_MISSED;
}

/** A subject whose rows were read. */
export interface Survey extends Omit<Subject, "columns"> {
  rows: number;
  columns: ColumnTally[];
  /** The SQL of a column's values: JSON texts of NDJSON as text, all others as they are given. */
  sqlOf(column: string): string;
  /** Counts the different values of some columns together. Rows with NULL are left out. */
  countDifferent(columns: readonly string[]): number;
  /** Reads some columns of the first rows. */
  sample(columns: readonly string[], most: number): unknown[][];
  /** Finds a value that a conversion changes, and its result: one that is written differently, if there is any. */
  findChanged(column: string, conversion: Conversion): [value: unknown, result: unknown] | undefined;
  /** Finds two texts that a conversion makes equal. */
  findMerged(column: string, conversion: Conversion): [one: string, other: string] | undefined;
}
