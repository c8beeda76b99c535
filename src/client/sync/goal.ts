/** What a copy is brought to: the snapshot that a host has now, and files of it that its state proves. */
import { snapshotOf } from "../checked.js";
import { ListingError } from "../errors.js";
import { type Host, readSnapshotFile, type SnapshotFile } from "../proof/files.js";
import type { FindOptions } from "../proof/ground.js";
import { type Ground, type ProvedGround, type Standing, standOn } from "../proof/ground.js";
import type { Held } from "./store.js";
import type { ByPages } from "./whole.js";

/** Where a copy is made from. */
export interface SyncSource {
  host: Host;
  find(options: FindOptions): Promise<Ground>;
  byPages: ByPages;
}

/** Where SHA256SUMS was read: its files, proved. */
export type Goal = Standing & Partial<Pick<Ground, "readFile">>;

/** The tag of a snapshot that is to be remembered: one that was made of its bytes. Those of times and sizes may lie. */
export function digestTag({ file }: Goal): string | undefined {
  return file.etag?.match(/^"[0-9a-f]{32,64}"$/)?.[0];
}

/** Undefined where the host says that it is what the copy was brought to last. */
export async function findGoal(
  origin: SyncSource,
  held: Held | undefined,
  { signal, isPast = false }: FindOptions,
): Promise<Goal | undefined> {
  const { host } = origin;
  const how = { signal, isPast };
  // A signature is of SHA256SUMS, so then that is read, too.
  if (host.keys.length > 0) return findProved(origin, how);
  const known = held?.tag && !isPast ? { digest: "", etag: held.tag } : undefined;
  const past = isPast ? "again" : undefined;
  const found = await host.requests.insist(signal, async (tries) => {
    const found = await readSnapshotFile(host, known, { tries, past, signal });
    if (found === known) return undefined;
    const file = found as SnapshotFile;
    return { file, snapshot: snapshotOf(file.bytes, file.url) };
  });
  if (!found) return undefined;
  const { file, snapshot } = found;
  const { state } = snapshot;
  return state === undefined ? findProved(origin, how) : standOn(host, file, snapshot, state);
}

/** @throws ListingError (unproved) for a listing without a state */
export async function findProved({ host, find }: SyncSource, how: FindOptions): Promise<ProvedGround> {
  const ground = (await find(how)) as ProvedGround;
  if (ground.proof !== "none" && ground.state !== ground.file.digest) return ground;
  throw new ListingError("unproved", host.baseUrl, "says no state to hold a copy to");
}
