/** What is in a release's folder, in memory that hardly grows with the number of pages. */
import { join } from "node:path";
import { codeOf, UserError } from "../../errors.js";
import { entriesOf, PageNames } from "../../release/page-names.js";

const FILE = "file";

/** What there is by path inside the release: `file`, or what it is instead. Folders are left out. */
export class Tree {
  size = 0;
  readonly #others = new Map<string, string>();
  /** Plain files with names of pages, by their folder, with its final slash. */
  readonly #pages = new Map<string, PageNames>();

  /** Follows no link. @throws UserError when the folder is not there, is none, or may not be read. */
  static async read(folder: string): Promise<Tree> {
    const tree = new Tree();
    const open = [""];
    for (let inside = open.pop(); inside !== undefined; inside = open.pop()) {
      const path = join(folder, inside);
      try {
        await tree.#readFolder(path, inside, open);
      } catch (cause) {
        throw new UserError(`${path} cannot be read (${codeOf(cause)}).`, { cause });
      }
    }
    return tree;
  }

  get(path: string): string | undefined {
    const at = path.lastIndexOf("/") + 1;
    return this.#pages.get(path.slice(0, at))?.hasName(path.slice(at)) ? FILE : this.#others.get(path);
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  /** All paths that begin with a text. */
  *keys(beginning = ""): Generator<string> {
    for (const path of this.#others.keys()) if (path.startsWith(beginning)) yield path;
    for (const [folder, pages] of this.#pages)
      if (folder.startsWith(beginning)) for (const name of pages.names()) yield folder + name;
  }

  *[Symbol.iterator](): Generator<[path: string, kind: string]> {
    for (const path of this.keys()) yield [path, this.get(path) ?? FILE];
  }

  /** The paths of plain files. */
  *files(): Generator<string> {
    for (const [path, kind] of this) if (kind === FILE) yield path;
  }

  /** @param open takes the folders in it, so that the last one is read first. */
  async #readFolder(path: string, inside: string, open: string[]): Promise<void> {
    const pages = new PageNames();
    const [folders, others]: [string[], (readonly [string, string])[]] = [[], []];
    for await (const some of entriesOf(path))
      for (const entry of some) {
        const name = inside + entry.name;
        if (entry.isDirectory()) folders.push(`${name}/`);
        else if (!entry.isFile()) others.push([name, entry.isSymbolicLink() ? "a symbolic link" : "no plain file"]);
        else if (pages.add(entry.name)) this.size++;
        else others.push([name, FILE]);
      }
    // In one order on every file system.
    open.push(...folders.sort());
    for (const [name, kind] of others.sort()) this.#others.set(name, kind);
    this.size += others.length;
    this.#pages.set(inside, pages);
  }
}
