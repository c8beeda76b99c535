/** A folder as a publish target. Writes files to temporary names and renames them, and never follows links in it. */
import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { open, opendir, realpath, rename, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode, isMissing, isSystemError, UserError } from "../core/errors.js";
import { OWNED, PagePaths, SNAPSHOT, TARGET_LOCK } from "../core/release/layout.js";
import { hashPlain, openPlain, readBlocks, readPlain } from "../core/release/plain-files.js";
import { explainWrite } from "../core/release/refusals.js";
import { makeFolder } from "../core/release/sharing.js";
import { PublishedTimes } from "../core/release/times.js";
import { flushFolder, replaceFile } from "../core/release/writer.js";
import { type FolderLock, lockFolder } from "./folder-lock.js";
import type { LockTimes } from "./holder.js";
import { OWN_PREFIX } from "./order.js";
import { encodeOwned, type Owned, ownedPages, parseOwned } from "./owned.js";
import { PUBLISH_WORDS, type PublishOptions, type Target } from "./target.js";

const ASIDE_PREFIX = `${OWN_PREFIX}new-`;
const CHUNK = 2 ** 16;

interface FolderOptions extends Pick<PublishOptions, "takeOver">, LockTimes {}

/**
 * Opens a folder as a target. It need not exist yet, and may be a link.
 * @param release the folder of the release to publish.
 * @throws UserError if it is in `dist`, or is a file.
 */
export async function openTargetFolder(
  name: string,
  dist: string,
  release: string,
  options: FolderOptions,
): Promise<Target> {
  const root = await realFolder(resolve(name));
  const releases = await realFolder(resolve(dist));
  if (`${root}/`.startsWith(`${releases}/`))
    throw new UserError(`${name} is inside ${dist}, whose releases must not change; name a folder elsewhere.`);
  const tree = new FolderTree(name, root);
  // Throws if the path is a file or a link.
  tree.has(".");
  return folderTarget(tree, release, options);
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
function folderTarget(tree: FolderTree, release: string, { takeOver = false, ...lockTimes }: FolderOptions): Target {
  const { name, root } = tree;
  const find = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false });
  /** The beginning of names of this run's temporary files. */
  const temporary = `${ASIDE_PREFIX}${randomUUID()}-`;
  let lock: FolderLock | undefined;
  let times = new PublishedTimes();

  const unlock = async () => {
    lock?.release();
    lock = undefined;
  };

  const readOwned = async () => {
    const shown = join(name, OWNED);
    const bytes = readPlain(join(root, OWNED));
    if (!bytes && find(OWNED)) throw new UserError(`${shown} is not a file; move it away.`);
    return bytes && parseOwned(String(bytes), shown);
  };

  /** Removes temporary files that a killed run has left in a folder. */
  const removeTemporary = (folder: string) => {
    if (!tree.has(folder)) return;
    const path = join(root, folder);
    for (const file of readdirSync(path)) if (file.startsWith(ASIDE_PREFIX)) rmSync(join(path, file));
  };

  return {
    name,
    isShared: false,
    // The lock is a file of this run.
    ignoresCase: () => [TARGET_LOCK, OWNED].some((file) => hasOneCase(join(root, file))),
    unlock,
    close: unlock,
    readOwned,

    async lock(now, onTakeOver = () => {}) {
      lock = await lockFolder(root, { name, now, takeOver, onTakeOver, temporary: ASIDE_PREFIX, ...lockTimes });
      return readOwned();
    },

    async readSnapshot() {
      return readPlain(join(root, SNAPSHOT));
    },

    async *list(owned) {
      times = new PublishedTimes(owned?.time);
      if (!owned) return;
      for (const folder of pageFolders(owned)) {
        if (!tree.has(folder)) continue;
        for await (const entry of await opendir(join(root, folder)))
          if (!entry.isDirectory()) yield `${folder}/${entry.name}`;
      }
      for (const path of owned.others) if (tree.has(dirname(path)) && find(path)?.isDirectory() === false) yield path;
    },

    async stateOf({ path, digest }) {
      times.seeNew(path, lstatSync(join(release, path)));
      if (!tree.has(dirname(path))) return "absent";
      const stats = find(path);
      if (stats) times.seeOld(path, stats);
      if (hashPlain(join(root, path)) === digest) return "same";
      if (stats?.isDirectory())
        throw new UserError(`${join(name, path)} is a folder, where a file belongs; move it away.`);
      return stats ? "different" : "absent";
    },

    async storeOwned(owned) {
      lock?.requireHeld();
      const folders = new Set([...pageFolders(owned), ...owned.others.map(dirname)]);
      for (const folder of folders) removeTemporary(folder);
      tree.make(".");
      const time = owned.complete ? times.highest : times.reserved;
      replaceFile(join(root, OWNED), encodeOwned({ ...owned, time }), join(root, temporary + OWNED));
      flushFolder(root);
    },

    async put({ path, digest }, from) {
      lock?.requireHeld();
      const folder = tree.make(dirname(path));
      const aside = join(folder, temporary + basename(path));
      try {
        const written = await copyFlushed(from, aside, (stats) => times.timeOf(path, stats));
        if (written?.digest !== digest) return undefined;
        lock?.requireHeld();
        await rename(aside, join(folder, basename(path)));
        return written.bytes;
      } finally {
        rmSync(aside, { force: true });
      }
    },

    async remove(path) {
      lock?.requireHeld();
      await unlink(join(root, path));
      // Synchronous: other removals run concurrently, and one of them removes the last file of a folder.
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        const left = folder === "." ? "full" : removeIfEmpty(join(root, folder));
        if (left === "full") tree.touch(folder);
        if (left !== "removed") break;
        tree.forget(folder);
      }
    },

    async flush() {
      lock?.requireHeld();
      tree.flush();
    },

    explain(error) {
      // The error may also come from reading the release.
      const isElsewhere = isSystemError(error) && "path" in error && !`${error.path}`.startsWith(root);
      return isElsewhere ? error : explainWrite(name, error, PUBLISH_WORDS);
    },
  };
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

/** Whether a file is also found by its name in upper case. */
function hasOneCase(path: string): boolean {
  const find = (name: string) => statSync(join(dirname(path), name), { throwIfNoEntry: false });
  const found = find(basename(path));
  return found !== undefined && found.ino === find(basename(path).toUpperCase())?.ino;
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

/** The folders of pages of all listings and views in a target. */
function pageFolders(owned: Owned): string[] {
  return [...ownedPages(owned)].map(({ path }) => new PagePaths(path).folder);
}
