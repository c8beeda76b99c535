/** A bucket as a target: only objects whose bytes differ are put, each by one request. */
import { findDigest, sha256 } from "../../release/files.js";
import { each } from "../../workers/at-most.js";
import type { PublishedFile, ReleaseFiles } from "../files.js";
import { openPlainHandle } from "../folder/copy.js";
import { TAGS } from "../names.js";
import { isOrphan, type Owned } from "../owned.js";
import { AT_ONCE, type Target } from "../target.js";
import { headersOf, OWN_HEADERS } from "./headers.js";
import type { History } from "./history.js";
import type { Lease } from "./lease.js";
import { explainStore } from "./refusals.js";
import type { Store } from "./store.js";
import { KnownTags, Tags } from "./tags.js";

/** Larger files are read as they are sent, so that sixteen at once need little memory. */
const WHOLE = 4_000_000;
const PIECE = 2 ** 18;

interface Parts {
  name: string;
  store: Store;
  claim: Lease;
  history: History;
  cacheControl: string;
  /** What the claim has read. */
  owned: Owned | undefined;
}

export class Bucket implements Target {
  readonly name: string;
  readonly #parts: Parts;
  #tags: Tags | undefined;

  constructor(parts: Parts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  get requests(): number {
    return this.#parts.store.requests;
  }

  async readOwned(): Promise<Owned | undefined> {
    return this.#parts.owned;
  }

  async survey(...[files, found, signal]: Parameters<Target["survey"]>): Promise<void> {
    const { store, cacheControl } = this.#parts;
    const tags = new Tags(files);
    this.#tags = tags;
    const told = (file: PublishedFile, etag: string, isSame: boolean) => {
      tags.set(file.index, etag);
      found(file, isSame ? "same" : "different");
    };
    const list = await store.find(TAGS);
    const known = list && KnownTags.parse(list.bytes, cacheControl);
    const listed = new Uint8Array(files.length);
    for await (const { path, etag } of store.list()) {
      signal?.throwIfAborted();
      const index = files.indexOf(path);
      if (index === undefined) continue;
      const file = files.at(index);
      const digest = known?.digestOf(path, etag);
      listed[index] = digest === undefined ? UNSURE : SURE;
      if (digest !== undefined) told(file, etag, digest === file.digest);
    }
    await each(
      files,
      AT_ONCE,
      async (file) => {
        if (listed[file.index] === SURE) return;
        const facts = listed[file.index] === UNSURE ? await store.findFacts(file.path) : undefined;
        if (!facts) return found(file, "absent");
        const { ContentEncoding, ...headers } = headersOf(file.path, cacheControl);
        const isSame =
          facts.sha256 === file.digest &&
          facts.ContentEncoding === ContentEncoding &&
          facts.CacheControl === headers.CacheControl &&
          facts.ContentType === headers.ContentType;
        told(file, facts.etag, isSame);
      },
      signal,
    );
  }

  async *orphans(owned: Owned, files: ReleaseFiles): AsyncGenerator<string> {
    for await (const { path } of this.#parts.store.list()) if (isOrphan(owned, files, path)) yield path;
  }

  async storeOwned(owned: Owned): Promise<void> {
    const { claim, history, store, cacheControl } = this.#parts;
    if (!owned.complete) {
      history.begin(claim.name, owned.release);
      return claim.begin(owned);
    }
    const tags = this.#tags?.encode(cacheControl);
    if (tags) await claim.during(() => store.put(TAGS, tags, { headers: OWN_HEADERS }));
    await claim.end(owned);
    history.end(owned.release);
  }

  async put(file: PublishedFile, from: string): Promise<number | undefined> {
    const { claim, store, cacheControl } = this.#parts;
    claim.check();
    const source = await openPlainHandle(from);
    if (!source) return undefined;
    try {
      const { size } = await source.stat();
      const facts = { headers: headersOf(file.path, cacheControl), sha256: file.digest };
      let etag: string;
      if (size <= WHOLE) {
        const bytes = await source.readFile();
        if (sha256(bytes) !== file.digest) return undefined;
        etag = await claim.during(() => store.put(file.path, bytes, facts));
      } else {
        if ((await findDigest(from, Buffer.allocUnsafe(PIECE))) !== file.digest) return undefined;
        etag = await claim.during(() => store.putFile(file.path, source, facts));
      }
      this.#tags?.set(file.index, etag);
      return size;
    } finally {
      await source.close();
    }
  }

  async remove(path: string): Promise<void> {
    const { claim, store } = this.#parts;
    await claim.during(() => store.remove(path));
  }

  async flush(): Promise<void> {
    await this.#parts.claim.confirm();
  }

  explain(error: unknown): unknown {
    return explainStore(this.name, error);
  }

  close(): void {
    this.#parts.claim.stop();
    this.#parts.store.close();
  }
}

const UNSURE = 1;
const SURE = 2;
