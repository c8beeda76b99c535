/** A release while it is written: in a folder of its own, until it is complete and appears by one rename. */
import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { encodeSums, type PageSums, type Sums } from "./digests.js";
import { sha256 } from "./files.js";
import { INCLUDED, PagePaths, RELEASES, SIGNATURE, SNAPSHOT, STAGING, SUMS, TRASH_PREFIX } from "./layout.js";
import { folderName } from "./name.js";
import { remove } from "./refusals.js";
import { makeFolder } from "./sharing.js";
import type { Signer } from "./signature/signer.js";
import { encodeSnapshot, type Snapshot } from "./snapshot.js";
import { DigestedFile } from "./sums/digested.js";
import { flushFolder, writeFlushed } from "./write.js";

/** Characters of SHA256SUMS that are written at once. */
const LENGTH = 2 ** 16;

export class Staging {
  readonly folder: string;
  readonly #others = new Map<string, string>();
  readonly #paths: PagePaths;

  /** Needs the lock of `dist`. @param untidied is told of what cannot be removed, now or later. */
  constructor(
    private readonly dist: string,
    contract: Contract,
    private readonly untidied: string[],
  ) {
    this.folder = join(dist, STAGING);
    this.#paths = new PagePaths(contract.listing.path);
    makeFolder(dist, RELEASES);
    this.#begin();
    removeLeft(dist, untidied);
  }

  clear(): void {
    this.discard();
    this.#begin();
  }

  async writeOther(path: string, content: string): Promise<void> {
    await writeFlushed(join(this.folder, path), content);
    this.listOther(path, sha256(content));
  }

  /** Lists a file that is not a page and has already been written. */
  listOther(path: string, digest: string): void {
    this.#others.set(path, digest);
  }

  /** What the release lists, as far as it is written. Files that are no pages are sorted by path. */
  sums(pages: PageSums): Sums {
    return { paths: this.#paths, pages, others: new Map([...this.#others].sort()) };
  }

  /**
   * Flushes everything, and makes the release appear by one rename.
   * @param include gives the files that name the release.
   * @param signer signs SHA256SUMS, where the release is to be signed.
   * @returns the name of its folder.
   */
  async finish(
    snapshot: Snapshot,
    pages: PageSums,
    now: Date,
    include: (name: string, snapshot: Snapshot, sums: Sums) => readonly { path: string; text: string }[],
    signer?: Signer,
  ): Promise<string> {
    await this.writeOther(SNAPSHOT, encodeSnapshot(snapshot));
    const name = this.#freeName(now, snapshot.id);
    const included = include(name, snapshot, this.sums(pages));
    if (included.length > 0) makeFolder(this.folder, INCLUDED);
    for (const { path, text } of included) await this.writeOther(path, text);
    const sums = this.sums(pages);
    this.#writeSums(sums);
    if (signer) {
      // Signs the bytes that were written, and not those that somebody may have put in their place.
      const signature = signer.sign(Buffer.from([...encodeSums(sums)].join("")), {
        id: snapshot.id,
        baseUrl: snapshot.base_url,
        time: now,
      });
      await writeFlushed(join(this.folder, SIGNATURE), signature);
    }
    for (let path = this.#paths.folder; path !== "."; path = dirname(path)) flushFolder(join(this.folder, path));
    for (const path of new Set([...this.#others.keys()].map(dirname))) flushFolder(join(this.folder, path));
    renameSync(this.folder, join(this.dist, RELEASES, name));
    flushFolder(join(this.dist, RELEASES));
    return name;
  }

  #writeSums(sums: Sums): void {
    const file = new DigestedFile(join(this.folder, SUMS));
    try {
      let text = "";
      for (const line of encodeSums(sums)) {
        text += line;
        if (text.length < LENGTH) continue;
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
