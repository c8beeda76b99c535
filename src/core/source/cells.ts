/**
 * Converts values of text files. A cell of CSV or TSV has no type, so it stays text unless a number, a boolean, a list or an
 * object says the same. A value of NDJSON has its own type.
 */
import type { Field } from "../contract/contract.js";
import type { FieldSchema } from "../contract/file/form.js";
import { isTooDeep, whyNotExactJson } from "../contract/json.js";
import { type Kind, kindOf, kindsOf } from "../contract/record/kind.js";
import { acceptorOf } from "../contract/record/schema.js";
import { mayBeGrouped } from "./decimals.js";
import { isExactNumber } from "./json-text.js";

/** A value as SQLite stores it. */
export type Stored = string | bigint | number | Buffer | null;

/** Texts that often stand for an absent value. */
export const ABSENCE_MARKS: ReadonlySet<string> = new Set([
  "n/a",
  "N/A",
  "#N/A",
  "NA",
  "na",
  "NULL",
  "null",
  "None",
  "\\N",
  "-",
  ".",
  "NaN",
  "nan",
  "NaT",
  "0000-00-00",
  "0000-00-00 00:00:00",
]);

export type CellType = "boolean" | "integer" | "number" | "json" | "text";

/** Finds the type of a column of cells: the first that says the same as each cell. */
export class CellColumn {
  #isBoolean = true;
  #isInteger = true;
  /** Whether each cell is a number that is written back as the same text. */
  #isShortest = true;
  /** The number of decimal places of all cells; undefined before the first one, and -1 if they differ. */
  #places: number | undefined;
  #json: JsonForm | undefined = new JsonForm();
  #isEmpty = true;

