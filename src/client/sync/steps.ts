/** Steps: which of them lead from one state to another, and what they say, each held to what changes.json lists. */
import { writtenValue } from "../../contract/record/written.js";
import { isPlainObject, objectOf } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import { linesOf } from "../lines.js";
import type { Bytes } from "../transfer.js";
import { unzip } from "../unzip.js";
import { compareBytes, keyOrder, type RecordKeeper } from "./records.js";
import { Sha256 } from "./sha256.js";
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

/** A record to keep, or the key of one that is gone. */
export type Edit<T> = KeptRecord<T> | { key: string };

/** How many plain bytes a step of so many bytes may have, so that nobody has to unpack a bomb. */
export function mostPlainBytes(bytes: number): number {
  return 1_000_000 + 100 * bytes;
}

/** Hosts take no larger file. */
const STEP_BYTES = 25 * 2 ** 20;

/**
 * The steps that lead from one state to another, the oldest first; undefined where there are none.
 * @throws ListingError (mismatch) when changes.json is of another snapshot, (malformed) when it is none.
 */
export function chainOf(changes: Bytes, url: string, from: string, to: string): ListedStep[] | undefined {
  const { state, steps } = objectOf(changes, url);
  if (state !== to)
    throw new ListingError("mismatch", url, "is of another state than snapshot.json", to, quoted(state));
  const chain: ListedStep[] = [];
  let begin = to;
  for (const step of Array.isArray(steps) ? steps : []) {
    if (!isStepTo(begin, step))
      throw new ListingError("malformed", url, "has a step that is none", `one to ${begin}`, quoted(step));
    chain.unshift(step);
    begin = step.from;
    if (begin === from) return chain;
  }
  return undefined;
}

function isStepTo(state: string, step: unknown): step is ListedStep {
  if (!isPlainObject(step)) return false;
  const { from, to, file, bytes, sha256, put, remove } = step;
  return (
    [from, to, sha256].every((digest) => /^[0-9a-f]{64}$/.test(`${digest}`)) &&
    [bytes, put, remove].every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    (bytes as number) <= STEP_BYTES &&
    to === state &&
    file === `changes/${`${from}`.slice(0, 12)}-${state.slice(0, 12)}.ndjson.gz`
  );
}

/**
 * The bytes themselves; an error for those that unpack to too much, which nobody is to unpack once more.
 * @throws ListingError unless they are of this step
 */
export async function checkStep(
  { bytes, sha256 }: ListedStep,
  packed: Bytes,
  url: string,
): Promise<Bytes | ListingError> {
  const not = (why: string, expected: string, received: string) =>
    new ListingError("mismatch", url, `${why} than changes.json lists`, expected, received);
  if (packed.length !== bytes) throw not("has another size", `${bytes}`, `${packed.length}`);
  const most = mostPlainBytes(bytes);
  const sha = new Sha256();
  let length = 0;
  try {
    for await (const chunk of unzip(packed)) {
      length += chunk.length;
      if (length > most)
        return new ListingError("too-large", url, "unpacks to too much", `at most ${most} bytes`, "more");
      sha.update(chunk);
    }
  } catch (cause) {
    throw new ListingError("malformed", url, "does not unpack", "lines of text in gzip", "other bytes", cause);
  }
  const digest = sha.digest();
  if (digest === sha256) return packed;
  throw not("has another digest", sha256, digest);
}

/**
 * What a step says, line by line.
 * @throws ListingError (malformed) for a line that is none, for lines that are not in the order of keys, and for more or fewer.
 */
export async function* changesOf<T>(
  { put, remove }: ListedStep,
  packed: Bytes,
  url: string,
  reader: RecordKeeper<T>,
): AsyncGenerator<Edit<T>> {
  let [puts, removes] = [0, 0];
  let before: Uint8Array = new Uint8Array();
  for await (const line of linesOf(packed, url)) {
    const [change, value] = changeOf(line, url, reader);
    if ("record" in change) puts++;
    else removes++;
    const order = keyOrder(value, url);
    if (compareBytes(before, order) >= 0)
      throw new ListingError("malformed", url, "has keys out of order", "each behind the last", quoted(value));
    before = order;
    yield change;
  }
  const [expected, received] = [`${put} and ${remove}`, `${puts} and ${removes}`];
  if (expected !== received)
    throw new ListingError("malformed", url, "puts and removes other numbers than it should", expected, received);
}

const PUT = '{"put":';

function changeOf<T>(line: string, url: string, reader: RecordKeeper<T>): [change: Edit<T>, key: unknown] {
  if (line.startsWith(PUT) && line.endsWith("}")) {
    const kept = reader.read(line.slice(PUT.length, -1), url);
    return [kept, reader.keyOf(kept.record)];
  }
  const { remove } = objectOf(line, url);
  if (line !== `{"remove":${JSON.stringify(remove)}}`)
    throw new ListingError("malformed", url, "has another line", "put or remove", quoted(line));
  return [{ key: writtenValue(remove as string | number) }, remove];
}
