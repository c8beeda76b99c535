/** The files of a release as a target gets them: in the order of publishing, each with a number. */
import { createHash } from "node:crypto";
import { UserError } from "../errors.js";
import { encodeSums } from "../release/digests.js";
import { findPage, pagePath, SNAPSHOT, SUMS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { isPublishable } from "./names.js";

export interface PublishedFile {
  /** From 0, in the order of publishing. */
  index: number;
  /** Inside the release, with `/`. */
  path: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
}

/**
 * What SHA256SUMS lists, and SHA256SUMS itself. Pages go from the last to the first: users come newest first, so that
 * new ones push older ones towards the end, and a reader who walks towards a page that has just changed meets one of
 * them twice, but misses none. SHA256SUMS and snapshot.json, which announce the release, are the last two.
 */
export class ReleaseFiles {
  readonly folder: string;
  readonly length: number;
  /** The index of the first file that announces the release. */
  readonly announcing: number;
  readonly #release: Release;
  readonly #others: readonly [path: string, digest: string][];
  readonly #otherIndex: ReadonlyMap<string, number>;
  readonly #sumsDigest: string;

  /** @throws UserError when a name in SHA256SUMS leads out of the release, or is one that Rollcall keeps for itself. */
  constructor(release: Release) {
    const { pages, others } = release.sums;
    this.folder = release.folder;
    this.#release = release;
    const hash = createHash("sha256");
    for (const line of encodeSums(release.sums)) hash.update(line);
    this.#sumsDigest = hash.digest("hex");
    this.#others = [...others].filter(([path]) => path !== SNAPSHOT);
    for (const [path] of this.#others) requireName(path);
    this.#otherIndex = new Map(this.#others.map(([path], index) => [path, index]));
    this.announcing = this.#others.length + pages.pages * pages.variants.length;
    this.length = this.announcing + 2;
  }

  get snapshot(): Release["snapshot"] {
    return this.#release.snapshot;
  }

  /** The names of all files that are no pages. */
  get others(): string[] {
    return [...this.#others.map(([path]) => path), SUMS, SNAPSHOT];
  }

  *[Symbol.iterator](): Generator<PublishedFile> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  /** The file of that number. */
  at(index: number): PublishedFile {
    const { pages, others } = this.#release.sums;
    const other = this.#others[index];
    if (other) return { index, path: other[0], digest: other[1] };
    if (index === this.announcing) return { index, path: SUMS, digest: this.#sumsDigest };
    if (index > this.announcing) return { index, path: SNAPSHOT, digest: others.get(SNAPSHOT) ?? "" };
    const position = index - this.#others.length;
    const page = pages.pages - Math.floor(position / pages.variants.length);
    const variant = pages.variants[position % pages.variants.length] ?? "identity";
    return { index, path: pagePath(page, variant), digest: pages.get(page, variant) ?? "" };
  }

  /** The number of the file of that name, or undefined when the release has none. */
  indexOf(path: string): number | undefined {
    if (path === SUMS) return this.announcing;
    if (path === SNAPSHOT) return this.announcing + 1;
    const { pages, variants } = this.#release.sums.pages;
    const found = findPage(path);
    if (!found) return this.#otherIndex.get(path);
    const variant = variants.indexOf(found.variant);
    if (variant < 0 || found.page > pages) return undefined;
    return this.#others.length + (pages - found.page) * variants.length + variant;
  }
}

function requireName(path: string): void {
  if (!isPublishable(path))
    throw new UserError(
      `SHA256SUMS lists ${JSON.stringify(path)}, which is no name for a file; build again.`,
    );
}
