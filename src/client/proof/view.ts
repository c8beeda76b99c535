/** One snapshot of a host: its files, each proved to be of it, and the ways past caches that show old ones. */
import { pageUrl } from "../../contract/links.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { hexDigest, requireOk, snapshotOf } from "../checked.js";
import { ListingError, malformed, SnapshotChangedError } from "../errors.js";
import type { Requests } from "../requests.js";
import type { Ask, Bytes } from "../transfer.js";
import type { Digests } from "./digests.js";

/** Where a listing is read from, what is demanded of it, and the snapshot that was asked for last. */
export interface Host {
  baseUrl: string;
  requests: Requests;
  keys: readonly string[];
  maxAgeMs: number | undefined;
  /** How many requests are made at once. */
  atOnce: number;
  /** Bytes of a page, and of a part, so that all that are under way take no more memory than they may. */
  pageBytes: number;
  partBytes: number;
  view?: SnapshotView;
  /** A snapshot that the host was seen to have no longer. */
  gone?: Snapshot;
  find(options: FindOptions): Promise<SnapshotView>;
  /** Waits for what is being looked for, with all who ask meanwhile. */
  wait?: ((signal: AbortSignal | undefined) => Promise<SnapshotView>) | undefined;
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
  const [base] = /^.+?(?=\/api\/)/.exec(url) ?? [];
  const why = isDemanded ? "where a signature is demanded" : "so nothing is proved; { unproved: true } reads it";
  throw new ListingError(
    isDemanded ? "signature" : "unproved",
    url,
    `is not there, ${why}${base ? `; is ${base} the base URL?` : ""}`,
    "200",
    `${status}`,
  );
}

/** How a snapshot is looked for. */
export interface FindOptions {
  signal?: AbortSignal | undefined;
  /** Whether a cache is known to show an old one. */
  isPast?: boolean | undefined;
}

/** One snapshot of a listing. */
export interface SnapshotView {
  readonly snapshot: Snapshot;
  readonly proof: "signature" | "digests" | "none";
  /** Which records it holds. */
  readonly state: string;
  /** The bytes of a page, proved. @throws SnapshotChangedError when the host has no longer this snapshot */
  readPage(page: number, signal?: AbortSignal): Promise<Bytes>;
  /** Where the listing is, below the base URL. */
  readonly path: string;
  urlOf(page: number): string;
  /** The bytes of a file by its name, proved, as `readPage` does; or unpacked, of the digest `plain`. @throws ListingError where there is none */
  readFile(file: string, maxBytes: number, signal?: AbortSignal, plain?: string): Promise<Bytes>;
  /** @throws SnapshotChangedError when the host has another snapshot now. */
  requireCurrent(signal?: AbortSignal): Promise<void>;
}

/** One whose snapshot.json was read, and may be all that is known of it. */
export interface KnownSnapshot extends Pick<SnapshotView, "snapshot" | "state" | "requireCurrent"> {
  readonly file: SnapshotFile;
  /**
   * What a file says, which is asked for again past caches while it does not fit.
   * @param take throws a ListingError for what does not fit. Its status may be any that `Requests.get` gives.
   * @throws SnapshotChangedError when the host has another snapshot now
   */
  read<V>(url: string, how: Wanted, take: (bytes: Bytes, status: number) => V | Promise<V>): Promise<V>;
}

/** How a file is asked for. */
interface Wanted extends Pick<Ask, "isFresh" | "maxBytes" | "signal"> {
  /** What names the bytes that are expected, for caches. */
  past: string;
  /** Whether caches are passed at once. */
  isPast?: boolean;
}

/** One that was proved. */
export interface ProvedView extends SnapshotView, KnownSnapshot {
  /** When it was signed, where a signature is demanded. */
  readonly signed: Date | undefined;
}

/** What is known of a snapshot by its snapshot.json. */
export function knownSnapshot(host: Host, file: SnapshotFile, snapshot: Snapshot): KnownSnapshot {
  const { requests } = host;
  const { state } = snapshot;
  /** A cache may show what was before this one, or this one after the host has moved: then it is asked past caches. */
  const check = async (signal: AbortSignal | undefined, isDoubtful = false): Promise<void> => {
    let now = await readSnapshotFile(host, file, { signal });
    if (now !== file || isDoubtful) now = await readSnapshotFile(host, file, { signal, past: file.digest });
    if (now === file) return;
    host.gone = snapshot;
    throw new SnapshotChangedError(file.url, { state, page: 1, index: 0 }, snapshot, snapshotOf(now.bytes, now.url));
  };
  return {
    ...{ file, snapshot, state },
    requireCurrent: (signal) => requests.insist(signal, () => check(signal)),
    read(url, { past, isPast, ...how }, take) {
      const read = async (tries: number) => {
        const own = { ...how, tries, past: isPast || tries > 0 ? past : undefined };
        const { status, bytes } = await requests.get(url, own);
        return take(bytes, status);
      };
      // As soon as something does not fit, so that nobody waits for what is gone.
      return requests.insist(how.signal, read, async (tries, isLast) => {
        if (tries > 0 && !isLast) return;
        await check(how.signal, isLast).catch((error: unknown) => {
          // Else the file's own error tells more.
          if (error instanceof SnapshotChangedError) throw error;
        });
      });
    },
  };
}

/** A snapshot with the digests of its files. */
export function provedView(
  host: Host,
  file: SnapshotFile,
  snapshot: Snapshot,
  digests: Digests,
  signed: Date | undefined,
): ProvedView {
  const known = knownSnapshot(host, file, snapshot);
  const listed = digests.of("records.sha256");
  if (listed && listed !== known.state)
    throw malformed(file.url, `state ${listed}, as SHA256SUMS lists it`, known.state);

  const urlOf = (page: number) => pageUrl({ ...snapshot, baseUrl: host.baseUrl, path: digests.path }, page);
  const read = (url: string, digest: string, maxBytes: number, signal?: AbortSignal, plain?: string) =>
    known.read(url, { maxBytes, signal, past: digest }, async (bytes, status) => {
      requireOk(url, status);
      const received = await hexDigest(bytes);
      if (received === digest || !digest || (received === plain && bytes[0] !== 0x1f)) return bytes;
      throw new ListingError("mismatch", url, "is not what SHA256SUMS lists", digest, received);
    });

  return {
    ...{ ...known, signed, urlOf, path: digests.path },
    proof: signed ? "signature" : "digests",
    readPage: (page, signal) => read(urlOf(page), digests.ofPage(page), host.pageBytes, signal),
    async readFile(name, maxBytes, signal, plain) {
      const [url, digest] = [`${host.baseUrl}/${name}`, digests.of(name)];
      if (digest !== undefined) return read(url, digest, maxBytes, signal, plain);
      throw new ListingError("usage", url, "is not what SHA256SUMS lists");
    },
  };
}
