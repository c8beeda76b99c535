/** Reads records by their contract: key, digest and sort key of a canonical text. */
import { type ContractFile, MAX_CONTRACT } from "../contract/file/form.js";
import { valueAt, writtenValue } from "../contract/record/value.js";
import { malformed } from "./errors.js";
import type { Bytes } from "./requests.js";
import { Sha256 } from "./sha256.js";
import type { Host, SnapshotView } from "./snapshot.js";
import type { Entry, KeptRecord } from "./sync/store.js";
import { encode, isPlainObject, objectOf } from "./utf8.js";

export interface RecordReader<T> {
  /** @param text a record's canonical text. @throws ListingError (malformed) */
  read(text: string, url: string): KeptRecord<T>;
  /** The key's value of a record. */
  keyOf(record: T): unknown;
}

/** Reads contract.json. */
export async function readContract(
  { baseUrl }: Host,
  view: Pick<SnapshotView, "readFile">,
  signal: AbortSignal | undefined,
): Promise<{ url: string; bytes: Bytes; contract: ContractFile }> {
  const url = `${baseUrl}/contract.json`;
  const bytes = await view.readFile("contract.json", MAX_CONTRACT, signal);
  return { url, bytes, contract: objectOf(bytes, url) as unknown as ContractFile };
}

interface Place {
  names: readonly string[];
  isDescending: boolean;
}

/** Length of the digests in records.sha256. */
const DIGEST_DIGITS = 32;

/** Makes the reader of a contract's records. @throws ListingError (malformed) for a contract without an order */
export function recordReader<T>({ properties, "x-listing": listing }: ContractFile, url: string): RecordReader<T> {
  const order: readonly unknown[] = Array.isArray(listing?.order) ? listing.order : [];
  const places = order.flatMap((entry): Place[] => {
    const [, minus, path = ""] = /^(-?)(.*)$/s.exec(`${entry}`) ?? [];
    const names = findNames(properties, path);
    return names ? [{ names, isDescending: minus !== "" }] : [];
  });
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

/** The list is hashed in chunks of this length. */
const CHUNK_CHARACTERS = 65_536;

/** Computes the SHA-256 of records.sha256 from entries in published order. */
export function recordList() {
  const sha = new Sha256();
  let lines = "";
  const flush = () => {
    sha.update(encode(lines));
    lines = "";
    return true;
  };
  return {
    /** Adds an entry. @returns true if a chunk was hashed */
    add({ digest, key }: Entry): boolean {
      lines += `${digest}  ${key}\n`;
      return lines.length > CHUNK_CHARACTERS && flush();
    },
    /** Ends the list. @returns its digest */
    state(): string {
      flush();
      return sha.digest();
    },
  };
}

/** Converts a key to bytes that sort like the keys. @throws ListingError (malformed) for a value that is not a key */
export function keyOrder(value: unknown, url: string): Uint8Array {
  const bytes: number[] = [];
  addValue(bytes, value, false, url);
  return Uint8Array.from(bytes);
}

/** Splits a field path into names. A name may contain a dot. */
function findNames(properties: unknown, path: string): string[] | undefined {
  if (!isPlainObject(properties)) return undefined;
  for (const [name, schema] of Object.entries(properties)) {
    const inner = isPlainObject(schema) ? schema["properties"] : undefined;
    if (!inner && name === path) return [name];
    const within = inner && path.startsWith(`${name}.`) ? findNames(inner, path.slice(name.length + 1)) : undefined;
    if (within) return [name, ...within];
  }
  return undefined;
}

/**
 * Appends bytes that sort like the values: for a text, its UTF-8 with each byte plus one, then zero; for an integer, eight
 * bytes. In descending order, they are inverted.
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
