/** A plain folder as a target. Files are written aside and renamed, and links in it are never followed. */
import { createHash } from "node:crypto";
import { closeSync, lstatSync, readdirSync, readSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { open, opendir, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { explainSystem, hasCode, isMissing, isSystemError, UserError } from "../../errors.js";
import { findDigest, openPlain, readReleaseFile, readReleaseFileSync } from "../../release/files.js";
import { OWNED, PagePaths, SNAPSHOT } from "../../release/layout.js";
import { flushFolder, replaceFile } from "../../release/write.js";
import { each } from "../../workers/at-most.js";
import { OWN_PREFIX, type PublishedFile, type ReleaseFiles } from "../files.js";
import { encodeOwned, isOrphan, listingsOf, type Owned, parseOwned } from "../owned.js";
import { AT_ONCE, explainPut, type FileState, type Target } from "../target.js";
import { FolderTree } from "./tree.js";

const ASIDE_PREFIX = `${OWN_PREFIX}new-`;
const CHUNK = 2 ** 16;

/** The folder need not exist yet, and may itself be a link. @throws UserError when it lies in `dist`, or is a file. */
export async function openTargetFolder(name: string, dist: string): Promise<FolderTarget> {
  const root = await realFolder(resolve(name));
  const releases = await realFolder(resolve(dist));
  if (`${root}/`.startsWith(`${releases}/`))
    throw new UserError(`${name} lies in ${dist}, whose releases never change; name a folder elsewhere.`);
  // Throws where something else is in its place.
  new FolderTree(name, root).has(".");
  return new FolderTarget(name, root);
}

/** A path with all links resolved. Parts of it that do not exist yet count as folders. */
async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return join(await realFolder(dirname(path)), basename(path));
  }
}

export class FolderTarget implements Target {
  readonly #tree: FolderTree;

  constructor(
    readonly name: string,
    readonly root: string,
  ) {
    this.#tree = new FolderTree(name, root);
  }

  async readOwned(): Promise<Owned | undefined> {
    if (!this.#tree.has(".")) return undefined;
    try {
      return parseOwned(String(await readReleaseFile(join(this.root, OWNED))), join(this.name, OWNED));
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (!hasCode(error, "ELOOP", "EISDIR", "ENXIO")) throw error;
      throw new UserError(`${join(this.name, OWNED)} is no file of Rollcall's; move it away.`, {
        cause: error,
      });
    }
  }

  readSnapshot(): Buffer | undefined {
    return readReleaseFileSync(join(this.root, SNAPSHOT));
  }

  async survey(...[files, found, signal]: Parameters<Target["survey"]>): Promise<void> {
    await each(files, AT_ONCE, async (file) => found(file, await this.#stateOf(file)), signal);
  }

  async *orphans(owned: Owned, files: ReleaseFiles): AsyncGenerator<string> {
    for (const folder of pageFolders(owned)) {
      if (!this.#tree.has(folder)) continue;
      for await (const entry of await opendir(join(this.root, folder))) {
        const path = `${folder}/${entry.name}`;
        if (!entry.isDirectory() && isOrphan(owned, files, path)) yield path;
      }
    }
    for (const path of owned.others) if (isOrphan(owned, files, path) && this.#isFile(path)) yield path;
  }

  async storeOwned(owned: Owned): Promise<void> {
    const folders = new Set([...pageFolders(owned), ...owned.others.map(dirname)]);
    for (const folder of folders) this.#sweep(folder);
    const root = this.#tree.make(".");
    replaceFile(join(root, OWNED), encodeOwned(owned), join(root, ASIDE_PREFIX + OWNED));
    flushFolder(this.root);
  }

  async put({ path, digest }: PublishedFile, from: string): Promise<number | undefined> {
    const folder = this.#tree.make(dirname(path));
    const aside = join(folder, ASIDE_PREFIX + basename(path));
    const written = await copyFlushed(from, aside);
    if (written?.digest !== digest) {
      rmSync(aside, { force: true });
      return undefined;
    }
    await rename(aside, join(folder, basename(path)));
    return written.bytes;
  }

  async remove(path: string): Promise<void> {
    await unlink(join(this.root, path));
    // Without a pause in between: other removals are under way, and one of them takes the last file of a folder.
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

  explain(error: unknown): unknown {
    // The error may also come from reading the release.
    const isElsewhere = isSystemError(error) && "path" in error && !`${error.path}`.startsWith(this.root);
    return isElsewhere ? explainSystem(error) : explainPut(this.name, error);
  }

  async #stateOf({ path, digest }: PublishedFile): Promise<FileState> {
    if (!this.#tree.has(dirname(path))) return "absent";
    if (findDigest(join(this.root, path), Buffer.allocUnsafe(CHUNK)) === digest) return "same";
    const stats = this.#find(path);
    if (stats?.isDirectory())
      throw new UserError(`${join(this.name, path)} is a folder, where a file belongs; move it away.`);
    return stats ? "different" : "absent";
  }

  #isFile(path: string): boolean {
    return this.#tree.has(dirname(path)) && this.#find(path)?.isDirectory() === false;
  }

  #find(path: string): Stats | undefined {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false });
  }

  /** Removes files that a killed run has left incomplete. */
  #sweep(folder: string): void {
    if (!this.#tree.has(folder)) return;
    const path = join(this.root, folder);
    for (const name of readdirSync(path)) if (name.startsWith(ASIDE_PREFIX)) rmSync(join(path, name));
  }
}

/** Copies a plain file to a path where nothing is yet, and flushes it; undefined when there is no such file. */
async function copyFlushed(from: string, to: string): Promise<{ digest: string; bytes: number } | undefined> {
  const copy = await open(to, "wx");
  let source: number | undefined;
  try {
    source = openPlain(from);
    if (source === undefined) return undefined;
    const memory = Buffer.allocUnsafe(CHUNK);
    const hash = createHash("sha256");
    let bytes = 0;
    for (let read = readSync(source, memory); read > 0; read = readSync(source, memory)) {
      const piece = memory.subarray(0, read);
      hash.update(piece);
      await copy.writeFile(piece);
      bytes += read;
    }
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

/** The folders of the pages of all listings that a target has. */
function pageFolders(owned: Owned): string[] {
  return listingsOf(owned).map(({ path }) => new PagePaths(path).folder);
}
