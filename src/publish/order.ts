/** The order in which files are published: each has a number, and 1,000,000 pages take no more room than one. */
import { findPage, pagePath, SNAPSHOT, SUMS, type Variant } from "../release/layout.js";

/** What there is to be ordered. */
export interface Shape {
  pages: number;
  variants: readonly Variant[];
  /** Paths of files that are neither pages nor SHA256SUMS nor snapshot.json. */
  others: readonly string[];
}

/**
 * Others first, then pages, then SHA256SUMS and snapshot.json, which announce them. Pages go from the last to the
 * first: users come newest first, so new ones push older ones towards the end, and a reader who walks into pages that
 * have just changed meets a user twice, but misses none.
 */
export class FileOrder {
  readonly length: number;
  /** The number of the first file that announces the others. */
  readonly announcing: number;
  readonly #shape: Shape;
  readonly #otherIndex: ReadonlyMap<string, number>;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#otherIndex = new Map(shape.others.map((path, index) => [path, index]));
    this.announcing = shape.others.length + shape.pages * shape.variants.length;
    this.length = this.announcing + 2;
  }

  /** The path of a file by its number, from 0. */
  pathAt(index: number): string {
    if (index >= this.announcing) return index === this.announcing ? SUMS : SNAPSHOT;
    const { pages, variants, others } = this.#shape;
    const other = others[index];
    if (other !== undefined) return other;
    const position = index - others.length;
    return pagePath(pages - Math.floor(position / variants.length), variants[position % variants.length]);
  }

  /** The number of a file by its path, or undefined when it is none of them. */
  indexOf(path: string): number | undefined {
    if (path === SUMS || path === SNAPSHOT) return this.announcing + Number(path === SNAPSHOT);
    const { pages, variants, others } = this.#shape;
    const found = findPage(path);
    if (!found) return this.#otherIndex.get(path);
    const variant = variants.indexOf(found.variant);
    if (variant < 0 || found.page > pages) return undefined;
    return others.length + (pages - found.page) * variants.length + variant;
  }
}