  /** Adds a cell that is neither empty nor a mark for NULL. */
  add(text: string): void {
    this.#isEmpty = false;
    if (this.#isBoolean) this.#isBoolean = text === "true" || text === "false";
    const isInteger = isExactInteger(text);
    if (!isInteger) this.#isInteger = false;
    if (this.#isShortest) this.#isShortest = isInteger || isShortest(text);
    if (this.#places !== -1) {
      const places = placesOf(text);
      this.#places = places === (this.#places ?? places) ? places : -1;
    }
    if (this.#json && !this.#json.takes(text)) this.#json = undefined;
  }

  /** Whether each cell is a number so far. */
  get isNumeric(): boolean {
    return this.#isShortest || (this.#places ?? -1) > 0;
  }

  get type(): CellType {
    if (this.#isEmpty) return "text";
    if (this.#isBoolean) return "boolean";
    if (this.#isInteger) return "integer";
    if (this.isNumeric) return "number";
    return this.#json ? "json" : "text";
  }
}

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
/** A double holds every decimal of this many digits. */
export const MOST_DIGITS = 15;

/** Whether a text is a whole number that a double holds, as it is written back. */
export function isExactInteger(text: string): boolean {
  return INTEGER.test(text) && Number.isSafeInteger(Number(text));
}

function isShortest(text: string): boolean {
  return isDecimal(text) && String(Number(text)) === text;
}

function isDecimal(text: string): boolean {
  return DECIMAL.test(text) && text.replace(/^-?0?\.?0*|[-.]/g, "").length <= MOST_DIGITS;
}

/** The decimal places of a number, if it is written back with the same number of them; otherwise -1. */
export function placesOf(text: string): number {
  if (!isDecimal(text)) return -1;
  const point = text.indexOf(".");
  const places = point === -1 ? 0 : text.length - point - 1;
  return Number(text).toFixed(Math.min(places, 100)) === text ? places : -1;
}

/** Maximum number of sets of names whose order is remembered. */
const MOST_NAME_SETS = 1000;

/** Whether texts are JSON lists and objects, all written alike, so that two texts never become one value. */
class JsonForm {
  /** Whether a space follows each comma and colon, as Python and PostgreSQL write it. */
  #isSpaced: boolean | undefined;
  /** The order of each set of names. */
  readonly #orders = new Map<string, string>();

  takes(text: string): boolean {
    if (!/^[[{]/.test(text) || isTooDeep(text)) return false;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
    if (whyNotExactJson(value) !== undefined) return false;
    const compact = JSON.stringify(value);
    const spaced = compact.replace(TEXT_OR_MARK, (all, json: string | undefined) => json ?? `${all} `);
    if (text !== compact && text !== spaced) return false;
    if (compact !== spaced) this.#isSpaced ??= text === spaced;
    return (compact === spaced || (text === spaced) === this.#isSpaced) && this.#isOrdered(value);
  }

  /** Whether objects with the same names have them in the same order. */
  #isOrdered(value: unknown): boolean {
    if (typeof value !== "object" || value === null) return true;
    if (!Array.isArray(value)) {
      const names = Object.keys(value);
      const order = JSON.stringify(names);
      const set = JSON.stringify(names.sort());
      if ((this.#orders.get(set) ?? order) !== order || this.#orders.size > MOST_NAME_SETS) return false;
      this.#orders.set(set, order);
    }
    return Object.values(value).every((item) => this.#isOrdered(item));
  }
}

const TEXT_OR_MARK = /("(?:[^"\\]|\\.)*")|[,:]/g;

/**
 * Makes the converter of a field's cells. A text that does not fit stays text, and is reported as a problem of its record.
 * @param hasDecimalCommas whether the column has decimal commas, so that `1.234` is no decimal and stays text
 */
export function cellReader({ schema, takesNull }: Field, hasDecimalCommas = false): (text: string) => Stored {
  const convert = typedReader(cellKindOf(schema));
  const marks = schema["x-null-marks"] && new Set(schema["x-null-marks"]);
  const empty = !takesNull && acceptorOf(schema)("") ? "" : null;
  return (text) => {
    if (text === "") return empty;
    if (hasDecimalCommas && mayBeGrouped(text)) return text;
    return marks?.has(text) ? null : convert(text);
  };
}

/** Whether the cells of a field are numbers, perhaps with decimals. */
export function hasNumbers({ schema }: Field): boolean {
  return cellKindOf(schema) === "number";
}

/** The kind of a field's cells. Where a field may be text, each cell is. */
function cellKindOf(schema: FieldSchema): Kind {
  const kind = kindOf(schema);
  if (kind !== "mixed") return kind;
  return kindsOf(schema).kinds.includes("string") ? "string" : "number";
}

/** Makes the converter of cells to a type. A text of another type stays text. */
export function typedReader(type: Kind | CellType): (text: string) => Stored {
  return CELL_CONVERTERS[type] ?? ((text) => text);
}

const CELL_CONVERTERS: Partial<Record<Kind | CellType, (text: string) => Stored>> = {
  integer: (text) => (INTEGER.test(text) ? fromNumber(text) : text),
  number: fromNumber,
  boolean: (text) => BOOLEANS[text] ?? text,
};

/** As JSON and as SQLite write them. */
const BOOLEANS: Readonly<Partial<Record<string, bigint>>> = { true: 1n, false: 0n, 1: 1n, 0: 0n };

/** The number that a text says exactly; otherwise the text. */
function fromNumber(text: string): Stored {
  if (!JSON_NUMBER.test(text)) return text;
  if (/[.eE]/.test(text)) return isExactNumber(text) ? Number(text) : text;
  // No number is written back as -0.
  if (text === "-0") return text;
  const value = BigInt(text);
  return BigInt.asIntN(INTEGER_BITS, value) === value ? value : text;
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
/** The size of SQLite's integers. */
const INTEGER_BITS = 64;

export type MemberType = "null" | "text" | "number" | "boolean" | "json";

/** The type of a value in NDJSON, given as JSON. */
export function memberTypeOf(json: string): MemberType {
  switch (json[0]) {
    case '"':
      return "text";
    case "[":
    case "{":
      return "json";
    case "n":
      return "null";
    case "t":
    case "f":
      return "boolean";
    default:
      return "number";
  }
}

/** The value of a member of NDJSON for SQLite: a number that SQLite cannot hold stays text, as do lists and objects. */
export function storedMember(json: string): Stored {
  switch (memberTypeOf(json)) {
    case "text":
      return JSON.parse(json) as string;
    case "number":
      return fromNumber(json);
    case "boolean":
      return json === "true" ? 1n : 0n;
    case "null":
      return null;
    case "json":
      return json;
  }
}

/** Whether SQLite stores the values of a field as JSON. */
function isStoredAsJson({ schema }: Pick<Field, "schema">): boolean {
  return ["array", "object", "json"].includes(kindOf(schema));
}

/**
 * Makes the converter of a field's values in NDJSON, each given as JSON. A value of another type than the field's is stored
 * as SQLite would hold it, or as bytes where no other storage shows that its type is wrong.
 */
export function memberReader({ schema }: Field): (json: string) => Stored {
  const kind = kindOf(schema);
  if (isStoredAsJson({ schema })) return (json) => (json === "null" ? null : json);
  return (json) => {
    const type = memberTypeOf(json);
    if (type === "json" || (type === "boolean" && kind !== "boolean")) return Buffer.from(json);
    const value = storedMember(json);
    if (type !== "number" || (kind !== "string" && kind !== "mixed")) return value;
    // Readers would round such a whole number, so a field of text has its digits.
    if (kind === "string" && INTEGER.test(json) && !Number.isSafeInteger(Number(json))) return json;
    // As text, such a number would be taken for a text that was given.
    return typeof value === "string" ? Buffer.from(json) : value;
  };
}
