/** Finds the steps from one state to another, checks them against changes.json, and reads their changes. */
import { writtenValue } from "../../core/contract/record/value.js";
import { ListingError, malformed, quoted, tooLarge, usage } from "../errors.js";
import { linesOf } from "../gzip-lines.js";
import { keyOrder } from "../order.js";
import type { Bytes } from "../requests.js";
import { Sha256 } from "../sha256.js";
import { compareBytes, isPlainObject, objectOf } from "../utf8.js";
import { FILE_BYTES } from "../view.js";
import type { RecordReader } from "./records.js";
import type { KeptRecord } from "./store.js";

/** A step as changes.json lists it. */
export interface ListedStep {
  file: string;
  from: string;
  to: string;
  bytes: number;
  sha256: string;
  put: number;
  remove: number;
}

/** A record to put, or the key of one to remove. */
export type Edit<T> = KeptRecord<T> | { key: string };

/** Maximum plain bytes of a step of this size, against gzip bombs. */
export function mostPlainBytes(bytes: number): number {
  return 1_000_000 + 100 * bytes;
}

/**
 * Finds the steps from one state to another, oldest first.
 * @throws ListingError (mismatch) if changes.json is of another snapshot, (malformed), or (usage) if no steps lead there
 */
export function chainOf(changes: Bytes, url: string, from: string, to: string): ListedStep[] {
  const { state, steps } = objectOf(changes, url);
  if (state !== to) throw new ListingError("mismatch", url, "is not of the state in snapshot.json", to, quoted(state));
  const chain: ListedStep[] = [];
  let begin = to;
  for (const step of Array.isArray(steps) ? steps : []) {
    if (!isStepTo(begin, step)) throw malformed(url, `a step to ${begin}`, step);
    chain.unshift(step);
    begin = step.from;
    if (begin === from) return chain;
  }
  throw usage(url, `has no steps from the copy's state ${from}`);
}

function isStepTo(state: string, step: unknown): step is ListedStep {
  if (!isPlainObject(step)) return false;
  const { from, to, file, bytes, sha256, put, remove } = step;
  return (
    [from, to, sha256].every((digest) => /^[0-9a-f]{64}$/.test(`${digest}`)) &&
    [bytes, put, remove].every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    (bytes as number) <= FILE_BYTES &&
    to === state &&
    file === `changes/${`${from}`.slice(0, 12)}-${state.slice(0, 12)}.ndjson.gz`
  );
}

/**
 * Yields the changes of a step while it is unpacked, so they count only if it ends without an error.
 * @throws ListingError (malformed) for an invalid or unsorted line, or a wrong number of lines; (mismatch) for other bytes than
 *   changes.json lists; (too-large)
 */
export async function* changesOf<T>(
  { bytes, sha256, put, remove }: ListedStep,
  packed: Bytes,
  url: string,
  reader: RecordReader<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Edit<T>> {
  let puts = 0;
  let removes = 0;
  let before: Uint8Array = new Uint8Array();
  let length = 0;
  const most = mostPlainBytes(bytes);
  const sha = new Sha256();
  const take = (chunk: Uint8Array) => {
    length += chunk.length;
    if (length > most) throw tooLarge(url, `${most} plain bytes`);
    sha.update(chunk);
  };
  for await (const line of linesOf(packed, [packed.length], url, signal, take)) {
    const [change, value] = changeOf(line, url, reader);
    if ("record" in change) puts++;
    else removes++;
    const order = keyOrder(value, url);
    if (compareBytes(before, order) >= 0) throw malformed(url, "keys in order", value);
    before = order;
    yield change;
  }
  if (puts !== put || removes !== remove) throw malformed(url, `${put} put and ${remove} removed`, [puts, removes]);
  const digest = sha.digest();
  if (digest !== sha256) throw new ListingError("mismatch", url, "is not what changes.json lists", sha256, digest);
}

const PUT = '{"put":';

function changeOf<T>(line: string, url: string, reader: RecordReader<T>): [change: Edit<T>, key: unknown] {
  if (line.startsWith(PUT) && line.endsWith("}")) {
    const kept = reader.read(line.slice(PUT.length, -1), url);
    return [kept, reader.keyOf(kept.record)];
  }
  const { remove } = objectOf(line, url);
  if (line !== `{"remove":${JSON.stringify(remove)}}`) throw malformed(url, "put or remove", line);
  return [{ key: writtenValue(remove as string | number) }, remove];
}
