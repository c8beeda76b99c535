/** Finds the keys of canonical records in their text. Parses a record only if its member names are ambiguous. */
import { type Contract, type Field, type Member, membersOf } from "../contract.js";
import type { ValueSchema } from "../file/form.js";
import { endOfString, parseJson } from "../json.js";
import { fromBytes, type OrderKey, orderKeyOf, toBytes, writeKey } from "./key.js";
import { isScalarKind, kindsOf } from "./kind.js";
import { recordsOf } from "./split.js";
import { valueAt, writtenKey } from "./value.js";

/** One canonical record in a text with one character a byte. */
export interface RecordInText {
  text: string;
  at: number;
  end: number;
  /** The key as in records.sha256, one character a byte. */
  key: string;
  order: OrderKey;
}

/** A value of the sort key, and its JSON text without quotes. */
interface Found {
  value: string | number;
  written: string;
}

export type RecordFinder = ReturnType<typeof recordFinder>;

/** Makes the finder of keys in a contract's records. */
export function recordFinder(contract: Contract) {
  const findPlaces = placeFinder(contract, contract.order);
  const reads = contract.order.map(({ kind }) => (kind === "integer" ? readInteger : readString));
  const begins: number[] = [];
  const find = (text: string, at: number, end: number): RecordInText | undefined => {
    if (!findPlaces(text, at, end, begins)) return parseKeys(contract, text, at, end);
    const order: (string | number)[] = [];
    let written = "";
    for (let field = 0; field < reads.length; field++) {
      const found = reads[field]?.(text, begins[field] ?? end, end);
      if (found === undefined) return undefined;
      order.push(found.value);
      ({ written } = found);
    }
    return { text, at, end, key: writtenKey(written), order };
  };
  return {
    /** Finds the keys of one record; undefined if they are not in their places. */
    find,
    /**
     * Calls `take` with each of a page's canonical records, in order.
     * @param text records and separators, one character a byte. Only ASCII is searched for.
     * @returns false if a record does not have its key in its place.
     */
    each(text: string, take: (record: RecordInText) => void): boolean {
      for (const [, at, end] of recordsOf({ first: 0, text })) {
        const record = find(text, at, end);
        if (!record) return false;
        take(record);
      }
      return true;
    },
  };
}

function parseKeys(contract: Contract, text: string, at: number, end: number): RecordInText | undefined {
  const read = parseJson(fromBytes(text.slice(at, end)));
  if (!("value" in read)) return undefined;
  const order = orderKeyOf(contract, read.value);
  if (order === undefined) return undefined;
  return { text, at, end, key: writeKey(valueAt(read.value, contract.key) as string | number), order };
}

/** Reads the JSON string that begins at a quote, one character a byte; undefined if there is none. */
export function readString(text: string, begin: number, end: number): Found | undefined {
  if (begin >= end || text[begin] !== '"') return undefined;
  const close = endOfString(text, begin);
  if (close >= end) return undefined;
  const written = text.slice(begin + 1, close);
  if (!written.includes("\\")) return { value: written, written };
  return { value: unescaped(written), written };
}

function unescaped(written: string): string {
  const read = parseJson(`"${fromBytes(written)}"`);
  return "value" in read ? toBytes(String(read.value)) : written;
}

const INTEGER = /-?\d{1,16}(?=[,}])/y;

function readInteger(text: string, begin: number, end: number): Found | undefined {
  INTEGER.lastIndex = begin;
  const [written] = begin < end ? (INTEGER.exec(text) ?? []) : [];
  return written === undefined ? undefined : { value: Number(written), written };
}

/**
 * Makes a function that finds where values of some fields begin, in one pass over the record at `at`. The text has one
 * character a byte. It returns false if a value before them has members whose names could be mistaken for the fields'.
 */
export function placeFinder({ file }: Pick<Contract, "file">, fields: readonly Pick<Field, "path">[]) {
  const wanted = fields.map(({ path }) => path);
  const all = [...membersOf(file.properties)].map((member) => stepTo(member, wanted));
  const steps = all.slice(0, all.findLastIndex(({ field }) => field >= 0) + 1);
  return (text: string, at: number, end: number, begins: number[]): boolean => {
    let from = at;
    for (let step = 0; step < steps.length; step++) {
      const { name, field, hasAnyMembers } = steps[step] as Step;
      const found = text.indexOf(name, from);
      if (found < 0 || found >= end) return false;
      from = found + name.length;
      if (hasAnyMembers && isFilled(text, from)) return false;
      if (field >= 0) begins[field] = from;
    }
    return true;
  };
}

/** A member to search for. */
interface Step {
  /** Its name in the text, one character a byte: `"id":`. Inside a JSON string, the first quote would be escaped. */
  name: string;
  /** Its index among the wanted fields; -1 for none. */
  field: number;
  /** Whether its value may have members of any name. */
  hasAnyMembers: boolean;
}

function stepTo({ path, names, schema }: Member, wanted: readonly string[]): Step {
  const name = toBytes(`${JSON.stringify(names.at(-1))}:`);
  return { name, field: wanted.indexOf(path), hasAnyMembers: !schema.properties && hasMembers(schema) };
}

/** Whether a value that a schema accepts may be, or hold, an object. */
export function hasMembers(schema: ValueSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some(hasMembers);
  const { kinds } = kindsOf(schema);
  if (kinds.length > 0 && kinds.every(isScalarKind)) return false;
  return schema.items === undefined || hasMembers(schema.items);
}

/** Whether a list or an object that begins here is not empty. */
function isFilled(text: string, begin: number): boolean {
  const open = text[begin];
  return (open === "[" && text[begin + 1] !== "]") || (open === "{" && text[begin + 1] !== "}");
}
