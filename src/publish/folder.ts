/** A folder as a publish target. Writes files to temporary names and renames them, and never follows links in it. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { open, opendir, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode, isMissing, isSystemError, UserError } from "../errors.js";
import { OWNED, PagePaths, SNAPSHOT } from "../release/layout.js";
import { lockTarget } from "../release/lock.js";
import { hashPlain, openPlain, readBlocks, readPlain } from "../release/plain-files.js";
import { explainWrite } from "../release/refusals.js";
import { makeFolder } from "../release/sharing.js";
import { PublishedTimes } from "../release/times.js";
import { flushFolder, replaceFile } from "../release/writer.js";
import { OWN_PREFIX, type PublishedFile, type ReleaseFiles } from "./order.js";
import { encodeOwned, listingsOf, type Owned, parseOwned } from "./owned.js";
import { type FileState, PUBLISH_WORDS, type Target } from "./target.js";

const ASIDE_PREFIX = `${OWN_PREFIX}new-`;
const CHUNK = 2 ** 16;

/** Opens a folder as a target. It need not exist yet, and may be a link. @throws UserError if it is in `dist`, or is a file. */
export async function openTargetFolder(name: string, dist: string): Promise<FolderTarget> {
  const root = await realFolder(resolve(name));
  const releases = await realFolder(resolve(dist));
  if (`${root}/`.startsWith(`${releases}/`))
    throw new UserError(`${name} is inside ${dist}, whose releases must not change; name a folder elsewhere.`);
  // Throws if the path is a file or a link.
  new FolderTree(name, root).has(".");
  return new FolderTarget(name, root);
}

/** Resolves all links in a path. Parts that do not exist yet count as folders. */
async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return join(await realFolder(dirname(path)), basename(path));
  }
}

/** A folder as a target of `rollcall publish`. */
export class FolderTarget implements Target {
  readonly isShared = false;
  readonly #tree: FolderTree;
  #release = () => {};
  #folder = "";
  #times = new PublishedTimes();

  constructor(
    readonly name: string,
    private readonly root: string,
  ) {
    this.#tree = new FolderTree(name, root);
  }

  async lock(now: Date): Promise<Owned | undefined> {
    this.#release = lockTarget(this.root, now, this.name);
    return this.readOwned();
  }

  async unlock(): Promise<void> {
    this.#release();
    this.#release = () => {};
  }

