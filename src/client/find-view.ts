/** Finds the view of the host's current snapshot, verified by SHA256SUMS and its signature. */
import { SIGNATURE, SUMS } from "../core/contract/links.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import { hexDigest, mostSumBytes, readDigests } from "./digests.js";
import { ListingError, notListed } from "./errors.js";
import type { Bytes } from "./requests.js";
import { decodeText } from "./utf8.js";
import {
  type FindOptions,
  type Host,
  type ProvedView,
  provedView,
  readProof,
  readSnapshotFile,
  type SnapshotFile,
  snapshotOf,
  type View,
} from "./view.js";

const SIGNATURE_BYTES = 4096;

/** Reads the current snapshot into `host.view`. Once verified, a listing is never read without verification. */
export async function findView(host: Host, how: FindOptions): Promise<View> {
  const { view: last, options } = host;
  if (last?.proof !== "none") {
    try {
      host.view = await findProved(host, last as ProvedView | undefined, how);
      delete host.gone;
      return host.view;
    } catch (error) {
      if (last || !options.unproved || !(error instanceof ListingError) || error.code !== "unproved") throw error;
    }
  }
  const { unprovedView } = await import("./unproved.js");
  host.view = await unprovedView(host, how.signal);
  return host.view;
}

/** A verified snapshot.json. */
interface Found {
  file: SnapshotFile;
  /** The time of the signature, if one is required. */
  signed: Date | undefined;
}

/** The verified files that announce a snapshot. */
interface Verified<S> extends Found {
  snapshot: S;
  /** SHA256SUMS, which lists `file`, as bytes and as text. */
  bytes: Bytes;
  sums: string;
  sumsUrl: string;
  signature: Bytes | undefined;
}

/**
 * Reads snapshot.json, and verifies it by SHA256SUMS and, with a key, its signature. Retries if the host switches meanwhile.
 * @param how.last returned if the host still has it, and its signature is not too old.
 * @param parse the snapshot in snapshot.json, and the maximum size of SHA256SUMS.
 * @param accept makes the result.
 */
export async function readVerified<S extends Pick<Snapshot, "id" | "base_url">, V extends Found>(
  host: Host,
  { signal, bypass, last }: FindOptions & { last?: V | undefined },
  parse: (file: SnapshotFile) => { snapshot: S; maxBytes: number },
  accept: (found: Verified<S>) => V | Promise<V>,
): Promise<V> {
  const { baseUrl, keys, options } = host;
  const { maxAgeMs = Number.POSITIVE_INFINITY } = options;
  let known = bypass ? undefined : last;
  let cacheKey = bypass ? "again" : undefined;
  let sumsCacheKey = cacheKey;
  return host.requests.retry(signal, async (tries) => {
    const file = await readSnapshotFile(host, known?.file, { tries, cacheKey, signal });
    if (known?.file === file && !(known.signed && Date.now() - Number(known.signed) > maxAgeMs)) return known;
    known = undefined;
    const { snapshot, maxBytes } = parse(file);
    const how = { tries, cacheKey: sumsCacheKey, signal };
    const bytes = await readProof(host, SUMS, { ...how, maxBytes });
    const sumsUrl = `${baseUrl}/${SUMS}`;
    const sums = decodeText(bytes, sumsUrl);
    const listed = /(\w{64}) {2}snapshot\.json\n/.exec(sums)?.[1] ?? "none";
    cacheKey = listed;
    sumsCacheKey = file.digest;
    if (listed !== file.digest) throw notListed(file.url, listed, file.digest);
    const found = { file, snapshot, bytes, sums, sumsUrl };
    if (keys.length === 0) return accept({ ...found, signature: undefined, signed: undefined });
    const signature = await readProof(host, SIGNATURE, { ...how, maxBytes: SIGNATURE_BYTES });
    const { signedAt } = await import("./signature.js");
    const signed = await signedAt(host, bytes, snapshot, signature);
    return signed instanceof ListingError ? signed : accept({ ...found, signature, signed });
  });
}

function findProved(host: Host, last: ProvedView | undefined, how: FindOptions): Promise<ProvedView> {
  return readVerified(
    host,
    { ...how, last },
    ({ bytes, url }) => {
      const snapshot = snapshotOf(bytes, url);
      return { snapshot, maxBytes: mostSumBytes(snapshot.pages, snapshot.encodings.length) };
    },
    async ({ file, snapshot, bytes, sums, sumsUrl, signature, signed }) => {
      const digests = readDigests(sums, snapshot.pages, sumsUrl);
      digests.files.set(SUMS, await hexDigest(bytes));
      // Without a key, the signature cannot be verified, so any bytes are accepted.
      digests.files.set(SIGNATURE, signature ? await hexDigest(signature) : "");
      return provedView(host, file, snapshot, digests, signed);
    },
  );
}
