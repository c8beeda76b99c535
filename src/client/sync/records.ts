/** Reads records of a copy: key, digest and sort key of a canonical text; and the list that makes a state. */
import type { ContractFile } from "../../core/contract/file/form.js";
import { writtenValue } from "../../core/contract/record/value.js";
import { malformed } from "../errors.js";
import { orderReader } from "../order.js";
import { parsePage } from "../page.js";
import { Sha256 } from "../sha256.js";
import { decodeText, encode, objectOf } from "../utf8.js";
import type { Host, View } from "../view.js";
import { byPages, type PageSource } from "../walk.js";
import type { Entry, KeptRecord } from "./store.js";

export interface RecordReader<T> {
  /** @param text a record's canonical text. @throws ListingError (malformed) */
  read(text: string, url: string): KeptRecord<T>;
  /** The key's value of a record. */
  keyOf(record: T): unknown;
}

/** Length of the digests in records.sha256. */
const DIGEST_DIGITS = 32;

/** Makes the reader of a contract's records. @throws ListingError (malformed) for a contract without an order */
export function recordReader<T>(contract: ContractFile, url: string): RecordReader<T> {
  const { keyOf, orderOf } = orderReader(contract, url);
  return {
    read(text, from) {
      const record = objectOf(text, from) as T;
      const order = orderOf(record, from);
      const digest = new Sha256().update(encode(text)).digest().slice(0, DIGEST_DIGITS);
      return { key: writtenValue(keyOf(record) as string | number), digest, order, record, text };
    },
    keyOf,
  };
}

/** The source of records by pages, which have one on each line. */
export function linesOfPages<T>(host: Host, view: View, read: RecordReader<T>["read"]): PageSource<KeptRecord<T>> {
  return byPages(view, host.concurrency, (number, bytes, records) => {
    const { results } = parsePage(view, number, bytes);
    const url = view.urlOf(number);
    const lines = decodeText(bytes, url).split("\n").slice(1, -2);
    if (lines.length !== results.length) throw malformed(url, "a record a line", lines.length);
    const before = (number - 1) * view.snapshot.page_size;
    return lines
      .map((line, at) => [read(line.replace(/,$/, ""), url), before + at + 1] as const)
      .slice(Math.max(0, records - before))
      .values();
  });
}

/** The list is hashed in chunks of this length. */
const CHUNK_CHARACTERS = 65_536;

/** Computes the SHA-256 of records.sha256 from entries in published order. */
export async function stateOf(
  entries: Iterable<Entry> | AsyncIterable<Entry>,
  signal: AbortSignal | undefined,
): Promise<{ state: string; count: number }> {
  const sha = new Sha256();
  let lines = "";
  let count = 0;
  const add = ({ digest, key }: Entry) => {
    count++;
    lines += `${digest}  ${key}\n`;
    if (lines.length < CHUNK_CHARACTERS) return;
    signal?.throwIfAborted();
    sha.update(encode(lines));
    lines = "";
  };
  // Awaiting each of a million entries would take longer than hashing them.
  if (Symbol.iterator in entries) for (const entry of entries) add(entry);
  else for await (const entry of entries) add(entry);
  return { state: sha.update(encode(lines)).digest(), count };
}
