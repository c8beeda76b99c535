/** Finds the snapshot that a host has now, with all that proves it. */
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
  snapshotOf,
} from "./snapshot.js";
import { textOf } from "./text.js";

const SUMS = "SHA256SUMS";
const SIGNATURE_BYTES = 4096;

/**
 * Reads snapshot.json and, unless it is that of `last`, SHA256SUMS and its signature. Begins again when the host switches in
 * between. @throws ListingError (unproved) when the host has none
 */
export async function findProved(
  host: Host,
  last: ProvedView | undefined,
  { signal, isPast }: FindOptions,
): Promise<ProvedView> {
  const { baseUrl, keys, maxAgeMs } = host;
  const sumsUrl = `${baseUrl}/${SUMS}`;
  let known = isPast ? undefined : last;
  let [past, sumsPast] = isPast ? ["again", "again"] : [];
  return host.requests.retry(signal, async (tries) => {
    const file = await readSnapshotFile(host, known?.file, { tries, past, signal });
    const isOld = maxAgeMs !== undefined && known?.signed && Date.now() - Number(known.signed) > maxAgeMs;
    if (known?.file === file && !isOld) return known;
    known = undefined;
    const snapshot = snapshotOf(file.bytes, file.url);
    const how = { tries, past: sumsPast, signal };
    const maxBytes = mostSumBytes(snapshot.pages, snapshot.encodings.length);
    const bytes = await readProof(host, SUMS, { ...how, maxBytes });
    const sums = textOf(bytes, sumsUrl);
    const listed = /(\w{64}) {2}snapshot\.json\n/.exec(sums)?.[1] ?? "none";
    [past, sumsPast] = [listed, file.digest];
    if (listed !== file.digest) throw notListed(file.url, listed, file.digest);
    const digests = readDigests(sums, snapshot.pages, sumsUrl);
    digests.files.set(SUMS, await hexDigest(bytes));
    const name = `${SUMS}.minisig`;
    // Without a key, nothing proves the signature: any bytes are taken.
    digests.files.set(name, "");
    if (keys.length === 0) return provedView(host, file, snapshot, digests, undefined);
    const signature = await readProof(host, name, { ...how, maxBytes: SIGNATURE_BYTES });
    const { signedAt } = await import("./lazy.js");
    digests.files.set(name, await hexDigest(signature));
    const signed = await signedAt(host, bytes, snapshot, signature);
    return signed instanceof ListingError ? signed : provedView(host, file, snapshot, digests, signed);
  });
}