  async readOwned(): Promise<Owned | undefined> {
    const name = join(this.name, OWNED);
    const bytes = readPlain(join(this.root, OWNED));
    if (!bytes && this.#find(OWNED)) throw new UserError(`${name} is not a file; move it away.`);
    return bytes && parseOwned(String(bytes), name);
  }

  async readSnapshot(): Promise<Buffer | undefined> {
    return readPlain(join(this.root, SNAPSHOT));
  }

  async *list({ folder: release }: ReleaseFiles, owned: Owned | undefined): AsyncGenerator<string> {
    this.#folder = release;
    this.#times = new PublishedTimes(owned?.time);
    if (!owned) return;
    for (const folder of pageFolders(owned)) {
      if (!this.#tree.has(folder)) continue;
      for await (const entry of await opendir(join(this.root, folder)))
        if (!entry.isDirectory()) yield `${folder}/${entry.name}`;
    }
    for (const path of owned.others)
      if (this.#tree.has(dirname(path)) && this.#find(path)?.isDirectory() === false) yield path;
  }

  async stateOf({ path, digest }: PublishedFile): Promise<FileState> {
    this.#times.seeNew(path, lstatSync(join(this.#folder, path)));
    if (!this.#tree.has(dirname(path))) return "absent";
    const stats = this.#find(path);
    if (stats) this.#times.seeOld(path, stats);
    if (hashPlain(join(this.root, path)) === digest) return "same";
    if (stats?.isDirectory())
      throw new UserError(`${join(this.name, path)} is a folder, where a file belongs; move it away.`);
    return stats ? "different" : "absent";
  }

  async storeOwned(owned: Owned): Promise<void> {
    const folders = new Set([...pageFolders(owned), ...owned.others.map(dirname)]);
    for (const folder of folders) this.#removeTemporary(folder);
    const root = this.#tree.make(".");
    const time = owned.complete ? this.#times.highest : this.#times.reserved;
    replaceFile(join(root, OWNED), encodeOwned({ ...owned, time }), join(root, ASIDE_PREFIX + OWNED));
    flushFolder(this.root);
  }

  async put({ path, digest }: PublishedFile, from: string): Promise<number | undefined> {
    const folder = this.#tree.make(dirname(path));
    const aside = join(folder, ASIDE_PREFIX + basename(path));
    const written = await copyFlushed(from, aside, (stats) => this.#times.timeOf(path, stats));
    if (written?.digest !== digest) {
      rmSync(aside, { force: true });
      return undefined;
    }
    await rename(aside, join(folder, basename(path)));
    return written.bytes;
  }

  async remove(path: string): Promise<void> {
    await unlink(join(this.root, path));
    // Synchronous: other removals run concurrently, and one of them removes the last file of a folder.
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const left = folder === "." ? "full" : removeIfEmpty(join(this.root, folder));
      if (left === "full") this.#tree.touch(folder);
      if (left !== "removed") break;
      this.#tree.forget(folder);
    }
  }

  async flush(): Promise<void> {
    this.#tree.flush();
  }

  close(): Promise<void> {
    return this.unlock();
  }

  explain(error: unknown): unknown {
    // The error may also come from reading the release.
    const isElsewhere = isSystemError(error) && "path" in error && !`${error.path}`.startsWith(this.root);
    return isElsewhere ? error : explainWrite(this.name, error, PUBLISH_WORDS);
  }

  #find(path: string): Stats | undefined {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false });
  }

  /** Removes temporary files that a killed run has left in a folder. */
  #removeTemporary(folder: string): void {
    if (!this.#tree.has(folder)) return;
    const path = join(this.root, folder);
    for (const name of readdirSync(path)) if (name.startsWith(ASIDE_PREFIX)) rmSync(join(path, name));
  }
}

/**
 * The folders inside a target folder. Looks them up and makes them one by one, never following links. Paths are relative:
 * `.` is the root, others look like `v1/stations`.
 */
class FolderTree {
  readonly #known = new Map<string, boolean>();
  readonly #touched = new Set<string>();

  /** @param name the name of the root in messages. */
  constructor(
    readonly name: string,
    readonly root: string,
  ) {}

  /** Whether a folder exists. @throws UserError if a part of its path is a link or a file. */
  has(folder: string): boolean {
    const known = this.#known.get(folder) ?? this.#exists(folder);
    this.#known.set(folder, known);
    return known;
  }

  /** Makes a folder, unless it exists, and remembers to flush it. Returns its absolute path. */
  make(folder: string): string {
    this.#touched.add(folder);
    const path = join(this.root, folder);
    if (this.has(folder)) return path;
    if (folder === ".") mkdirSync(path, { recursive: true });
    else makeFolder(this.make(dirname(folder)), basename(folder));
    this.#known.set(folder, true);
    return path;
  }

  touch(folder: string): void {
    this.#touched.add(folder);
  }

  forget(folder: string): void {
    this.#known.delete(folder);
    this.#touched.delete(folder);
  }

  /** Flushes all folders that were made or touched, so that file names in them survive a power failure. */
  flush(): void {
    for (const folder of this.#touched) flushFolder(join(this.root, folder));
    this.#touched.clear();
  }

  #exists(folder: string): boolean {
    if (folder !== "." && !this.has(dirname(folder))) return false;
    const stats = lstatSync(join(this.root, folder), { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory()) return stats !== undefined;
    const what = stats.isSymbolicLink() ? "a link, which is not followed" : "a file, where a folder belongs";
    const next = folder === "." ? "name a folder" : "move it away";
    throw new UserError(`${join(this.name, folder)} is ${what}; ${next}.`);
  }
}

/** Copies a regular file to a new path with the time that `timeOf` gives, and flushes it; undefined if it does not exist. */
async function copyFlushed(
  from: string,
  to: string,
  timeOf: (stats: Stats) => number,
): Promise<{ digest: string; bytes: number } | undefined> {
  const copy = await open(to, "wx");
  let source: number | undefined;
  try {
    source = openPlain(from);
    if (source === undefined) return undefined;
    const hash = createHash("sha256");
    let bytes = 0;
    for (const piece of readBlocks(source, 0, Buffer.allocUnsafe(CHUNK))) {
      hash.update(piece);
      await copy.writeFile(piece);
      bytes += piece.length;
    }
    const time = timeOf(fstatSync(source));
    await copy.utimes(time, time);
    await copy.sync();
    return { digest: hash.digest("hex"), bytes };
  } finally {
    if (source !== undefined) closeSync(source);
    await copy.close();
  }
}

function removeIfEmpty(path: string): "removed" | "full" | "gone" {
  try {
    rmdirSync(path);
    return "removed";
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST")) return "full";
    if (hasCode(error, "ENOENT")) return "gone";
    throw error;
  }
}

/** The folders of pages of all listings in a target. */
function pageFolders(owned: Owned): string[] {
  return listingsOf(owned).map(({ path }) => new PagePaths(path).folder);
}
