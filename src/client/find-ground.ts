/** Finds the snapshot that a host has now, with all that proves it. */
import { isObject } from "../contract/json.js";
import { jsonOf, snapshotOf, textOf } from "./checked.js";
import { type Digests, digestIn, listingPaths, mostSumBytes, readDigests } from "./digests.js";
import { ListingError, type ListingErrorCode } from "./errors.js";
import { type Host, nameOf, readProof, readProved, readSnapshotFile, type Try } from "./files.js";
import { ProvedGround } from "./ground.js";
import type { Bytes } from "./requests.js";

const SUMS = "SHA256SUMS";
const SIGNATURE = `${SUMS}.minisig`;
const SIGNATURE_BYTES = 4096;
/** As many as a contract may have. */
export const CONTRACT_BYTES = 1_000_000;

/** `past`: a cache is known to show an old snapshot. */
export interface FindOptions {
  signal?: AbortSignal | undefined;
  past?: boolean | undefined;
}

/**
 * Reads snapshot.json, and where that is not the one of `last`, SHA256SUMS and its signature, again when the host
 * switches in between. @throws ListingError (unproved) when the host has none
 */
export function findGround(host: Host, last: ProvedGround | undefined, { signal, past }: FindOptions = {}) {
  let [name, sumsName] = [past ? nameOf(last?.file.digest) : "", ""];
  let known = past ? undefined : last;
  const find = async (before: number): Promise<ProvedGround> => {
    const tries = before + Number(past ?? false);
    const file = await readSnapshotFile(host, known?.file, { tries, name, signal });
    if (known?.file === file && isFresh(host, known)) return known;
    known = undefined;
    const snapshot = snapshotOf(file.bytes, file.url);
    const one = { tries, name: sumsName, signal };
    const sums = await readProof(host, SUMS, mostSumBytes(snapshot.pages, snapshot.encodings.length), one);
    const text = textOf(sums, `${host.baseUrl}/${SUMS}`);
    const expected = digestIn(text, "snapshot.json");
    [name, sumsName] = [nameOf(expected), nameOf(file.digest)];
    if (expected !== file.digest) {
      const facts = { expected: expected ?? "a line for it", received: file.digest };
      throw new ListingError("mismatch", file.url, `is not the one that ${SUMS} lists`, facts);
    }
    const digests = await readListed(host, text, snapshot.pages, signal);
    const signed = host.keys.length > 0 ? await readSigned(host, sums, snapshot.id, one) : undefined;
    if (signed && snapshot.base_url !== host.baseUrl) {
      const facts = { expected: host.baseUrl, received: JSON.stringify(snapshot.base_url) };
      throw new ListingError("signature", file.url, "is signed, but of another base URL", facts);
    }
    return new ProvedGround(host, file, snapshot, digests, signed);
  };
  return host.requests.insist(find, signal);
}

function isFresh({ maxAgeMs }: Host, { signed }: ProvedGround): boolean {
  return maxAgeMs === undefined || signed === undefined || Date.now() - signed.getTime() <= maxAgeMs;
}

async function readListed(host: Host, sums: string, pages: number, signal?: AbortSignal): Promise<Digests> {
  const paths = listingPaths(sums);
  const path = paths.length > 1 ? await pathOfContract(host, sums, signal) : (paths[0] ?? "/");
  const digests = readDigests(sums, path, pages);
  if (typeof digests !== "string") return digests;
  throw new ListingError("malformed", `${host.baseUrl}/${SUMS}`, digests);
}

/** Where several files have the name of a page, the contract says which is one. */
async function pathOfContract(host: Host, sums: string, signal?: AbortSignal): Promise<string> {
  const url = `${host.baseUrl}/contract.json`;
  const digest = digestIn(sums, "contract.json") ?? "";
  return pathIn(await readProved(host, { url, digest, maxBytes: CONTRACT_BYTES, signal }), url);
}

/** The path of the listing that a contract says. */
export function pathIn(contract: Bytes, url: string): string {
  const value = jsonOf(contract, url);
  const listing = isObject(value) ? value["x-listing"] : undefined;
  const path = isObject(listing) ? listing["path"] : undefined;
  if (typeof path === "string" && /^\/([^/?#\s]+\/)+$/.test(path)) return path;
  throw new ListingError("malformed", url, "is no contract: it has no path of a listing");
}

/** When a release was signed, by the machine that `verify` has, too: it is loaded where it is needed. */
async function readSigned(host: Host, sums: Bytes, id: string, one: Try): Promise<Date> {
  const { parsePublicKey, checkSignature, checkTrustedComment, SignatureError } = await import("./signature.js");
  const url = `${host.baseUrl}/${SIGNATURE}`;
  let code: ListingErrorCode = "usage";
  try {
    const keys = host.keys.map(parsePublicKey);
    code = "signature";
    const signature = textOf(await readProof(host, SIGNATURE, SIGNATURE_BYTES, one), url);
    const said = await checkSignature({ sums, signature, keys });
    checkTrustedComment(said, { baseUrl: host.baseUrl, id, maxAgeMs: host.maxAgeMs });
    return said.time;
  } catch (error) {
    if (error instanceof SignatureError) {
      if (code === "usage") throw new ListingError(code, host.baseUrl, `is read with a key that ${error.message}`);
      throw new ListingError(code, url, error.message, { cause: error });
    }
    if (!(error instanceof ListingError) || error.code !== "unproved") throw error;
    throw new ListingError("signature", url, "is not there, where a signature is demanded", error);
  }
}
