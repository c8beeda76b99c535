/** What a copy is brought to: the snapshot that a host has now, and files of it that its state proves. */
import type { Snapshot } from "../../contract/snapshot.js";
import { requireOk, snapshotOf } from "../checked.js";
import { ListingError, SnapshotChangedError } from "../errors.js";
import type { Host, readSnapshotFile, SnapshotFile } from "../proof/files.js";
import type { FindOptions } from "../proof/find.js";
import type { Ground, ProvedGround } from "../proof/ground.js";
import type { Bytes } from "../transfer.js";
import type { createWalk } from "../walk.js";
import type { Held } from "./store.js";
import type { ByPages } from "./whole.js";

/** Where a copy is made from. What walks are made of, too, is given and not imported: then bundles have less to name. */
export interface SyncSource {
  host: Host;
  find(options: FindOptions): Promise<Ground>;
  byPages: ByPages;
  readSnapshotFile: typeof readSnapshotFile;
  createWalk: typeof createWalk;
}

export interface Goal {
  file: SnapshotFile;
  snapshot: Snapshot;
  state: string;
  /** Where SHA256SUMS was read: its files, proved. */
  readFile?: Ground["readFile"];
}

/** The tag of a snapshot that is to be remembered: one that was made of its bytes. Those of times and sizes may lie. */
export function digestTag({ file }: Goal): string | undefined {
  return /^"[0-9a-f]{32,64}"$/.test(file.etag ?? "") ? (file.etag ?? undefined) : undefined;
}

/** Undefined where the host says that it is what the copy was brought to last. */
export async function findGoal(
  origin: SyncSource,
  held: Held | undefined,
  { signal, isPast = false }: FindOptions,
): Promise<Goal | undefined> {
  const { host, readSnapshotFile } = origin;
  const how = { signal, isPast };
  // A signature is of SHA256SUMS, so then that is read, too.
  if (host.keys.length > 0) return findProved(origin, how);
  const known = held?.tag && !isPast ? { url: "", bytes: new Uint8Array(), digest: "", etag: held.tag } : undefined;
  const past = isPast ? "again" : undefined;
  const found = await host.requests.insist(signal, async (tries) => {
    const file = await readSnapshotFile(host, known, { tries, past, signal });
    return file === known ? undefined : { file, snapshot: snapshotOf(file.bytes, file.url) };
  });
  if (!found) return undefined;
  const { state } = found.snapshot;
  return state === undefined ? findProved(origin, how) : { ...found, state };
}

/** @throws ListingError (unproved) for a listing without a state */
export async function findProved({ host, find }: SyncSource, how: FindOptions): Promise<ProvedGround> {
  const ground = (await find(how)) as ProvedGround;
  if (ground.proof !== "none" && ground.state !== ground.file.digest) return ground;
  throw new ListingError("unproved", host.baseUrl, "says no state, which is what a copy of it is held to");
}

/** How a file is asked for. */
interface Wanted {
  name: string;
  maxBytes: number;
  /** What names the bytes that are expected, for caches. */
  past: string;
  /** Whether caches are passed at once. */
  isPast?: boolean;
  signal: AbortSignal | undefined;
}

/**
 * A file of the target's snapshot, asked for again past caches while it does not fit.
 * @param take throws a ListingError for what does not fit. It gets nothing where the host says that there is no such file.
 * @throws SnapshotChangedError when the host has another snapshot now
 */
export function readOf<V>(
  { host, readSnapshotFile }: SyncSource,
  { file, snapshot, state }: Goal,
  { name, maxBytes, past, isPast, signal }: Wanted,
  take: (bytes: Bytes | undefined, url: string) => V | Promise<V>,
): Promise<V> {
  const url = `${host.baseUrl}/${name}`;
  const read = async (tries: number) => {
    const how = { maxBytes, signal, isFresh: true, tries, past: isPast || tries > 0 ? past : undefined };
    const { status, bytes } = await host.requests.get(url, how);
    if (status >= 400 && status < 500) return take(undefined, url);
    requireOk(url, status);
    return take(bytes, url);
  };
  const requireSame = async (tries: number) => {
    if (tries > 0) return;
    const now = await readSnapshotFile(host, file, { signal, past: file.digest }).catch(() => file);
    if (now === file) return;
    throw new SnapshotChangedError(file.url, { state, page: 1, index: 0 }, snapshot, snapshotOf(now.bytes, now.url));
  };
  return host.requests.insist(signal, read, requireSame);
}
