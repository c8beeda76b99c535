/** The files of a release that are asked for by name, and the ways past caches that show old ones. */
import { hexDigest, requireOk } from "../checked.js";
import { ListingError } from "../errors.js";
import type { Requests } from "../requests.js";
import type { Ask, Bytes } from "../transfer.js";

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

/** How a file is asked for. */
export type Try = Pick<Ask, "past" | "tries" | "signal">;

const SNAPSHOT_BYTES = 65_536;

/** The file snapshot.json: `known` itself where that is still the same. @throws ListingError (unproved) where there is none */
export async function readSnapshotFile<K extends Pick<SnapshotFile, "digest" | "etag">>(
  host: Host,
  known: K | undefined,
  how: Try,
): Promise<K | SnapshotFile> {
  // A browser's own cache asks so by itself. From a page of another host, this header would need the host's leave.
  const tag = "location" in globalThis ? undefined : known?.etag;
  const ifOther = tag ? { "If-None-Match": tag } : {};
  const own = { ...how, maxBytes: SNAPSHOT_BYTES, headers: ifOther };
  const { url, status, bytes, headers } = await ask(host, "snapshot.json", own);
  if (known && status === 304) return known;
  requireThere(host, url, status, known !== undefined);
  const digest = await hexDigest(bytes);
  return known?.digest === digest ? known : { url, bytes, digest, etag: headers.get("etag") };
}

/** A file of proofs, which no cache may show. @throws ListingError (unproved) where there is none */
export async function readProof(host: Host, file: string, maxBytes: number, how: Try): Promise<Bytes> {
  const { url, status, bytes } = await ask(host, file, { ...how, maxBytes });
  requireThere(host, url, status, false);
  return bytes;
}

async function ask({ requests, baseUrl }: Host, file: string, how: Ask) {
  const url = `${baseUrl}/${file}`;
  return { url, ...(await requests.get(url, { ...how, isFresh: true })) };
}

/** @throws ListingError (unproved) where the host says that it has no such file, and never had it. */
function requireThere({ keys }: Host, url: string, status: number, wasThere: boolean): void {
  if (wasThere || status < 400 || status > 499) {
    requireOk(url, status);
    return;
  }
  const isDemanded = keys.length > 0;
  const why = isDemanded ? "where a signature is demanded" : "so nothing is proved; { unproved: true } reads it";
  throw new ListingError(isDemanded ? "signature" : "unproved", url, `is not there, ${why}`, "200", `${status}`);
}
