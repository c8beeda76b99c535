/** What a walk stands on: one snapshot, and how its pages are proved to be of it. */
import { pageUrl } from "../../contract/links.js";
import type { Page } from "../../contract/page.js";
import type { Snapshot } from "../../contract/snapshot.js";
import { objectOf, requirePage, snapshotOf } from "../checked.js";
import { ListingError, malformed, SnapshotChangedError } from "../errors.js";
import type { Bytes } from "../transfer.js";
import type { Digests } from "./digests.js";
import { type Host, readProved, readSnapshotFile, type SnapshotFile } from "./files.js";

/** One snapshot of a listing. */
export interface Ground {
  readonly snapshot: Snapshot;
  readonly proof: "signature" | "digests" | "none";
  /** Which records it holds. */
  readonly state: string;
  /** The bytes of a page, proved. @throws SnapshotChangedError when the host has no longer this snapshot */
  readPage(page: number, signal?: AbortSignal): Promise<Bytes>;
  /** The page that such bytes are. */
  parsePage<T>(page: number, bytes: Bytes): Page<T>;
  /** The bytes of a file by its name, proved, as `readPage` does. @throws ListingError where there is none */
  readFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<Bytes>;
  /** @throws SnapshotChangedError when the host has another snapshot now. */
  requireCurrent(signal?: AbortSignal): Promise<void>;
}

/** One that was proved. */
export interface ProvedGround extends Ground {
  readonly file: SnapshotFile;
  /** When it was signed, where a signature is demanded. */
  readonly signed: Date | undefined;
}

const PAGE_BYTES = 256 * 2 ** 20;

/** A snapshot with the digests of its files. */
export function provedGround(
  host: Host,
  file: SnapshotFile,
  snapshot: Snapshot,
  digests: Digests,
  signed: Date | undefined,
): ProvedGround {
  const listed = digests.of("records.sha256") ?? digests.of("users.sha256");
  const state = snapshot.state ?? listed ?? file.digest;
  if (listed !== undefined && listed !== state)
    throw malformed(file.url, `state ${listed}, as SHA256SUMS lists it`, state);

  const urlOf = (page: number) => pageUrl({ ...snapshot, baseUrl: host.baseUrl, path: digests.path }, page);

  /** A cache may show what was before this one, or this one after the host has moved: then it is asked past caches. */
  const check = async (signal: AbortSignal | undefined, isDoubtful = false): Promise<void> => {
    let now = await readSnapshotFile(host, file, { signal });
    if (now !== file || isDoubtful) now = await readSnapshotFile(host, file, { signal, past: file.digest });
    if (now === file) return;
    throw new SnapshotChangedError(file.url, { state, page: 1, index: 0 }, snapshot, snapshotOf(now.bytes, now.url));
  };

  /** Looks as soon as something does not fit whether the host has moved, so that nobody waits for what is gone. */
  const read = (url: string, digest: string, maxBytes: number, signal: AbortSignal | undefined) =>
    readProved(host, { url, digest, maxBytes, signal }, async (tries, isLast) => {
      if (tries > 0 && !isLast) return;
      await check(signal, isLast).catch((error: unknown) => {
        // Else the file's own error tells more.
        if (error instanceof SnapshotChangedError) throw error;
      });
    });

  return {
    ...{ file, snapshot, signed, state },
    requireCurrent: (signal) => host.requests.insist(signal, () => check(signal)),
    proof: signed ? "signature" : "digests",
    readPage: (page, signal) => read(urlOf(page), digests.ofPage(page), PAGE_BYTES, signal),
    parsePage<T>(page: number, bytes: Bytes) {
      const said = objectOf(bytes, urlOf(page));
      requirePage(said, urlOf(page), page, digests.path, snapshot);
      return said as unknown as Page<T>;
    },
    async readFile(name, maxBytes, signal) {
      const [url, digest] = [`${host.baseUrl}/${name}`, digests.of(name)];
      if (digest !== undefined) return read(url, digest, maxBytes, signal);
      throw new ListingError("usage", url, "is not what SHA256SUMS lists");
    },
  };
}
