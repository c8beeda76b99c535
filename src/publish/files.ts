/** The files of a release as a target gets them: what SHA256SUMS lists, and SHA256SUMS itself. */
import { createHash } from "node:crypto";
import { UserError } from "../errors.js";
import { encodeSums } from "../release/digests.js";
import { findPage, SNAPSHOT, SUMS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { isPublishable } from "./names.js";
import { FileOrder, type Shape } from "./order.js";

export interface PublishedFile {
  /** From 0, in the order of publishing. */
  index: number;
  /** Inside the release, with `/`. */
  path: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
}

export class ReleaseFiles extends FileOrder {
  readonly folder: string;
  readonly snapshot: Release["snapshot"];
  readonly shape: Shape;
  readonly #sums: Release["sums"];
  readonly #sumsDigest: string;

  /** @throws UserError when a name in SHA256SUMS is none that may be published. */
  constructor({ folder, snapshot, sums }: Release) {
    const others = [...sums.others.keys()].filter((path) => path !== SNAPSHOT);
    for (const path of others) requireName(path);
    const shape = { pages: sums.pages.pages, variants: sums.pages.variants, others };
    super(shape);
    this.shape = shape;
    this.folder = folder;
    this.snapshot = snapshot;
    this.#sums = sums;
    const hash = createHash("sha256");
    for (const line of encodeSums(sums)) hash.update(line);
    this.#sumsDigest = hash.digest("hex");
  }

  /** The file of that number. */
  at(index: number): PublishedFile {
    const path = this.pathAt(index);
    return { index, path, digest: this.#digestOf(path) };
  }

  *[Symbol.iterator](): Generator<PublishedFile> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  #digestOf(path: string): string {
    if (path === SUMS) return this.#sumsDigest;
    const { pages, others } = this.#sums;
    const found = findPage(path);
    return (found ? pages.get(found.page, found.variant) : others.get(path)) ?? "";
  }
}

function requireName(path: string): void {
  if (!isPublishable(path))
    throw new UserError(`SHA256SUMS lists ${JSON.stringify(path)}, which is no name for a file; build again.`);
}
