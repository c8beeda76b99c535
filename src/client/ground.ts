/** What a walk stands on: one snapshot, and how its pages are proved to be of it. */
import { pageUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { pageOf, snapshotOf } from "./checked.js";
import type { Digests } from "./digests.js";
import { ListingError, SnapshotChangedError } from "./errors.js";
import { type Host, nameOf, readProved, readSnapshotFile, type SnapshotFile } from "./files.js";
import { positionAt } from "./position.js";
import type { Bytes } from "./requests.js";

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

const PAGE_BYTES = 256 * 2 ** 20;
const RECORD_LISTS = ["records.sha256", "users.sha256"];

/** A snapshot with the digests of its files. */
export class ProvedGround implements Ground {
  readonly proof: "signature" | "digests";
  readonly state: string;

  constructor(
    private readonly host: Host,
    readonly file: SnapshotFile,
    readonly snapshot: Snapshot,
    private readonly digests: Digests,
    /** When it was signed, where a signature is demanded. */
    readonly signed: Date | undefined,
  ) {
    this.proof = signed ? "signature" : "digests";
    const listed = RECORD_LISTS.map((name) => digests.of(name)).find((digest) => digest !== undefined);
    this.state = snapshot.state ?? listed ?? file.digest;
    if (listed === undefined || listed === this.state) return;
    const facts = { expected: listed, received: this.state };
    throw new ListingError("malformed", file.url, "has another state than SHA256SUMS", facts);
  }

  readPage(page: number, signal?: AbortSignal): Promise<Bytes> {
    return this.#read(this.#urlOf(page), this.digests.ofPage(page), PAGE_BYTES, signal);
  }

  parsePage<T>(page: number, bytes: Bytes): Page<T> {
    return pageOf(bytes, this.#urlOf(page), page, this.digests.path, this.snapshot);
  }

  readFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<Bytes> {
    const [url, digest] = [`${this.host.baseUrl}/${file}`, this.digests.of(file)];
    if (digest !== undefined) return this.#read(url, digest, maxBytes, signal);
    throw new ListingError("usage", url, "is no file of this release: SHA256SUMS does not list it");
  }

  async requireCurrent(signal?: AbortSignal): Promise<void> {
    // A cache may still show an old snapshot, or what came before this one.
    if (!(await this.#isShown({ tries: 0, signal }))) await this.#requireShown(signal);
  }

  /** Looks as soon as something does not fit whether the host has moved, so that nobody waits for what is gone. */
  #read(url: string, digest: string, maxBytes: number, signal?: AbortSignal): Promise<Bytes> {
    return readProved(this.host, { url, digest, maxBytes, signal }, async (tries, isLast) => {
      if (isLast) await this.#requireShown(signal);
      else if (tries === 0) await this.requireCurrent(signal);
    });
  }

  async #isShown(one: Parameters<typeof readSnapshotFile>[2]): Promise<boolean> {
    return (await readSnapshotFile(this.host, this.file, one)) === this.file;
  }

  /** Past caches. */
  async #requireShown(signal?: AbortSignal): Promise<void> {
    const { host, file, snapshot, state } = this;
    const now = await readSnapshotFile(host, file, { tries: 1, name: nameOf(file.digest), signal });
    if (now === file) return;
    throw new SnapshotChangedError(file.url, positionAt(0, state, snapshot), snapshot, snapshotOf(now.bytes, now.url));
  }

  #urlOf(page: number): string {
    return pageUrl({ baseUrl: this.host.baseUrl, path: this.digests.path, links: this.snapshot.links }, page);
  }
}
