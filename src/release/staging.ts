/** A release while it is being written: a staging folder that is renamed to its final name once it is complete. */
import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { PagePaths, RELEASE_NAME, RELEASES, SIGNATURE, SNAPSHOT, STAGING, SUMS, TRASH_PREFIX } from "./layout.js";
import { folderName } from "./name.js";
import type { Release } from "./open.js";
import { hashPlain, sha256 } from "./plain-files.js";
import { remove } from "./refusals.js";
import { makeFolder } from "./sharing.js";
import type { Signer } from "./signer.js";
import { encodeSnapshot, type Snapshot } from "./snapshot-file.js";
import { encodeSums, type PageDigests, type Sums } from "./sums.js";
import { carryFile, giveTimes } from "./times.js";
import { asidePath, DigestedFile, flushFolder, writeFlushedSync } from "./writer.js";

export class Staging {
  readonly folder: string;
  readonly #others = new Map<string, string>();
  readonly #paths: PagePaths;

  /**
   * Creates an empty staging folder. Needs the lock of `dist`.
   * @param untidied gets a line for each path that cannot be removed, now or later
   * @param previous the release to link unchanged files from
   */
  constructor(
    private readonly dist: string,
    contract: Contract,
    private readonly untidied: string[],
    private readonly previous: Release | undefined,
  ) {
    this.folder = join(dist, STAGING);
    this.#paths = new PagePaths(contract.listing.path);
    makeFolder(dist, RELEASES);
    this.#begin();
    removeTrash(dist, untidied);
  }

  /** Removes all files and starts again. */
  clear(): void {
    this.discard();
    this.#others.clear();
    this.#begin();
  }

  /** Removes the staging folder. Does not throw: the next build removes what is left. */
  discard(): void {
    remove(this.folder, this.untidied);
  }

  /** Writes and lists a file that is not a page. Links it if the previous release has the same bytes. */
  put(path: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    const digest = sha256(bytes);
    const place = this.#place(path);
    if (!this.#carry(path, digest, place)) writeFlushedSync(place, [bytes]);
    this.#others.set(path, digest);
  }

  /** Opens a file that is not a page, to write it in parts. `finish` lists it. */
  create(path: string): DigestedFile {
    const place = this.#place(path);
    return new DigestedFile(place, (digest) => {
      const link = asidePath(place);
      if (this.#carry(path, digest, link)) renameSync(link, place);
      this.#others.set(path, digest);
    });
  }

  /** Lists a file that is not a page and has already been written. */
  listOther(path: string, digest: string): void {
    this.#others.set(path, digest);
  }

  /** The digests of the release so far. Files that are not pages are sorted by path. */
  sums(pages: PageDigests): Sums {
    return { paths: this.#paths, pages, others: new Map([...this.#others].sort()) };
  }

  /**
   * Writes snapshot.json, SHA256SUMS, its signature and the release's name, gives new files their time, flushes everything, and
   * renames the folder.
   * @param signer signs SHA256SUMS, if the release is to be signed.
   * @returns the name of its folder.
   */
  finish(snapshot: Snapshot, pages: PageDigests, now: Date, signer?: Signer): string {
    this.put(SNAPSHOT, encodeSnapshot(snapshot));
    const name = this.#freeName(now, snapshot.id);
    const sums = this.sums(pages);
    writeFlushedSync(join(this.folder, SUMS), encodeSums(sums));
    if (signer) {
      // Signs the bytes in memory: another process could have replaced the file.
      const text = Buffer.from([...encodeSums(sums)].join(""));
      const signature = signer.sign(text, { id: snapshot.id, baseUrl: snapshot.base_url, time: now });
      writeFlushedSync(join(this.folder, SIGNATURE), [signature]);
    }
    writeFlushedSync(join(this.folder, RELEASE_NAME), [`${name}\n`]);
    giveTimes(this.dist, { folder: this.folder, sums, isSigned: signer !== undefined }, now);
    for (let path = this.#paths.folder; path !== "."; path = dirname(path)) flushFolder(join(this.folder, path));
    for (const path of new Set([...this.#others.keys()].map(dirname))) flushFolder(join(this.folder, path));
    renameSync(this.folder, join(this.dist, RELEASES, name));
    flushFolder(join(this.dist, RELEASES));
    return name;
  }

  #place(path: string): string {
    if (path.includes("/")) dirname(path).split("/").reduce(makeFolder, this.folder);
    return join(this.folder, path);
  }

  /** Carries a file over from the previous release, if it has these bytes there. @returns false if it has not. */
  #carry(path: string, digest: string, place: string): boolean {
    if (this.previous?.sums.others.get(path) !== digest) return false;
    const before = join(this.previous.folder, path);
    if (hashPlain(before) !== digest) return false;
    carryFile(before, place);
    return true;
  }

  /** Makes the folder. Renames an old one to trash instead of removing it, since removing may fail halfway. */
  #begin(): void {
    const trash = join(this.dist, TRASH_PREFIX + randomUUID());
    if (lstatSync(this.folder, { throwIfNoEntry: false })) renameSync(this.folder, trash);
    [STAGING, ...this.#paths.folder.split("/")].reduce(makeFolder, this.dist);
  }

  /** A name that is not taken. Data that changes back and forth can make two releases of one id in a second; then the time is moved on. */
  #freeName(now: Date, id: string): string {
    const taken = new Set(readdirSync(join(this.dist, RELEASES)));
    let time = now;
    while (taken.has(folderName(time, id))) time = new Date(time.getTime() + 1000);
    return folderName(time, id);
  }
}

/** Removes trash that killed runs have left in `dist`. Needs its lock. @returns the names of the trash folders. */
export function removeTrash(dist: string, untidied: string[]): string[] {
  const names = readdirSync(dist).filter((name) => name.startsWith(TRASH_PREFIX));
  for (const name of names) remove(join(dist, name), untidied);
  return names;
}
