/** A plain folder as a target: each file written aside and renamed, and no link followed out of it. */
import { lstat, opendir, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { explainSystem, hasCode, isMissing, isSystemError, UserError } from "../../errors.js";
import { findDigest, readReleaseFile } from "../../release/files.js";
import { PAGES } from "../../release/layout.js";
import { flushFolder, replaceFile } from "../../release/write.js";
import { each } from "../../workers/at-most.js";
import type { PublishedFile, ReleaseFiles } from "../files.js";
import { asideName, isAside, OWNED } from "../names.js";
import { encodeOwned, isOrphan, type Owned, parseOwned } from "../owned.js";
import { explainPut } from "../refusals.js";
import { AT_ONCE, type Standing, type Target } from "../target.js";
import { copyFlushed } from "./copy.js";
import { FolderTree } from "./tree.js";

/** What is asked of memory for each file that is read. */
const PIECE = 2 ** 16;

/**
 * @param name the folder as it was typed; it need not be there yet, and may itself be a link.
 * @throws UserError when it lies in `dist`, whose releases are never changed.
 */
export async function openTargetFolder(name: string, dist: string): Promise<FolderTarget> {
  const root = await realFolder(resolve(name));
  const releases = await realFolder(resolve(dist));
  if (`${root}/`.startsWith(`${releases}/`))
    throw new UserError(`${name} lies in ${dist}, whose releases never change; name a folder elsewhere.`);
  return new FolderTarget(name, root);
}

/** Where a path leads once every link is followed; what is not there yet counts as folders to be made. */
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
    if (!(await this.#tree.has("."))) return undefined;
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

  async survey(...[files, found, signal]: Parameters<Target["survey"]>): Promise<void> {
    await each(files, AT_ONCE, async (file) => found(file, await this.#standing(file)), signal);
  }

  async *orphans(owned: Owned, files: ReleaseFiles): AsyncGenerator<string> {
    if (await this.#tree.has(PAGES)) {
      for await (const entry of await opendir(join(this.root, PAGES))) {
        const path = `${PAGES}/${entry.name}`;
        if (!entry.isDirectory() && isOrphan(owned, files, path)) yield path;
      }
    }
    for (const path of owned.others) if (isOrphan(owned, files, path) && (await this.#has(path))) yield path;
  }

  async storeOwned(owned: Owned): Promise<void> {
    const folders = new Set([PAGES, ...owned.others.map(dirname)]);
    for (const folder of folders) await this.#sweep(folder);
    const root = await this.#tree.make(".");
    replaceFile(join(root, OWNED), encodeOwned(owned), join(root, asideName(OWNED)));
    flushFolder(this.root);
  }

  async put({ path, digest }: PublishedFile, from: string): Promise<number | undefined> {
    const folder = await this.#tree.make(dirname(path));
    const aside = join(folder, asideName(basename(path)));
    const written = await copyFlushed(from, aside, Buffer.allocUnsafe(PIECE));
    if (written?.digest !== digest) {
      await unlinkIfThere(aside);
      return undefined;
    }
    await rename(aside, join(folder, basename(path)));
    return written.bytes;
  }

  async remove(path: string): Promise<void> {
    await unlink(join(this.root, path));
    this.#tree.touch(dirname(path));
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      if (!(await removeIfEmpty(join(this.root, folder)))) break;
      this.#tree.forget(folder);
    }
  }

  async flush(): Promise<void> {
    this.#tree.flush();
  }

  explain(error: unknown): unknown {
    // What is read from the release may be refused, too.
    const isElsewhere = isSystemError(error) && "path" in error && !`${error.path}`.startsWith(this.root);
    return isElsewhere ? explainSystem(error) : explainPut(this.name, error);
  }

  async #standing({ path, digest }: PublishedFile): Promise<Standing> {
    if (!(await this.#tree.has(dirname(path)))) return "absent";
    const place = join(this.root, path);
    if ((await findDigest(place, Buffer.allocUnsafe(PIECE))) === digest) return "same";
    const stats = await findStats(place);
    if (stats?.isDirectory())
      throw new UserError(`${join(this.name, path)} is a folder, where a file belongs; move it away.`);
    return stats ? "different" : "absent";
  }

  /** Whether a file or a link is there. */
  async #has(path: string): Promise<boolean> {
    if (!(await this.#tree.has(dirname(path)))) return false;
    const stats = await findStats(join(this.root, path));
    return stats !== undefined && !stats.isDirectory();
  }

  /** Removes what a killed run was writing. */
  async #sweep(folder: string): Promise<void> {
    if (!(await this.#tree.has(folder))) return;
    for (const name of await readdir(join(this.root, folder)))
      if (isAside(name)) await unlink(join(this.root, folder, name));
  }
}

async function findStats(path: string) {
  return lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

async function removeIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) return false;
    throw error;
  }
}
