/** What was read of a snapshot a moment ago: whoever types a name letter by letter asks for the same files over and over. */
import type { Snapshot } from "../../contract/snapshot.js";
import type { Ground } from "../proof/ground.js";
import { share } from "../shared.js";
import type { Bytes } from "../transfer.js";

/** No longer than caches may keep pages, since what is asked of a host is what shows that it has moved. */
const KEPT_MS = 60_000;
const MOST_BYTES = 8_000_000;

interface Kept {
  wait: (signal: AbortSignal | undefined) => Promise<Bytes>;
  length: number;
  until: number;
}

/** By name, what was asked for last at the end. */
const keptOf = new WeakMap<Snapshot, Map<string, Kept>>();

/**
 * Reads once for all who ask meanwhile, or soon.
 * @param name the same for equal bytes of a snapshot.
 */
export function readKept(
  { snapshot }: Ground,
  name: string,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<Bytes>,
  ms = KEPT_MS,
): Promise<Bytes> {
  const all = keptOf.get(snapshot) ?? new Map<string, Kept>();
  keptOf.set(snapshot, all);
  const begin = (): Kept => {
    const kept = { length: 0, until: Number.POSITIVE_INFINITY };
    const readAll = async (own: AbortSignal) => {
      const bytes = await read(own);
      Object.assign(kept, { length: bytes.length, until: Date.now() + ms });
      dropOldest(all);
      return bytes;
    };
    return Object.assign(kept, { wait: share(readAll, () => all.delete(name)) });
  };
  const before = all.get(name);
  const kept = before && before.until > Date.now() ? before : begin();
  all.delete(name);
  all.set(name, kept);
  return kept.wait(signal);
}

function dropOldest(all: Map<string, Kept>): void {
  let total = 0;
  for (const [name, { length }] of [...all].reverse()) {
    total += length;
    if (total > MOST_BYTES) all.delete(name);
  }
}
