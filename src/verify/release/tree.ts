/** The files in a release's folder, with one byte of memory per page. */
import { join } from "node:path";
import { codeOf, UserError } from "../../errors.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CSV,
  EXPLORER,
  EXPLORER_FOLDER,
  LOOKUP_FOLDER,
} from "../../release/layout.js";
import { entriesOf, PageNames } from "../../release/page-names.js";

const FILE = "file";

/** The checks of artifacts, by the first part of a path. */
const GROUPS: ReadonlyMap<string, "bulk" | "changes" | "csv" | "explorer" | "lookup"> = new Map([
  [CSV, "csv"] as const,
  ...[BULK, BULK_FOLDER].map((name) => [name, "bulk"] as const),
  ...[CHANGES, CHANGES_FOLDER].map((name) => [name, "changes"] as const),
  ...[EXPLORER, EXPLORER_FOLDER].map((name) => [name, "explorer"] as const),
  [LOOKUP_FOLDER, "lookup"] as const,
]);

/** The check of an artifact's file; undefined for any other file. */
export function groupOf(path: string) {
  return GROUPS.get(path.split("/", 1).join());
}

/** Why a file is known to be absent, if it is: a copy of a host's files may not be complete. */
export type WhyAbsent = (path: string) => string | undefined;

/** Paths inside the release, each with `file` or what it is instead. Has no folders. */
export class Tree {
  size = 0;
  readonly #others = new Map<string, string>();
  /** Regular files with names of pages, by folder, with its final slash. */
  readonly #pages = new Map<string, PageNames>();

  private constructor(readonly whyAbsent: WhyAbsent) {}

  /** Reads a folder without following links. @throws UserError if it does not exist or cannot be read */
  static async read(folder: string, whyAbsent: WhyAbsent = () => undefined): Promise<Tree> {
    const tree = new Tree(whyAbsent);
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

  /** Whether a file is missing, and not known to be absent. */
  lacks(path: string): boolean {
    return !this.has(path) && this.whyAbsent(path) === undefined;
  }

  /** All paths with a prefix. */
  *keys(beginning = ""): Generator<string> {
    for (const path of this.#others.keys()) if (path.startsWith(beginning)) yield path;
    for (const [folder, pages] of this.#pages)
      if (folder.startsWith(beginning)) for (const name of pages.names()) yield folder + name;
  }

  /** The paths that `isSelected` selects, which must be few. */
  find(isSelected: (path: string) => boolean): string[] {
    const found: string[] = [];
    for (const path of this.keys()) if (isSelected(path)) found.push(path);
    return found;
  }

  *[Symbol.iterator](): Generator<[path: string, kind: string]> {
    for (const path of this.keys()) yield [path, this.get(path) ?? FILE];
  }

  /** The paths of regular files. */
  *files(): Generator<string> {
    for (const [path, kind] of this) if (kind === FILE) yield path;
  }

  /** Reads one folder. @param open gets its folders, to be read last first. */
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
    // Sorted, so that the order does not depend on the file system.
    open.push(...folders.sort());
    for (const [name, kind] of others.sort()) this.#others.set(name, kind);
    this.size += others.length;
    this.#pages.set(inside, pages);
  }
}
