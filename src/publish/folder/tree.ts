/** The folders inside a target folder. They are looked up and made one by one, and links are never followed. */
import { lstatSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError } from "../../errors.js";
import { makeFolder } from "../../release/sharing.js";
import { flushFolder } from "../../release/write.js";

/** Paths of folders are relative: `.` is the root, others look like `v1/stations`. */
export class FolderTree {
  readonly #known = new Map<string, boolean>();
  readonly #touched = new Set<string>();

  /** @param name how messages call the root. */
  constructor(
    readonly name: string,
    readonly root: string,
  ) {}

  /** Whether a folder exists. @throws UserError when a part of its path is a link or a file. */
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

  /** Flushes all folders that were made or touched, so that the names in them survive a loss of power. */
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
