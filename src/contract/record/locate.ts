/** Finds keys in canonical records by their text, without parsing whole records where the contract allows it. */
import type { Contract, Field, OrderField } from "../contract.js";
import { parseJson } from "../json.js";
import { RECORD_SEPARATOR } from "../page.js";
import { fromBytes, type OrderKey, toBytes } from "./key.js";
import { type Member, membersOf, memberText, placeFinder } from "./places.js";
import { valueAt } from "./value.js";
import { writtenKey } from "./written.js";

/** One canonical record in a text that has a character for each byte. */
export interface RecordInText {
  text: string;
  at: number;
  end: number;
  /** As it stands in records.sha256, byte by byte. */
  key: string;
  order: OrderKey;
}

/** A value as it was found: what it is ordered by, and how it is written, without quotes. */
interface Found {
  value: string | number;
  written: string;
}

type Find = (text: string, at: number, end: number) => Found | undefined;

export type RecordFinder = ReturnType<typeof recordFinder>;

/** Finds the keys of a contract's records. */
export function recordFinder(contract: Contract) {
  const findPlaces = placeFinder(contract, contract.order);
  const reads = contract.order.map(readOf);
  const finds = contract.order.map((field) => findOf(contract, field));
  const begins: number[] = [];
  const find = (text: string, at: number, end: number): RecordInText | undefined => {
    const isPlain = findPlaces(text, at, end, begins);
    const order: (string | number)[] = [];
    let written = "";
    for (let field = 0; field < finds.length; field++) {
      const found = isPlain ? reads[field]?.(text, begins[field] ?? end, end) : finds[field]?.(text, at, end);
      if (found === undefined) return undefined;
      order.push(found.value);
      ({ written } = found);
    }
    return { text, at, end, key: writtenKey(written), order };
  };
  return {
    /** The keys of one record; undefined when it has none in their places. */
    find,
    /**
     * Calls `take` with each of a page's canonical records, which are given with their separators, in order.
     * @param text with a character for each byte, which is enough because only ASCII is searched for.
     * @returns false when a record has no key where it should be.
     */
    each(text: string, take: (record: RecordInText) => void): boolean {
      for (let at = 0; at < text.length; ) {
        const next = text.indexOf("\n", at);
        const end = next < 0 ? text.length : next + 1 - RECORD_SEPARATOR.length;
        const record = find(text, at, end);
        if (!record) return false;
        take(record);
        at = end + RECORD_SEPARATOR.length;
      }
      return true;
    },
  };
}

function readOf({ kind }: OrderField): Find {
  return kind === "integer" ? readInteger : readText;
}

/** Finds a field's value by its name, from that side of the record where nothing else can have this name. */
function findOf(contract: Contract, field: OrderField): Find {
  const readValue = readOf(field);
  const member = memberText(field.names.at(-1) ?? "");
  const places = membersOf(contract);
  const own = places.findIndex((place) => place.path === field.path);
  const mayHave = (place: Member) => place.isFree || place.text.includes(member);
  const readBehind = (text: string, found: number, at: number, end: number) =>
    found < at ? undefined : readValue(text, found + member.length, end);
  if (!places.slice(0, own).some(mayHave)) {
    return (text, at, end) => readBehind(text, text.indexOf(member, at), at, end);
  }
  if (!places.slice(own + 1).some(mayHave)) {
    return (text, at, end) => readBehind(text, text.lastIndexOf(member, end), at, end);
  }
  return (text, at, end) => parsed(field, text.slice(at, end));
}

/** The text that begins at a quote, byte by byte; undefined where there is none. */
export function readText(text: string, begin: number, end: number): Found | undefined {
  if (begin >= end || text[begin] !== '"') return undefined;
  let close = text.indexOf('"', begin + 1);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  if (close < 0 || close >= end) return undefined;
  const written = text.slice(begin + 1, close);
  if (!written.includes("\\")) return { value: written, written };
  return { value: unescaped(written), written };
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
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

function parsed(field: Field & Pick<OrderField, "kind">, bytes: string): Found | undefined {
  const read = parseJson(fromBytes(bytes));
  const value = "value" in read ? valueAt(read.value, field) : undefined;
  if (field.kind === "integer") {
    return Number.isSafeInteger(value) ? { value: value as number, written: String(value) } : undefined;
  }
  if (typeof value !== "string") return undefined;
  return { value: toBytes(value), written: toBytes(JSON.stringify(value).slice(1, -1)) };
}
