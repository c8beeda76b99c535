/** The folders inside a target folder. They are looked up and made one by one, and links are never followed. */
import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing, UserError } from "../../errors.js";
import { makeFolder } from "../../release/sharing.js";
import { flushFolder } from "../../release/write.js";

export class FolderTree {
  /** Promises, so that several callers can ask for a folder at the same time. */
  readonly #found = new Map<string, Promise<boolean>>();
  readonly #made = new Map<string, Promise<string>>();
  readonly #touched = new Set<string>();

  /** @param name how messages call the root. */
  constructor(
    readonly name: string,
    readonly root: string,
  ) {}

  /**
   * Whether a folder exists. `.` is the root; other paths look like `api/users`.
   * @throws UserError when a part of its path is a link or a file.
   */
  has(folder: string): Promise<boolean> {
    const found = this.#found.get(folder) ?? this.#find(folder);
    this.#found.set(folder, found);
    return found;
  }

  /**
   * Makes a folder, unless it exists, and remembers to flush it.
   * @returns its absolute path.
   * @throws UserError as `has` does.
   */
  make(folder: string): Promise<string> {
    this.#touched.add(folder);
    const made = this.#made.get(folder) ?? this.#make(folder);
    this.#made.set(folder, made);
    return made;
  }

  /** Remembers to flush a folder. */
  touch(folder: string): void {
    this.#touched.add(folder);
  }

  /** Records that a folder was removed. */
  forget(folder: string): void {
    this.#found.delete(folder);
    this.#made.delete(folder);
    this.#touched.delete(folder);
    this.touch(dirname(folder));
  }

  /** Flushes all folders that were made or touched, so that the names in them survive a loss of power. */
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
