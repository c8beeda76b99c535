/** What a copy keeps of a record, as the contract says: its key, what it is ordered by, its digest. */
import type { ContractFile } from "../../contract/file/form.js";
import { valueAt } from "../../contract/record/value.js";
import { writtenValue } from "../../contract/record/written.js";
import { encode } from "../bytes.js";
import { type AnyObject, isPlainObject, objectOf } from "../checked.js";
import { malformed } from "../errors.js";
import { Sha256 } from "./sha256.js";
import type { Entry, KeptRecord } from "./store.js";

/** Makes what is kept of texts, by one contract. */
export interface RecordKeeper<T> {
  /** @param text a record's canonical text. @throws ListingError (malformed) for what is no record. */
  read(text: string, url: string): KeptRecord<T>;
  /** The value of a record's key. */
  keyOf(record: T): unknown;
}

interface Place {
  names: readonly string[];
  isDescending: boolean;
}

/** As long as in records.sha256. */
const DIGEST_DIGITS = 32;

/** @throws ListingError (malformed) for a contract without an order */
export function recordKeeper<T>(contract: ContractFile, url: string): RecordKeeper<T> {
  const listing: AnyObject = isPlainObject(contract["x-listing"]) ? { ...contract["x-listing"] } : {};
  const order = Array.isArray(listing["order"]) ? listing["order"] : [];
  const places = order.map((entry) => placeOf(contract, `${entry}`)).filter((place) => place !== undefined);
  const key = places.at(-1);
  if (!key || places.length < order.length) throw malformed(url, "the fields of an order", order);
  return {
    read(text, url) {
      const record = objectOf(text, url) as T;
      const bytes: number[] = [];
      for (const place of places) addValue(bytes, valueAt(record, place), place.isDescending, url);
      const digest = new Sha256().update(encode(text)).digest().slice(0, DIGEST_DIGITS);
      const written = writtenValue(valueAt(record, key) as string | number);
      return { key: written, digest, order: Uint8Array.from(bytes), record, text };
    },
    keyOf: (record) => valueAt(record, key),
  };
}

/** So many letters of the list at a time. */
const MOST_LETTERS = 65_536;

/** Makes the SHA-256 of records.sha256, of entries in published order. */
export function recordList() {
  const sha = new Sha256();
  let lines = "";
  const flush = () => {
    sha.update(encode(lines));
    lines = "";
    return true;
  };
  return {
    /** True now and then, after so many. */
    add({ digest, key }: Entry): boolean {
      lines += `${digest}  ${key}\n`;
      return lines.length > MOST_LETTERS && flush();
    },
    /** Nothing can be added behind it. */
    state(): string {
      flush();
      return sha.digest();
    },
  };
}

/** Bytes that sort as the values of keys do. @throws ListingError (malformed) for what is no key. */
export function keyOrder(value: unknown, url: string): Uint8Array {
  const bytes: number[] = [];
  addValue(bytes, value, false, url);
  return Uint8Array.from(bytes);
}

function placeOf(contract: ContractFile, entry: string): Place | undefined {
  const isDescending = entry.startsWith("-");
  const names = findNames(contract.properties, isDescending ? entry.slice(1) : entry);
  return names && { names, isDescending };
}

/** The names of a field, one in the other, by its path. A name may have a dot in it. */
function findNames(properties: unknown, path: string): string[] | undefined {
  if (!isPlainObject(properties)) return undefined;
  for (const [name, schema] of Object.entries(properties)) {
    const inner = isPlainObject(schema) ? schema["properties"] : undefined;
    if (!inner && name === path) return [name];
    const rest = inner && path.startsWith(`${name}.`) ? findNames(inner, path.slice(name.length + 1)) : undefined;
    if (rest) return [name, ...rest];
  }
  return undefined;
}

/**
 * Adds bytes that sort as the values do: those of a text are its UTF-8, each one more than it is, with a zero behind them.
 * An integer has eight, and what descends is turned over.
 */
function addValue(bytes: number[], value: unknown, isDescending: boolean, url: string): void {
  const turned = isDescending ? 255 : 0;
  if (typeof value === "string") {
    for (const byte of encode(value)) bytes.push((byte + 1) ^ turned);
    bytes.push(turned);
  } else if (Number.isSafeInteger(value)) {
    const eight = new DataView(new ArrayBuffer(8));
    eight.setBigInt64(0, BigInt(value as number) + 2n ** 63n);
    for (let at = 0; at < 8; at++) bytes.push(eight.getUint8(at) ^ turned);
  } else throw malformed(url, "a text or an integer to order by", value);
}
