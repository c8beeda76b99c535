/** A view: what a host has at one moment. Reads its files, verifies them, and bypasses caches that show another snapshot. */
import { pagesFor, pageUrl, SNAPSHOT } from "../core/contract/links.js";
import type { Snapshot } from "../core/contract/snapshot.js";
import { type Digests, hexDigest } from "./digests.js";
import { ListingError, malformed, NOT_LISTED, notListed, SnapshotChangedError, usage } from "./errors.js";
import type { ListingOptions } from "./options.js";
import { type Ask, type Bytes, type Limit, type Requests, requireOk } from "./requests.js";
import { type AnyObject, isPlainObject, objectOf } from "./utf8.js";

/** State of an open listing: host, options, and the snapshot of the last call. */
export interface Host {
  baseUrl: string;
  options: ListingOptions;
  requests: Requests;
  keys: readonly string[];
  /** Maximum parallel requests. */
  concurrency: number;
  /** Limits of a page, of a bulk part and of another file, so that parallel requests stay within `memoryBytes`. */
  pages: Limit;
  parts: Limit;
  files: Limit;
  view?: View;
  /** A snapshot that the host no longer has. */
  gone?: Snapshot;
  /** Calls that share the read of the next snapshot. */
  finding: SharedReads;
  /** For a listing of a site: its snapshot, as the top of the site lists it. */
  promised?: (signal: AbortSignal | undefined) => Promise<PromisedView>;
}

export type PromisedView = Pick<Snapshot, "id" | "state">;

/** Shared reads by name. */
export type SharedReads = Map<string, (signal: AbortSignal | undefined) => Promise<unknown>>;

export interface FindOptions {
  signal?: AbortSignal | undefined;
  /** Whether to bypass caches, since one has shown an old snapshot. */
  bypass?: boolean | undefined;
}

/** A snapshot of a listing. */
export interface View {
  readonly snapshot: Snapshot;
  readonly proof: "signature" | "digests" | "none";
  /** The snapshot's state. */
  readonly state: string;
  /** The listing's path below the base URL. */
  readonly path: string;
  urlOf(page: number): string;
  /** Converts a page's link to another page into the form that the snapshot has. */
  readLink?(link: unknown, to: number): unknown;
  /** Reads and verifies a page. @throws SnapshotChangedError if the host has another snapshot */
  readPage(page: number, signal?: AbortSignal): Promise<Bytes>;
  /**
   * Reads and verifies another file.
   * @param plain digest of the plain bytes of a gzip file, which some hosts send with Content-Encoding.
   * @throws ListingError (usage) if SHA256SUMS does not list it; SnapshotChangedError
   */
  readFile(file: string, limit: Limit, signal?: AbortSignal, plain?: string): Promise<Bytes>;
  /** Where to read a file, and its digest. @throws ListingError (usage) if SHA256SUMS does not list it */
  fileAt(file: string): FileAt;
  /** @throws SnapshotChangedError if the host has another snapshot. */
  requireCurrent(signal?: AbortSignal): Promise<void>;
  /** Cache of files, valid until a time. */
  kept?: { until: number; reads: SharedReads };
}

/** A file of a snapshot. */
interface FileAt {
  url: string;
  /** Empty for a file that is not verified. */
  digest: string;
  /** Bypasses caches. */
  cacheKey?: string;
}

/** A snapshot of which only snapshot.json was read. Its files are not verified. */
export interface KnownView extends Pick<View, "snapshot" | "state" | "requireCurrent" | "readFile"> {
  readonly file: SnapshotFile;
  /**
   * Reads a file, and retries without caches while `take` throws a ListingError. `take` gets any status of `Requests.get`.
   * @throws SnapshotChangedError if the host has another snapshot
   */
  read<V>(
    url: string,
    how: Omit<Ask, "headers" | "tries" | "cacheKey"> & {
      /** Digest or unique name of the expected bytes. */
      cacheKey: string;
      /** Whether to bypass caches on the first try too. */
      bypass?: boolean;
    },
    take: (bytes: Bytes, status: number) => V | ListingError | Promise<V | ListingError>,
  ): Promise<V>;
}

