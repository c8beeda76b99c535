/** A release while it is being written: a staging folder that is renamed to its final name once it is complete. */
import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEFAULT_PATH } from "../contract/links.js";
import { PagePaths, RELEASE_NAME, RELEASES, SIGNATURE, SNAPSHOT, STAGING, SUMS, TRASH_PREFIX } from "./layout.js";
import { folderName } from "./name.js";
import type { Release } from "./open.js";
import { hashPlain, sha256 } from "./plain-files.js";
import { remove } from "./refusals.js";
import { makeFolder } from "./sharing.js";
import type { ListedFolder } from "./site.js";
import { encodeSums, type PageDigests, type Sums } from "./sums.js";
import { carryFile, giveTimes } from "./times.js";
import { asidePath, DigestedFile, flushFolder, writeFlushedSync } from "./writer.js";

export class Staging {
  readonly #folder: string;

  /**
   * Prepares `dist` for a new release. Needs its lock.
   * @param untidied gets a line for each path that cannot be removed, now or later
   */
  constructor(
    private readonly dist: string,
    private readonly untidied: string[],
  ) {
    this.#folder = join(dist, STAGING);
    makeFolder(dist, RELEASES);
    this.#clear("");
    removeTrash(dist, untidied);
  }

  /**
   * Begins a listing, or the files at the top of a site.
   * @param name of the listing: its folder, such as `v1/orders`; empty for the top.
   * @param path of the listing below its own base URL; undefined for the top, which has no pages.
   * @param before what the last release had in this folder: unchanged files are linked from it.
   */
  begin(name: string, path: string | undefined, before: Before | undefined): StagedFiles {
    join(STAGING, name).split("/").reduce(makeFolder, this.dist);
    return new StagedFiles(join(this.#folder, name), path, before, () => this.#clear(name));
  }

  /** Removes the staging folder. Does not throw: the next build removes what is left. */
  discard(): void {
    remove(this.#folder, this.untidied);
  }

  /**
   * Writes the release's name, gives new files their time, flushes all folders, and renames the staging folder.
   * @param parts of the release: its listings, and the files at the top.
   * @returns the name of its folder.
   */
  finish(id: string, parts: readonly ListedFolder[], now: Date): string {
    const name = this.#freeName(now, id);
    writeFlushedSync(join(this.#folder, RELEASE_NAME), [`${name}\n`]);
    giveTimes(this.dist, this.#folder, parts, now);
    for (const folder of foldersOf(parts)) flushFolder(join(this.#folder, folder));
    renameSync(this.#folder, join(this.dist, RELEASES, name));
    flushFolder(join(this.dist, RELEASES));
    return name;
  }

  /** Makes an empty folder. Renames an old one to trash instead of removing it, since removing may fail halfway. */
  #clear(name: string): void {
    const folder = join(this.#folder, name);
    const trash = join(this.dist, TRASH_PREFIX + randomUUID());
    if (lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, trash);
    join(STAGING, name).split("/").reduce(makeFolder, this.dist);
    remove(trash, this.untidied);
  }

  /** A name that is not taken. Data that changes back and forth can make two releases of one id in a second; then the time is moved on. */
  #freeName(now: Date, id: string): string {
    const taken = new Set(readdirSync(join(this.dist, RELEASES)));
    let time = now;
    while (taken.has(folderName(time, id))) time = new Date(time.getTime() + 1000);
    return folderName(time, id);
  }
}

/** The folders of all files of a release. */
function foldersOf(parts: readonly ListedFolder[]): Set<string> {
  const folders = new Set<string>();
  const add = (path: string) => {
    for (let folder = path; !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  };
  for (const { name, sums, unlisted } of parts) {
    for (const { path } of sums.paths.folders(sums.pages.pages)) add(join(name, path));
    for (const path of [...unlisted, ...sums.others.keys()]) add(dirname(join(name, path)));
  }
  return folders;
}

/** What the last release had in a folder. */
export type Before = Pick<Release, "folder" | "sums">;

/** The files of a listing, or at the top of a site, while they are being written. */
export class StagedFiles {
  readonly #others = new Map<string, string>();
  readonly #paths: PagePaths;

  constructor(
    readonly folder: string,
    private readonly path: string | undefined,
    private readonly before: Before | undefined,
    private readonly empty: () => void,
  ) {
    this.#paths = new PagePaths(path ?? DEFAULT_PATH);
    this.#makePageFolder();
  }

  /** Removes all files and starts again. */
  clear(): void {
    this.#others.clear();
    this.empty();
    this.#makePageFolder();
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

  /** The SHA-256 of a complete file that is not a page; undefined for any other. */
  digestOf(path: string): string | undefined {
    return this.#others.get(path);
  }

  /** Lists a file that is not a page and has already been written. */
  listOther(path: string, digest: string): void {
    this.#others.set(path, digest);
  }

  /** The digests of the files so far. Files that are not pages are sorted by path. */
  sums(pages: PageDigests): Sums {
    return { paths: this.#paths, pages, others: new Map([...this.#others].sort()) };
  }

  /**
   * Writes snapshot.json, SHA256SUMS and its signature.
   * @param snapshot the text of snapshot.json.
   * @param sign makes the signature of SHA256SUMS, if the release is to be signed.
   */
  finish(snapshot: string, pages: PageDigests, sign?: (sums: Uint8Array) => string): Sums {
    this.put(SNAPSHOT, snapshot);
    const sums = this.sums(pages);
    writeFlushedSync(join(this.folder, SUMS), encodeSums(sums));
    // Signs the bytes in memory: another process could have replaced the file.
    if (sign) writeFlushedSync(join(this.folder, SIGNATURE), [sign(Buffer.from([...encodeSums(sums)].join("")))]);
    return sums;
  }

  #makePageFolder(): void {
    if (this.path !== undefined) this.#paths.folder.split("/").reduce(makeFolder, this.folder);
  }

  #place(path: string): string {
    if (path.includes("/")) dirname(path).split("/").reduce(makeFolder, this.folder);
    return join(this.folder, path);
  }

  /** Carries a file over from the previous release, if it has these bytes there. @returns false if it has not. */
  #carry(path: string, digest: string, place: string): boolean {
    if (this.before?.sums.others.get(path) !== digest) return false;
    const before = join(this.before.folder, path);
    if (hashPlain(before) !== digest) return false;
    carryFile(before, place);
    return true;
  }
}

/** Removes trash that killed runs have left in `dist`. Needs its lock. @returns the names of the trash folders. */
export function removeTrash(dist: string, untidied: string[]): string[] {
  const names = readdirSync(dist).filter((name) => name.startsWith(TRASH_PREFIX));
  for (const name of names) remove(join(dist, name), untidied);
  return names;
}
