/** Shares pending reads among callers, and caches files of a snapshot for a short time. */
import { findView } from "./find-view.js";
import { parsePage } from "./page.js";
import { LONGEST_MS, within } from "./requests.js";
import type { Host, SharedReads, View } from "./view.js";

/** Lifetime of cached files. It is short, since only requests show that the host has another snapshot. */
const KEPT_MS = 60_000;
const MOST_KEPT = 24;

/** Reads a file through the cache. Searching letter by letter needs the same files repeatedly. */
export function readKept<V>(
  view: View,
  name: string,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<V>,
): Promise<V> {
  const now = Date.now();
  if (!view.kept || view.kept.until < now) view.kept = { until: now + KEPT_MS, reads: new Map() };
  const { reads } = view.kept;
  const value = readOnce(reads, name, signal, read);
  for (const oldest of reads.keys()) if (reads.size > MOST_KEPT) reads.delete(oldest);
  return value;
}

/** Reads the records of a page through the cache, which a listing and its views may share. */
export function readKeptPage<T>(view: View, page: number, signal: AbortSignal | undefined): Promise<T[]> {
  return readKept(
    view,
    view.urlOf(page),
    signal,
    async (own) => parsePage<T>(view, page, await view.readPage(page, own)).results,
  );
}

/** The latest known snapshot; read again if the host was seen to have another one. */
export async function latestView(host: Host, signal: AbortSignal | undefined, bypass = false): Promise<View> {
  const { view, gone, finding } = host;
  if (bypass) return findView(host, { signal, bypass });
  if (view && view.snapshot !== gone) return view;
  return readOnce(finding, "", signal, async (own) => {
    const found = await findView(host, { signal: own });
    finding.clear();
    return found;
  });
}

/** Shares a read by name, most recent last. A read that fails, or that all callers aborted, is removed. */
export function readOnce<V>(
  reads: SharedReads,
  name: string,
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<V>,
): Promise<V> {
  const wait =
    reads.get(name) ??
    share(read, (own) => {
      // After an abort, another read may have its name.
      if (reads.get(name) === own) reads.delete(name);
    });
  reads.delete(name);
  reads.set(name, wait);
  return wait(signal) as Promise<V>;
}

type Wait<V> = (signal: AbortSignal | undefined) => Promise<V>;

function share<V>(read: (signal: AbortSignal) => Promise<V>, forget: (own: Wait<V>) => void): Wait<V> {
  const control = new AbortController();
  let waiting = 0;
  let isThere = false;
  const value = read(control.signal);
  const wait: Wait<V> = async (signal) => {
    waiting++;
    try {
      return await within(
        [signal],
        LONGEST_MS,
        () => value,
        () => value,
      );
    } finally {
      if (--waiting === 0 && !isThere) {
        forget(wait);
        control.abort();
      }
    }
  };
  value.then(
    () => {
      isThere = true;
    },
    () => forget(wait),
  );
  return wait;
}
