/** A release while it is written: in a folder of its own, until it is complete and appears by one rename. */
import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { DigestedFile } from "./digested-file.js";
import { closing, digestFile, openPlain, readReleaseFileSync, sha256 } from "./files.js";
import { PagePaths, RELEASES, SIGNATURE, SNAPSHOT, STAGING, SUMS, TRASH_PREFIX } from "./layout.js";
import { folderName } from "./name.js";
import type { Release } from "./open.js";
import { remove } from "./refusals.js";
import { makeFolder } from "./sharing.js";
import type { Signer } from "./signature/signer.js";
import { encodeSnapshot, type Snapshot } from "./snapshot.js";
import { encodeSums, type PageDigests, type Sums } from "./sums.js";
import { asidePath, flushFolder, linkFile, writeFlushedSync } from "./write.js";

/** Bytes that are written or read at once. */
const CHUNK = 2 ** 16;

export class Staging {
  readonly folder: string;
  readonly #others = new Map<string, string>();
  readonly #paths: PagePaths;

  /**
   * Needs the lock of `dist`.
   * @param untidied is told of what cannot be removed, now or later
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
    removeLeft(dist, untidied);
  }

  clear(): void {
    this.discard();
    this.#others.clear();
    this.#begin();
  }

  /** Writes and lists a file that is not a page, or links it from the release before. */
  put(path: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    const digest = sha256(bytes);
    const [place, before] = [this.#place(path), this.#before(path, digest)];
    const isKept = before !== undefined && readReleaseFileSync(before)?.equals(bytes) && linkFile(before, place);
    if (!isKept) writeFlushedSync(place, [bytes]);
    this.listOther(path, digest);
  }

  /** Writes a file as its bytes come. @returns what takes them; `finish` lists the file */
  create(path: string) {
    const place = this.#place(path);
    const file = new DigestedFile(place);
    return {
      get bytes() {
        return file.bytes;
      },
      write: (bytes: Uint8Array) => file.write(bytes),
      finish: () => {
        const digest = file.finish();
        this.#linkOver(place, this.#before(path, digest), digest);
        this.listOther(path, digest);
      },
      close: () => file.close(),
    };
  }

  /** Lists a file that is not a page and has already been written. */
  listOther(path: string, digest: string): void {
    this.#others.set(path, digest);
  }

  /** What the release lists, as far as it is written. Files that are no pages are sorted by path. */
  sums(pages: PageDigests): Sums {
    return { paths: this.#paths, pages, others: new Map([...this.#others].sort()) };
  }

  /**
   * Flushes everything, and makes the release appear by one rename.
   * @param include gives the files that name the release.
   * @param signer signs SHA256SUMS, where the release is to be signed.
   * @returns the name of its folder.
   */
  finish(
    snapshot: Snapshot,
    pages: PageDigests,
    now: Date,
    include: (name: string, snapshot: Snapshot, sums: Sums) => readonly { path: string; text: string }[],
    signer?: Signer,
  ): string {
    this.put(SNAPSHOT, encodeSnapshot(snapshot));
    const name = this.#freeName(now, snapshot.id);
    const included = include(name, snapshot, this.sums(pages));
    for (const { path, text } of included) this.put(path, text);
    const sums = this.sums(pages);
    this.#writeSums(sums);
    if (signer) {
      // Signs the bytes that were written, and not those that somebody may have put in their place.
      const signature = signer.sign(Buffer.from([...encodeSums(sums)].join("")), {
        id: snapshot.id,
        baseUrl: snapshot.base_url,
        time: now,
      });
      writeFlushedSync(join(this.folder, SIGNATURE), [Buffer.from(signature)]);
    }
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

  /** The same file in the release before, by its list. */
  #before(path: string, digest: string): string | undefined {
    return this.previous?.sums.others.get(path) === digest ? join(this.previous.folder, path) : undefined;
  }

  /** Replaces a file by a link to the one before, unless that one was damaged. */
  #linkOver(place: string, before: string | undefined, digest: string): void {
    const found = before === undefined ? undefined : openPlain(before);
    if (before === undefined || found === undefined) return;
    if (closing(found, () => digestFile(found, Buffer.allocUnsafe(CHUNK))) !== digest) return;
    const aside = asidePath(place);
    rmSync(aside, { force: true });
    if (linkFile(before, aside)) renameSync(aside, place);
  }

  #writeSums(sums: Sums): void {
    const file = new DigestedFile(join(this.folder, SUMS));
    try {
      let text = "";
      for (const line of encodeSums(sums)) {
        text += line;
        if (text.length < CHUNK) continue;
        file.write(Buffer.from(text));
        text = "";
      }
      file.write(Buffer.from(text));
      file.finish();
    } finally {
      file.close();
    }
  }

  /** Does not fail: what cannot be removed is left to the next build. */
  discard(): void {
    remove(this.folder, this.untidied);
  }

  /** Renames a folder that is in the way instead of removing it, because removing may fail halfway. */
  #begin(): void {
    const trash = join(this.dist, TRASH_PREFIX + randomUUID());
    if (lstatSync(this.folder, { throwIfNoEntry: false })) renameSync(this.folder, trash);
    [STAGING, ...this.#paths.folder.split("/")].reduce(makeFolder, this.dist);
  }

  /** When data changes back and forth, two releases in one second can have one id; then the name's time is moved on. */
  #freeName(now: Date, id: string): string {
    const taken = new Set(readdirSync(join(this.dist, RELEASES)));
    let time = now;
    while (taken.has(folderName(time, id))) time = new Date(time.getTime() + 1000);
    return folderName(time, id);
  }
}

/**
 * Removes what killed removals have left in `dist`, whose lock it needs, unless it cannot be removed.
 * @returns the names of what was there.
 */
export function removeLeft(dist: string, untidied: string[]): string[] {
  const names = readdirSync(dist).filter((name) => name.startsWith(TRASH_PREFIX));
  for (const name of names) remove(join(dist, name), untidied);
  return names;
}
