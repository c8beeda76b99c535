/** The files of a release that are asked for by name, and the ways past caches that show old ones. */
import { digestOf } from "./digests.js";
import { ListingError } from "./errors.js";
import type { Answer, Bytes, Requests } from "./requests.js";

/** Where a listing is read from, and what is demanded of it. */
export interface Host {
  baseUrl: string;
  requests: Requests;
  keys: readonly string[];
  maxAgeMs: number | undefined;
}

export interface SnapshotFile {
  url: string;
  bytes: Bytes;
  digest: string;
  etag: string | null;
}

/** One try of several to read a file. */
export interface Try {
  /** How many were before it. */
  tries: number;
  /** What the bytes that are expected are called in a URL that no cache has seen; by itself it means nothing to a host. */
  name?: string | undefined;
  signal?: AbortSignal | undefined;
}

const SNAPSHOT_BYTES = 65_536;
/** As many digits of a digest as name it in a URL. */
const NAME_DIGITS = 12;

/** The bytes of snapshot.json: `known` itself where they are still the same. @throws ListingError (unproved) where there is none */
export async function readSnapshotFile(host: Host, known: SnapshotFile | undefined, one: Try): Promise<SnapshotFile> {
  const url = `${host.baseUrl}/snapshot.json`;
  // A browser's own cache asks so by itself. From a page of another host, this header would need the host's leave.
  const isBrowser = "location" in globalThis;
  const headers = known?.etag && !isBrowser ? { "If-None-Match": known.etag } : {};
  const answer = await ask(host, url, SNAPSHOT_BYTES, one, headers);
  if (answer.status === 304 && known) return known;
  const { bytes, etag } = requireFile(host, url, answer);
  const digest = await digestOf(bytes);
  return digest === known?.digest ? known : { url, bytes, digest, etag };
}

/** A file of proofs, asked for each time. */
export async function readProof(host: Host, file: string, maxBytes: number, one: Try): Promise<Bytes> {
  const url = `${host.baseUrl}/${file}`;
  return requireFile(host, url, await ask(host, url, maxBytes, one)).bytes;
}

/** A file with this digest, asked for again past caches until it has it. @param check as for `Requests.insist`. */
export function readProved(
  { requests }: Host,
  {
    url,
    digest,
    maxBytes,
    signal,
  }: { url: string; digest: string; maxBytes: number; signal?: AbortSignal | undefined },
  check?: (tries: number, isLast: boolean) => Promise<void>,
): Promise<Bytes> {
  const name = digest.slice(0, NAME_DIGITS);
  return requests.insist(
    async (tries) => {
      const cache = tries > 0 ? "reload" : undefined;
      const answer = await requests.get(pastCaches(url, { tries, name }), { maxBytes, signal, cache });
      const { bytes } = requireOk(url, answer);
      const received = await digestOf(bytes);
      if (received === digest) return bytes;
      throw new ListingError("mismatch", url, "is not what SHA256SUMS lists", { expected: digest, received });
    },
    signal,
    check,
  );
}

/** A digest, or none, as part of a URL. */
export function nameOf(digest = "none"): string {
  return digest.slice(0, NAME_DIGITS);
}

function ask({ requests }: Host, url: string, maxBytes: number, one: Try, headers = {}): Promise<Answer> {
  const { tries, signal } = one;
  return requests.get(pastCaches(url, one), { maxBytes, signal, headers, cache: tries > 0 ? "reload" : "no-cache" });
}

/** A cache that ignores the query of no URL takes it as another one; what it is called is the same for all readers. */
function pastCaches(url: string, { tries, name = "" }: Try): string {
  if (tries === 0 || name === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}v=${name}${tries > 1 ? `-${tries}` : ""}`;
}

/** @throws ListingError (unproved) where the host says that it has no such file. */
function requireFile({ keys }: Host, url: string, answer: Answer): Answer {
  const { status } = answer;
  if (status < 400 || status > 499 || status === 408) return requireOk(url, answer);
  const advice = keys.length > 0 ? "" : "; give { unproved: true } to read it all the same";
  const why = `is not there, so nothing that the host says can be proved${advice}`;
  throw new ListingError("unproved", url, why, { expected: "200", received: String(status) });
}

export function requireOk(url: string, answer: Answer): Answer {
  if (answer.status === 200) return answer;
  const received = String(answer.status);
  throw new ListingError("status", url, "answers with another status", { expected: "200", received });
}
