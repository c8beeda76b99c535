/** A published release in memory, with a fetch that can inject faults. */
import { sha256 } from "../../src/core/release/plain-files.js";
import { filesOf } from "../support/release-files.js";

export const BASE = "https://stations.example.com/data";
export const PATH = "/v1/stations/";

export interface Facts {
  count: number;
  pageSize: number;
  baseUrl: string;
  /** What distinguishes the records of this release from those of another. */
  version: string;
  links: "query" | "path";
  partSize: number;
}

export interface Published<R = { id: number; version: string }> {
  facts: Facts;
  records: R[];
  /** By URL, without the parameter that leads past caches. */
  files: Map<string, Buffer>;
}

const FACTS: Facts = { count: 95, pageSize: 10, baseUrl: BASE, version: "a", links: "query", partSize: 30 };

export function publish(given: Partial<Facts> = {}): Published {
  const facts = { ...FACTS, ...given };
  const { count, version } = facts;
  return publishAll(
    facts,
    Array.from({ length: count }, (_, at) => ({ id: at + 1, version })),
  );
}

/** Any records, and files beside their pages. */
export function publishAll<R extends { id: string | number }>(
  given: Partial<Facts>,
  records: readonly R[],
  more: ReadonlyMap<string, string> = new Map(),
): Published<R> {
  const facts = { ...FACTS, ...given, count: records.length };
  const { version, links } = facts;
  const listing = { path: PATH, order: ["id"] };
  const { files, paths } = filesOf({
    ...{ ...facts, path: PATH },
    texts: records.map((record) => JSON.stringify(record)),
    keys: records.map(({ id }) => `${id}`),
    contract: JSON.stringify({ title: version, properties: { id: {} }, "x-listing": listing }),
    more: () => more,
  });
  const urlOf = (path: string) => {
    const page = paths.find(path)?.page;
    return page && links === "query" ? `${PATH}?format=api&page=${page}` : `/${path}`;
  };
  const byUrl = [...files].map(([path, bytes]) => [BASE + urlOf(path), bytes] as const);
  return { facts, records: [...records], files: new Map(byUrl) };
}

/** SHA256SUMS and files that fit each other again after one was changed. */
export function relist({ files }: Published, path: string, change: (bytes: Buffer) => string | Buffer): void {
  const url = path.startsWith("pages/")
    ? `${BASE}${PATH}?format=api&page=${Number.parseInt(path.slice(6), 10)}`
    : `${BASE}/${path}`;
  const listed = path.startsWith("pages/") ? `${PATH.slice(1)}${path}` : path;
  const bytes = Buffer.from(change(files.get(url) ?? Buffer.alloc(0)));
  files.set(url, bytes);
  const sums = String(files.get(`${BASE}/SHA256SUMS`));
  const line = new RegExp(`^[0-9a-f]{64}(?=  ${listed.replace(/[.]/g, "\\.")}$)`, "m");
  files.set(`${BASE}/SHA256SUMS`, Buffer.from(sums.replace(line, sha256(bytes))));
}

/** Replaces a part by one gzip member. */
export function relistPart(release: Published, path: string, change: (bytes: Buffer) => Buffer): void {
  relist(release, path, change);
  const members = [release.files.get(`${BASE}/${path}`)?.length];
  relist(release, "bulk.json", (json) => {
    const list: { parts: { file: string }[] } = JSON.parse(String(json));
    const parts = list.parts.map((part) => (part.file === path ? { ...part, members } : part));
    return JSON.stringify({ ...list, parts });
  });
}

export interface Asked {
  /** Without the parameter that leads past caches. */
  url: string;
  /** That parameter. */
  past: string | null;
  init: RequestInit;
}

/** Answers instead of the host, or does not. */
export type Fault = (asked: Asked) => Response | undefined | Promise<Response | undefined>;

/** A host with one release, which can be switched to another. */
export class Host<R = { id: number; version: string }> {
  readonly log: Asked[] = [];
  atOnce = 0;
  mostAtOnce = 0;

  constructor(
    public release: Published<R>,
    public fault: Fault = () => undefined,
  ) {}

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    const past = url.searchParams.get("v");
    url.searchParams.delete("v");
    const asked = { url: decodeURIComponent(url.href), past, init };
    this.log.push(asked);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    try {
      await new Promise((resolve) => setImmediate(resolve));
      init.signal?.throwIfAborted();
      return (await this.fault(asked)) ?? this.answer(asked);
    } finally {
      this.atOnce--;
    }
  };

  answer({ url, init }: Asked): Response {
    const bytes = this.release.files.get(url);
    if (!bytes) return new Response("Not found", { status: 404 });
    const etag = `"${sha256(bytes)}"`;
    if (new Headers(init.headers).get("if-none-match") === etag) return new Response(null, { status: 304 });
    return new Response(new Uint8Array(bytes), { headers: { etag } });
  }

  urls(): string[] {
    return this.log.map(({ url }) => url.slice(BASE.length));
  }
}
