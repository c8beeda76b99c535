/** Reads the host's current snapshot, and verifies it by SHA256SUMS and its signature. */
import { hexDigest, mostSumBytes, readDigests } from "./digests.js";
import { ListingError } from "./errors.js";
import {
  type FindOptions,
  type Host,
  notListed,
  type ProvedView,
  provedView,
  readProof,
  readSnapshotFile,
  type SnapshotView,
  snapshotOf,
} from "./snapshot.js";
import { textOf } from "./utf8.js";

const SUMS = "SHA256SUMS";
const SIGNATURE_BYTES = 4096;

/** Reads the current snapshot into `host.view`. Once verified, a listing is never read without verification. */
export async function findView(host: Host, how: FindOptions): Promise<SnapshotView> {
  const { view: last, options } = host;
  let why: ListingError | undefined;
  if (last?.proof !== "none") {
    try {
      host.view = await findProved(host, last as ProvedView | undefined, how);
      delete host.gone;
      return host.view;
    } catch (error) {
      if (last || !options.unproved || !(error instanceof ListingError) || error.code !== "unproved") throw error;
      why = error;
    }
  }
  const { unprovedView } = await import("./unproved.js");
  host.view = await unprovedView(host, how.signal);
  if (why) options.onUnproved?.(why);
  return host.view;
}

/** Reads snapshot.json and, if it has changed since `last`, SHA256SUMS. Retries if the host switches meanwhile. */
async function findProved(
  host: Host,
  last: ProvedView | undefined,
  { signal, bypass }: FindOptions,
): Promise<ProvedView> {
  const { baseUrl, keys, options } = host;
  const { maxAgeMs = Number.POSITIVE_INFINITY } = options;
  let known = bypass ? undefined : last;
  let cacheKey = bypass ? "again" : undefined;
  let sumsCacheKey = cacheKey;
  return host.requests.retry(signal, async (tries) => {
    const file = await readSnapshotFile(host, known?.file, { tries, cacheKey, signal });
    if (known?.file === file && !(known.signed && Date.now() - Number(known.signed) > maxAgeMs)) return known;
    known = undefined;
    const snapshot = snapshotOf(file.bytes, file.url);
    const how = { tries, cacheKey: sumsCacheKey, signal };
    const maxBytes = mostSumBytes(snapshot.pages, snapshot.encodings.length);
    const bytes = await readProof(host, SUMS, { ...how, maxBytes });
    const url = `${baseUrl}/${SUMS}`;
    const sums = textOf(bytes, url);
    const listed = /(\w{64}) {2}snapshot\.json\n/.exec(sums)?.[1] ?? "none";
    cacheKey = listed;
    sumsCacheKey = file.digest;
    if (listed !== file.digest) throw notListed(file.url, listed, file.digest);
    const digests = readDigests(sums, snapshot.pages, url);
    const name = `${SUMS}.minisig`;
    digests.files.set(SUMS, await hexDigest(bytes));
    // Without a key, the signature cannot be verified, so any bytes are accepted.
    digests.files.set(name, "");
    if (keys.length === 0) return provedView(host, file, snapshot, digests, undefined);
    const signature = await readProof(host, name, { ...how, maxBytes: SIGNATURE_BYTES });
    digests.files.set(name, await hexDigest(signature));
    const { signedAt } = await import("./signature.js");
    const signed = await signedAt(host, bytes, snapshot, signature);
    return signed instanceof ListingError ? signed : provedView(host, file, snapshot, digests, signed);
  });
}
