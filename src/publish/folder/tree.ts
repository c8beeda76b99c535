/** The folders of a target folder: found or made one by one, none of them a link that leads elsewhere. */
import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing, UserError } from "../../errors.js";
import { makeFolder } from "../../release/sharing.js";
import { flushFolder } from "../../release/write.js";

export class FolderTree {
  /** Several may ask for a folder at the same time: the first looks, and the first makes it. */
  readonly #found = new Map<string, Promise<boolean>>();
  readonly #made = new Map<string, Promise<string>>();
  readonly #touched = new Set<string>();

  /** @param name what messages call the root. */
  constructor(
    readonly name: string,
    readonly root: string,
  ) {}

  /**
   * Whether a folder is there. `.` is the root; others are like `api/users`.
   * @throws UserError when a part of its path is a link or a file.
   */
  has(folder: string): Promise<boolean> {
    const found = this.#found.get(folder) ?? this.#find(folder);
    this.#found.set(folder, found);
    return found;
  }

  /**
   * Makes a folder, unless it is there; it will be flushed.
   * @returns its absolute path.
   * @throws UserError as `has` does.
   */
  make(folder: string): Promise<string> {
    this.#touched.add(folder);
    const made = this.#made.get(folder) ?? this.#make(folder);
    this.#made.set(folder, made);
    return made;
  }

  /** Has a folder flushed though nothing was put there. */
  touch(folder: string): void {
    this.#touched.add(folder);
  }

  /** Takes note that a folder is gone. */
  forget(folder: string): void {
    this.#found.delete(folder);
    this.#made.delete(folder);
    this.#touched.delete(folder);
    this.touch(dirname(folder));
  }

  /** Makes the names in all folders that were made or touched outlast a loss of power. */
  flush(): void {
    for (const folder of this.#touched) flushFolder(join(this.root, folder));
    this.#touched.clear();
  }

  async #find(folder: string): Promise<boolean> {
    if (folder !== "." && !(await this.has(dirname(folder)))) return false;
    try {
      const stats = await lstat(join(this.root, folder));
      if (stats.isDirectory()) return true;
      const what = stats.isSymbolicLink() ? "a link, which is not followed" : "a file, where a folder belongs";
      const next = folder === "." ? "name a folder" : "move it away";
      throw new UserError(`${join(this.name, folder)} is ${what}; ${next}.`);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #make(folder: string): Promise<string> {
    const path = join(this.root, folder);
    if (await this.has(folder)) return path;
    if (folder === ".") await mkdir(path, { recursive: true });
    else makeFolder(await this.make(dirname(folder)), basename(folder));
    this.#found.set(folder, Promise.resolve(true));
    return path;
  }
}
