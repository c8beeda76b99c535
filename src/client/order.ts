/** The published order of records, by their contract. */
import { type ContractFile, MAX_CONTRACT } from "../core/contract/file/form.js";
import { CONTRACT } from "../core/contract/links.js";
import { valueAt } from "../core/contract/record/value.js";
import { malformed } from "./errors.js";
import type { Bytes } from "./requests.js";
import { encode, isPlainObject, objectOf } from "./utf8.js";
import type { Host, View } from "./view.js";

/** Reads contract.json. */
export async function readContract(
  { baseUrl }: Host,
  view: Pick<View, "readFile">,
  signal: AbortSignal | undefined,
): Promise<{ url: string; bytes: Bytes; contract: ContractFile }> {
  const url = `${baseUrl}/${CONTRACT}`;
  const bytes = await view.readFile(CONTRACT, { maxBytes: MAX_CONTRACT }, signal);
  return { url, bytes, contract: objectOf(bytes, url) as unknown as ContractFile };
}

export interface OrderReader {
  /** The key's value of a record. */
  keyOf(record: unknown): unknown;
  /** A record's sort key: compared byte by byte, it gives the published order. @throws ListingError (malformed) */
  orderOf(record: unknown, url: string): Uint8Array;
}

/** Makes the reader of keys and sort keys. @throws ListingError (malformed) for a contract without an order */
export function orderReader({ properties, "x-listing": listing }: ContractFile, url: string): OrderReader {
  const order: readonly unknown[] = Array.isArray(listing?.order) ? listing.order : [];
  const places = order.flatMap((entry) => {
    const [, minus, path = ""] = /^(-?)(.*)$/s.exec(`${entry}`) ?? [];
    const names = findNames(properties, path);
    return names ? [{ names, isDescending: minus !== "" }] : [];
  });
  const key = places.at(-1);
  if (!key || places.length < order.length) throw malformed(url, "the fields of an order", order);
  return {
    keyOf: (record) => valueAt(record, key),
    orderOf(record, from) {
      const bytes: number[] = [];
      for (const place of places) addValue(bytes, valueAt(record, place), place.isDescending, from);
      return Uint8Array.from(bytes);
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
