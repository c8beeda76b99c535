/** Steps: which of them lead from one state to another, and what they say, each held to what changes.json lists. */
import { writtenValue } from "../../contract/record/written.js";
import { compareBytes, FILE_BYTES } from "../bytes.js";
import { isPlainObject, objectOf } from "../checked.js";
import { ListingError, malformed, quoted } from "../errors.js";
import { linesOf } from "../lines.js";
import type { Bytes } from "../transfer.js";
import { keyOrder, type RecordKeeper } from "./records.js";
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

/**
 * The steps that lead from one state to another, the oldest first.
 * @throws ListingError (mismatch) when changes.json is of another snapshot, (malformed) when it is none, (usage) without steps
 */
export function chainOf(changes: Bytes, url: string, from: string, to: string): ListedStep[] {
  const { state, steps } = objectOf(changes, url);
  if (state !== to) throw new ListingError("mismatch", url, "is not what snapshot.json says", to, quoted(state));
  const chain: ListedStep[] = [];
  let begin = to;
  for (const step of Array.isArray(steps) ? steps : []) {
    if (!isStepTo(begin, step)) throw malformed(url, `a step to ${begin}`, step);
    chain.unshift(step);
    begin = step.from;
    if (begin === from) return chain;
  }
  throw new ListingError("usage", url, "has no steps from the copy's state", from, "others");
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
 * The bytes themselves; an error for those that unpack to too much, which nobody is to unpack once more.
 * @throws ListingError unless they are of this step
 */
export async function checkStep(
  { bytes, sha256 }: ListedStep,
  packed: Bytes,
  url: string,
  signal: AbortSignal | undefined,
): Promise<Bytes | ListingError> {
  const sha = new Sha256();
  let length = 0;
  const most = mostPlainBytes(bytes);
  try {
    const lines = linesOf(packed, url, signal, (chunk) => {
      length += chunk.length;
      if (length > most)
        throw new ListingError("too-large", url, "is too large", `at most ${most} plain bytes`, "more");
      sha.update(chunk);
    });
    for await (const _ of lines);
  } catch (error) {
    if (error instanceof ListingError && error.code === "too-large") return error;
    throw error;
  }
  const digest = sha.digest();
  if (digest === sha256 && packed.length === bytes) return packed;
  throw new ListingError("mismatch", url, "is not what changes.json lists", sha256, digest);
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
  signal: AbortSignal | undefined,
): AsyncGenerator<Edit<T>> {
  let [puts, removes] = [0, 0];
  let before: Uint8Array = new Uint8Array();
  for await (const line of linesOf(packed, url, signal)) {
    const [change, value] = changeOf(line, url, reader);
    if ("record" in change) puts++;
    else removes++;
    const order = keyOrder(value, url);
    if (compareBytes(before, order) >= 0) throw malformed(url, "keys in order", value);
    before = order;
    yield change;
  }
  if (puts !== put || removes !== remove) throw malformed(url, `${put} put and ${remove} removed`, [puts, removes]);
}

const PUT = '{"put":';

function changeOf<T>(line: string, url: string, reader: RecordKeeper<T>): [change: Edit<T>, key: unknown] {
  if (line.startsWith(PUT) && line.endsWith("}")) {
    const kept = reader.read(line.slice(PUT.length, -1), url);
    return [kept, reader.keyOf(kept.record)];
  }
  const { remove } = objectOf(line, url);
  if (line !== `{"remove":${JSON.stringify(remove)}}`) throw malformed(url, "put or remove", line);
  return [{ key: writtenValue(remove as string | number) }, remove];
}
