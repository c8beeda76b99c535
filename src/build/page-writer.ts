/** Pages to files: what is new is written, what the last release has already is linked from it. */
import { join } from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Encoding } from "../contract/headers.js";
import { PageDigests } from "../release/digests.js";
import { findIntact, sha256 } from "../release/files.js";
import { pagePath, type Variant } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { Staging } from "../release/staging.js";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Qualities at which text of this kind is small and a build is not slow. */
const COMPRESS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => gzip(bytes, { level: 6 }),
};

/** Pages under way at once: enough for the disk to group its flushes, few enough to be held in memory. */
const AT_ONCE = 16;

interface Content {
  bytes: Buffer;
  digest: string;
}

export class PageWriter {
  readonly digests: PageDigests;
  /** Bytes of all page files, files taken over by a link, and files whose bytes the last release did not have. */
  readonly totals = { bytes: 0, linked: 0, changed: 0 };
  readonly #staging: Staging;
  readonly #previous: Release | undefined;
  readonly #encodings: readonly Encoding[];

  /** @param previous the release to link unchanged files from. */
  constructor(
    staging: Staging,
    previous: Release | undefined,
    pages: number,
    encodings: readonly Encoding[],
  ) {
    this.#staging = staging;
    this.#previous = previous;
    this.#encodings = encodings;
    this.digests = new PageDigests(pages, ["identity", ...encodings]);
  }

  /**
   * Places the pages that these are the texts of, in order from page 1, until all are placed or `isWanted` says no;
   * the texts are read to their end all the same.
   * @returns how many texts there were.
   */
  async writeAll(texts: Iterable<string>, isWanted: () => boolean): Promise<number> {
    let page = 0;
    let underWay: Promise<void>[] = [];
    for (const text of texts) {
      page++;
      if (isWanted()) underWay.push(this.#write(page, text));
      if (underWay.length === AT_ONCE) {
        await allOf(underWay);
        underWay = [];
      }
    }
    await allOf(underWay);
    return page;
  }

  /** Places the file of page `page` (from 1), and its compressed ones. */
  async #write(page: number, text: string): Promise<void> {
    const plain = contentOf(Buffer.from(text));
    await this.#place(page, "identity", plain.digest, () => plain);
    const isUnchanged = this.#previous?.sums.pages.get(page, "identity") === plain.digest;
    for (const encoding of this.#encodings) {
      const known = isUnchanged ? this.#previous?.sums.pages.get(page, encoding) : undefined;
      await this.#place(page, encoding, known, async () => contentOf(await COMPRESS[encoding](plain.bytes)));
    }
  }

  /** @param known the digest of the bytes that are wanted, when it can be told before they are made. */
  async #place(
    page: number,
    variant: Variant,
    known: string | undefined,
    make: () => Content | Promise<Content>,
  ): Promise<void> {
    const path = pagePath(page, variant);
    // Read and hashed again rather than trusted: a file damaged since must not be carried on by its link.
    const before =
      this.#previous && known !== undefined && this.#previous.sums.pages.get(page, variant) === known
        ? await findIntact(join(this.#previous.folder, path), known)
        : undefined;
    const content = before ? { bytes: before, digest: known ?? "" } : await make();
    this.digests.set(page, variant, content.digest);
    this.totals.bytes += content.bytes.length;
    if (!before) this.totals.changed += 1;
    if (before && this.#previous && this.#staging.linkPage(path, join(this.#previous.folder, path))) {
      this.totals.linked += 1;
    } else {
      await this.#staging.writePage(path, content.bytes);
    }
  }
}

function contentOf(bytes: Buffer): Content {
  return { bytes, digest: sha256(bytes) };
}

/** Waits for every one to end before it throws the first failure, so that nothing is still being written then. */
async function allOf(underWay: Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(underWay)) {
    if (result.status === "rejected") throw result.reason;
  }
}
