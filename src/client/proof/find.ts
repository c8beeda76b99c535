/** Finds the snapshot that a host has now, with all that proves it. */
import { hexDigest, snapshotOf, textOf } from "../checked.js";
import { ListingError } from "../errors.js";
import { mostSumBytes, readDigests } from "./digests.js";
import { type FindOptions, type Host, type ProvedView, provedView, readProof, readSnapshotFile } from "./view.js";

const SUMS = "SHA256SUMS";
const SIGNATURE_BYTES = 4096;

/**
 * Reads snapshot.json, and where that is not the one of `last`, SHA256SUMS and its signature: again when the host
 * switches in between. @throws ListingError (unproved) when the host has none
 */
export async function findView(
  host: Host,
  last: ProvedView | undefined,
  { signal, isPast = false }: FindOptions,
): Promise<ProvedView> {
  const { baseUrl, keys, maxAgeMs } = host;
  const sumsUrl = `${baseUrl}/${SUMS}`;
  let known = isPast ? undefined : last;
  let [past, sumsPast] = isPast ? ["again", "again"] : [];
  const found = await host.requests.insist(signal, async (tries) => {
    const file = await readSnapshotFile(host, known?.file, { tries, past, signal });
    const isOld = maxAgeMs !== undefined && known?.signed && Date.now() - Number(known.signed) > maxAgeMs;
    if (known?.file === file && !isOld) return known;
    known = undefined;
    const snapshot = snapshotOf(file.bytes, file.url);
    const how = { tries, past: sumsPast, signal };
    const bytes = await readProof(host, SUMS, mostSumBytes(snapshot.pages, snapshot.encodings.length), how);
    const sums = textOf(bytes, sumsUrl);
    const listed = /(\w{64}) {2}snapshot\.json\n/.exec(sums)?.[1] ?? "none";
    [past, sumsPast] = [listed, file.digest];
    if (listed !== file.digest)
      throw new ListingError("mismatch", file.url, "is not what SHA256SUMS lists", listed, file.digest);
    const digests = readDigests(sums, snapshot.pages, sumsUrl);
    digests.list(SUMS, await hexDigest(bytes));
    // Without a key, nothing can prove it here.
    digests.list(`${SUMS}.minisig`, "");
    if (keys.length === 0) return provedView(host, file, snapshot, digests, undefined);
    const url = `${sumsUrl}.minisig`;
    const signature = await readProof(host, `${SUMS}.minisig`, SIGNATURE_BYTES, how);
    const { signedAt } = await import("../more.js");
    digests.list(`${SUMS}.minisig`, await hexDigest(signature));
    const signed = await signedAt(host, { sums: bytes, snapshot, url, signature });
    return signed instanceof ListingError ? signed : provedView(host, file, snapshot, digests, signed);
  });
  if (found instanceof ListingError) throw found;
  return found;
}