export interface ProvedView extends View, KnownView {
  /** Time of the signature, if one is required. */
  readonly signed: Date | undefined;
}

export interface SnapshotFile {
  url: string;
  bytes: Bytes;
  digest: string;
  etag: string | null;
}

const SNAPSHOT_BYTES = 65_536;
/** Maximum size of a file, which hosts impose, except SHA256SUMS. */
export const FILE_BYTES = 25 * 2 ** 20;

/** Reads snapshot.json. @returns `known` if it is unchanged. @throws ListingError (unproved) if there is none */
export async function readSnapshotFile<K extends Pick<SnapshotFile, "digest" | "etag">>(
  host: Host,
  known: K | undefined,
  how: Pick<Ask, "cacheKey" | "tries" | "signal">,
): Promise<K | SnapshotFile> {
  // In browsers, the cache sends the ETag, and this header would need CORS permission.
  const tag = "location" in globalThis ? undefined : known?.etag;
  const headers: Record<string, string> = tag ? { "If-None-Match": tag } : {};
  const { url, status, bytes, headers: got } = await ask(host, SNAPSHOT, { ...how, maxBytes: SNAPSHOT_BYTES, headers });
  if (known && status === 304) return known;
  if (known) requireOk(url, status);
  else requireFound(host, url, status);
  const digest = await hexDigest(bytes);
  return known?.digest === digest ? known : { url, bytes, digest, etag: got.get("etag") };
}

/**
 * Reads snapshot.json again. A cache may show an older one, or this one after a switch: in doubt, caches are bypassed.
 * @returns `file` if it is unchanged
 */
export async function readAgain(
  host: Host,
  file: SnapshotFile,
  signal: AbortSignal | undefined,
  isDoubtful = false,
): Promise<SnapshotFile> {
  const now = await readSnapshotFile(host, file, { signal });
  return now === file && !isDoubtful ? now : readSnapshotFile(host, file, { signal, cacheKey: file.digest });
}

/** Reads SHA256SUMS or its signature, revalidating caches. @throws ListingError (unproved) if there is none */
export async function readProof(host: Host, file: string, how: Ask): Promise<Bytes> {
  const { url, status, bytes } = await ask(host, file, how);
  requireFound(host, url, status);
  return bytes;
}

async function ask({ requests, baseUrl }: Host, file: string, how: Ask) {
  const url = `${baseUrl}/${file}`;
  return { url, ...(await requests.get(url, { ...how, isFresh: true })) };
}

/** Requires status 200. @throws ListingError (unproved or signature) if the host does not have the file */
function requireFound({ keys }: Host, url: string, status: number): void {
  if (status < 400 || status > 499) {
    requireOk(url, status);
    return;
  }
  const [code, why] = keys.length
    ? (["signature", "but a signature is required"] as const)
    : (["unproved", "so nothing can be verified; pass { unproved: true } to read it anyway"] as const);
  const [base] = /^.+?(?=\/api\/)/.exec(url) ?? [];
  throw new ListingError(
    code,
    url,
    `is missing, ${why}${base ? `; is ${base} the base URL?` : ""}`,
    "200",
    `${status}`,
  );
}

