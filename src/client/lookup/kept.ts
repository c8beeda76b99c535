/** What was read of a snapshot a moment ago: whoever types a name letter by letter asks for the same files over and over. */
import type { SnapshotView } from "../proof/view.js";
import { share } from "../shared.js";

/** No longer than caches may keep pages, since what is asked of a host is what shows that it has moved. */
const KEPT_MS = 60_000;
const MOST_KEPT = 16;

interface Kept {
  until: number;
  /** By name, what was asked for last at the end. */
  files: Map<string, (signal: AbortSignal | undefined) => Promise<unknown>>;
}

const keptOf = new WeakMap<SnapshotView["snapshot"], Kept>();

/**
 * Reads once for all who ask meanwhile, or soon.
 * @param name the same for what is equal in a snapshot.
 */
export function readKept<V>(
  { snapshot }: SnapshotView,
  name: string,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<V>,
): Promise<V> {
  let kept = keptOf.get(snapshot);
  if (!kept || kept.until < Date.now()) kept = { until: Date.now() + KEPT_MS, files: new Map() };
  keptOf.set(snapshot, kept);
  const { files } = kept;
  const wait = files.get(name) ?? share(read, () => files.delete(name));
  files.delete(name);
  files.set(name, wait);
  for (const oldest of files.keys()) if (files.size > MOST_KEPT) files.delete(oldest);
  return wait(signal) as Promise<V>;
}
