/** Opens a published listing to be read: one page, all pages, all records, proved. */
import type { ContractFile } from "../contract/file/form.js";
import { normalBaseUrl } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { User } from "../contract/users.js";
import { jsonOf } from "./checked.js";
import { ListingError, SnapshotChangedError } from "./errors.js";
import type { Host } from "./files.js";
import { CONTRACT_BYTES, type FindOptions, findGround, pathIn } from "./find-ground.js";
import { type Ground, ProvedGround } from "./ground.js";
import type {
  CallOptions,
  ListedPage,
  ListingOptions,
  ListingWalkOptions,
  OpenListing,
  RecordOptions,
  Walk,
} from "./options.js";
import { positionAt } from "./position.js";
import { Requests } from "./requests.js";
import { type Course, ListingWalk } from "./walk.js";

/**
 * Opens a listing that Rollcall has published, or any one in the same form. Nothing is asked for yet.
 * @param baseUrl where it is published: `https://directory.example.com`.
 * @throws ListingError (usage) for what is no base URL, and for options that cannot be.
 */
export function openListing<T = User>(baseUrl: string | URL, options: ListingOptions = {}): OpenListing<T> {
  return new HostListing<T>(parseBase(String(baseUrl)), options);
}

class HostListing<T> implements OpenListing<T> {
  #ground: Ground | undefined;
  readonly #host: Host;
  readonly #concurrency: number;

  constructor(
    readonly baseUrl: string,
    private readonly options: ListingOptions,
  ) {
    const { publicKey = [], maxAgeMs, signal, timeoutMs = 30_000, pausesMs = [250, 1000, 3000] } = options;
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const { concurrency = 8 } = options;
    const isPositive = concurrency >= 1 && timeoutMs > 0;
    if (!isPositive) throw new ListingError("usage", baseUrl, "cannot be read with such a concurrency or timeoutMs");
    this.#concurrency = Math.floor(concurrency);
    const requests = new Requests({ fetch, signal, timeoutMs, pausesMs });
    this.#host = { baseUrl, requests, keys: [publicKey].flat(), maxAgeMs };
  }

  get proof(): Ground["proof"] | undefined {
    return this.#ground?.proof;
  }

  async snapshot({ signal }: CallOptions = {}): Promise<Snapshot> {
    return (await this.#find({ signal })).snapshot;
  }

  async contract({ signal }: CallOptions = {}): Promise<ContractFile> {
    const file = "contract.json";
    const bytes = await this.#read(signal, (ground) => ground.readFile(file, CONTRACT_BYTES, signal));
    const url = `${this.baseUrl}/${file}`;
    pathIn(bytes, url);
    return jsonOf(bytes, url) as ContractFile;
  }

  page(number: number, { signal }: CallOptions = {}): Promise<Page<T>> {
    return this.#read(signal, async (ground) => {
      const { pages } = ground.snapshot;
      if (!Number.isInteger(number) || number < 1 || number > pages) {
        const facts = { expected: `a page from 1 to ${pages}`, received: String(number) };
        throw new ListingError("usage", this.baseUrl, "has no such page", facts);
      }
      try {
        return ground.parsePage<T>(number, await ground.readPage(number, signal));
      } catch (error) {
        const { state, snapshot } = ground;
        const before = positionAt((number - 1) * snapshot.page_size, state, snapshot);
        if (error instanceof SnapshotChangedError) error.position = before;
        throw error;
      }
    });
  }

  pages(options: ListingWalkOptions = {}): Walk<ListedPage<T>> {
    return this.#walk(options, (ground) =>
      this.#pageCourse(ground, (number, bytes) => {
        const page = ground.parsePage<T>(number, bytes);
        const records = Math.min(number * ground.snapshot.page_size, ground.snapshot.count);
        return [[{ number, bytes, page }, records] as [ListedPage<T>, number]].values();
      }),
    );
  }

  records({ via = "pages", ...options }: RecordOptions = {}): Walk<T> {
    if (via === "bulk") {
      return this.#walk(options, async (ground, signal) => {
        const { bulkCourse } = await import("./bulk.js");
        return bulkCourse<T>(ground, this.baseUrl, signal);
      });
    }
    return this.#walk(options, (ground) =>
      this.#pageCourse(ground, function* (number, bytes, records) {
        const { results } = ground.parsePage<T>(number, bytes);
        const before = (number - 1) * ground.snapshot.page_size;
        for (let index = Math.max(0, records - before); index < results.length; index++)
          yield [results[index] as T, before + index + 1];
      }),
    );
  }

  #pageCourse<R>(ground: Ground, items: Course<R>["items"]): Course<R> {
    const { count, page_size, pages } = ground.snapshot;
    return {
      atOnce: this.#concurrency,
      last: pages,
      first: (records) => (count > 0 && records >= count ? pages + 1 : Math.floor(records / page_size) + 1),
      read: (number, signal) => ground.readPage(number, signal),
      items,
    };
  }

  #walk<R>(
    options: ListingWalkOptions,
    course: (ground: Ground, signal: AbortSignal) => Course<R> | Promise<Course<R>>,
  ) {
    const find = (how: FindOptions) => this.#find(how);
    return new ListingWalk<R>({ url: this.baseUrl, find, course }, options);
  }

  /** Reads from the snapshot that was asked for last. One that the host has no longer is forgotten. */
  async #read<V>(signal: AbortSignal | undefined, read: (ground: Ground) => Promise<V>): Promise<V> {
    const ground = this.#ground ?? (await this.#find({ signal }));
    try {
      return await read(ground);
    } catch (error) {
      if (error instanceof SnapshotChangedError && this.#ground === ground) this.#ground = undefined;
      throw error;
    }
  }

  async #find(how: FindOptions): Promise<Ground> {
    const last = this.#ground;
    const isUnproved = last !== undefined && !(last instanceof ProvedGround);
    this.#ground = isUnproved ? await this.#findUnproved(how) : await this.#findProved(last, how);
    return this.#ground;
  }

  async #findProved(last: ProvedGround | undefined, how: FindOptions): Promise<Ground> {
    try {
      return await findGround(this.#host, last, how);
    } catch (error) {
      // What was proved once is never read without proof.
      const isAllowed = this.options.unproved === true && this.#host.keys.length === 0 && !last;
      if (!isAllowed || !(error instanceof ListingError) || error.code !== "unproved") throw error;
      const ground = await this.#findUnproved(how);
      this.options.onUnproved?.(error);
      return ground;
    }
  }

  async #findUnproved({ signal }: FindOptions): Promise<Ground> {
    const { findUnproved } = await import("./unproved.js");
    return findUnproved(this.#host, this.options.path, signal);
  }
}

/** Normalises it. */
function parseBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
  if (isPlain) return normalBaseUrl(url);
  throw new ListingError("usage", text.replace(/\/\/[^/]*@/, "//...@"), "is no base URL", {
    expected: "one like https://directory.example.com",
    received: "one with another scheme, credentials, a query or a fragment",
  });
}