/** Patterns of the members of snapshot.json, as JSON. */
const MEMBERS: Readonly<Record<keyof Omit<Snapshot, "site">, RegExp>> = {
  id: /^"[0-9a-f]{12}"$/,
  contract: /^[1-9]\d{0,14}$/,
  count: /^\d{1,15}$/,
  pages: /^[1-9]\d{0,8}$/,
  page_size: /^([1-9]\d{0,2}|1000)$/,
  base_url: /^"https?:..+"$/,
  links: /^"(query|path)"$/,
  encodings: /^\[("\w+",?)*\]$/,
  skipped: /^\d{1,15}$/,
  state: /^"[0-9a-f]{64}"$/,
  warnings: /^\{/,
};

/** Requires a member of snapshot.json to have its form. @throws ListingError (malformed) */
export function requireMember(said: AnyObject, name: keyof typeof MEMBERS, url: string): void {
  if (!MEMBERS[name].test(`${JSON.stringify(said[name])}`)) throw malformed(url, `other ${name}`, said[name]);
}

/** Parses snapshot.json. Additional members are allowed. @throws ListingError (malformed or usage) */
export function snapshotOf(bytes: Uint8Array, url: string): Snapshot {
  const said = objectOf(bytes, url);
  if (isPlainObject(said["listings"])) throw usage(url, "is of a site: use openSite");
  for (const name of Object.keys(MEMBERS)) requireMember(said, name as keyof typeof MEMBERS, url);
  const snapshot = said as unknown as Snapshot;
  const pages = pagesFor(snapshot.count, snapshot.page_size);
  if (snapshot.pages !== pages) throw malformed(url, `pages ${pages}`, snapshot.pages);
  return snapshot;
}

/** Makes a snapshot from snapshot.json. */
export function knownView(host: Host, file: SnapshotFile, snapshot: Snapshot): KnownView {
  const { requests } = host;
  const { state } = snapshot;
  const requireCurrent = async (signal: AbortSignal | undefined, isDoubtful?: boolean): Promise<void> => {
    const now = await readAgain(host, file, signal, isDoubtful);
    if (now === file) return;
    host.gone = snapshot;
    throw new SnapshotChangedError(file.url, { state, page: 1, index: 0 }, snapshot, snapshotOf(now.bytes, now.url));
  };
  const read: KnownView["read"] = (url, { cacheKey, bypass, ...how }, take) =>
    requests.retry(
      how.signal,
      async (tries) => {
        const own = { ...how, tries, cacheKey: bypass || tries > 0 ? cacheKey : undefined };
        const { status, bytes } = await requests.get(url, own);
        return take(bytes, status);
      },
      (isLast) => requireCurrent(how.signal, isLast),
    );
  return {
    file,
    snapshot,
    state,
    read,
    requireCurrent: (signal) => requests.retry(signal, () => requireCurrent(signal)),
    readFile(name, limit, signal) {
      const url = `${host.baseUrl}/${name}`;
      // The snapshot's digest in the URL keeps caches from showing a file of another snapshot.
      return read(url, { ...limit, signal, cacheKey: file.digest, bypass: true }, (bytes, status) => {
        requireOk(url, status);
        return bytes;
      });
    },
  };
}

/** Makes a snapshot whose files are verified by digests. */
export function provedView(
  host: Host,
  file: SnapshotFile,
  snapshot: Snapshot,
  { files, path, ofPage }: Digests,
  signed: Date | undefined,
): ProvedView {
  const { baseUrl, pages } = host;
  const known = knownView(host, file, snapshot);
  const { state } = known;
  const listed = files.get("records.sha256");
  if (listed && listed !== state) throw malformed(file.url, `state ${listed}, as SHA256SUMS lists it`, state);
  const urlOf = (page: number) => pageUrl({ ...snapshot, baseUrl, path }, page);
  const read = (url: string, digest: string, limit: Limit, signal?: AbortSignal, plain?: string) =>
    known.read(url, { ...limit, signal, cacheKey: digest }, async (bytes, status) => {
      requireOk(url, status);
      const received = await hexDigest(bytes);
      if (received === digest || !digest || (received === plain && bytes[0] !== 0x1f)) return bytes;
      throw notListed(url, digest, received);
    });
  const fileAt = (name: string): FileAt => {
    const url = `${baseUrl}/${name}`;
    const digest = files.get(name);
    if (digest === undefined) throw new ListingError("usage", url, NOT_LISTED);
    return { url, digest, cacheKey: digest || file.digest };
  };
  return {
    ...known,
    signed,
    urlOf,
    path,
    proof: proofOf({ signed }),
    readPage: (page, signal) => read(urlOf(page), ofPage(page), pages, signal),
    async readFile(name, limit, signal, plain) {
      const { url, digest } = fileAt(name);
      return read(url, digest, limit, signal, plain);
    },
    fileAt,
  };
}

/** How a snapshot is verified. */
export function proofOf({ signed }: Pick<ProvedView, "signed">): "signature" | "digests" {
  return signed ? "signature" : "digests";
}
