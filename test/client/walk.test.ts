/** Walks read a listing in order, of one snapshot, from any position, with limited parallel requests. */
import { setMaxListeners } from "node:events";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type ListedPage, type ListingOptions, openListing, SnapshotChangedError } from "../../src/client/index.js";
import { until } from "../support/until.js";
import { type Asked, BASE, Host, PATH, type Published, publish, publishAll, relist, relistPart } from "./published.js";

interface Station {
  id: number;
  version: string;
}

let release: Published;
let host: Host;
beforeEach(() => {
  release = publish();
  host = new Host(release);
});

const open = (options: ListingOptions = {}) =>
  openListing<Station>(BASE, { fetch: host.fetch, pausesMs: [1, 1, 1], ...options });
const pageUrl = (page: number) => `${PATH}?format=api&page=${page}`;

async function all<R>(walk: AsyncIterable<R>): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

describe.each(["pages", "bulk"] as const)("records by %s", (via) => {
  test("are returned once each, in order", async () => {
    expect(await all(open().records({ via }))).toEqual(release.records);
  });

  test("continue after every position, in another listing", async () => {
    const walk = open().records({ via });
    const positions = [walk.position];
    for await (const _ of walk) positions.push(walk.position);
    for (const [records, position] of positions.entries()) {
      const after = JSON.parse(JSON.stringify(position));
      expect(await all(open().records({ via, after }))).toEqual(release.records.slice(records));
      const other = via === "bulk" ? "pages" : "bulk";
      expect(await all(open().records({ via: other, after }))).toEqual(release.records.slice(records));
    }
  });

  test("are none in an empty collection", async () => {
    host.release = publish({ count: 0 });
    expect(await all(open().records({ via }))).toEqual([]);
  });

  test("are of one snapshot: a switch is reported with its position", async () => {
    const requests = await countRequests(via);
    for (let at = 1; at < requests; at++) {
      const next = publish({ version: "b" });
      host = new Host(release);
      host.fault = () => {
        if (host.log.length > at) host.release = next;
        return undefined;
      };
      const walk = open().records({ via });
      const found: Station[] = [];
      const error = await gather(walk, found).catch((error) => error);
      expect(new Set(found.map(({ version }) => version)).size).toBeLessThan(2);
      expect(found).toEqual(
        (error ? release : next).records.slice(0, found.length).map(({ id }) => ({ id, version: found[0]?.version })),
      );
      if (!error) {
        // It began with the new one.
        expect(found).toEqual(next.records);
        continue;
      }
      expect(error).toBeInstanceOf(SnapshotChangedError);
      const { position, from, to } = error as SnapshotChangedError;
      // Before the first part it has not begun.
      expect([from?.state, found.length === 0 ? "" : undefined]).toContain(position.state);
      expect(position.page).toBe(Math.max(1, Math.ceil(found.length / 10)));
      expect((position.page - 1) * 10 + position.index).toBe(found.length);
      expect([from?.state, to.state]).toEqual([stateOf(release), stateOf(next)]);
    }
  });

  test("begin again with `restart`, and report it", async () => {
    const next = publish({ version: "b", count: 44 });
    host.fault = ({ url }) => {
      if (host.log.length > 4 && url !== "") host.release = next;
      return undefined;
    };
    let found: Station[] = [];
    const why: SnapshotChangedError[] = [];
    const walk = open().records({
      via,
      restart: true,
      onRestart(error) {
        why.push(error);
        found = [];
      },
    });
    for await (const one of walk) found.push(one);
    expect(found).toEqual(next.records);
    expect([walk.restarts, why.length, why[0]?.code]).toEqual([1, 1, "changed"]);
  });
});

async function gather(walk: AsyncIterable<Station>, found: Station[]): Promise<undefined> {
  for await (const one of walk) found.push(one);
  return undefined;
}

async function countRequests(via: "pages" | "bulk"): Promise<number> {
  const counted = new Host(release);
  await all(openListing(BASE, { fetch: counted.fetch }).records({ via }));
  return counted.log.length;
}

const stateOf = ({ files }: Published) => JSON.parse(String(files.get(`${BASE}/snapshot.json`))).state;

test.each<[what: string, change: (text: string) => string, found: number]>([
  ["a record twice", (text) => text.replace(/"id":13/, '"id":12'), 12],
  ["records in another order", (text) => text.replace(/"id":15/, '"id":35'), 15],
])("with %s, no later record is returned, by pages or parts", async (_, change, found) => {
  const name = "bulk/1.ndjson.gz";
  relist(release, "pages/2.json", (bytes) => change(String(bytes)));
  relistPart(release, name, (bytes) => gzipSync(change(String(gunzipSync(bytes)))));
  for (const via of ["pages", "bulk", undefined] as const) {
    const walk = via ? open().records({ via }) : open().pages();
    const given: unknown[] = [];
    const read = async () => {
      for await (const one of walk) given.push(...(via ? [one] : (one as ListedPage<unknown>).page.results));
    };
    await expect(read()).rejects.toMatchObject({ code: "malformed" });
    // Pages are checked as a whole, parts while they are unpacked.
    expect(given).toHaveLength(via === "bulk" ? found : found - (found % 10));
    await expect(walk.next()).rejects.toMatchObject({ code: "malformed" });
  }
});

test("parts that fetch has unpacked are verified by their plain digest", async () => {
  host.fault = ({ url }) => {
    if (!url.endsWith(".gz")) return undefined;
    return new Response(new Uint8Array(gunzipSync(release.files.get(url) ?? "")));
  };
  expect(await all(open().records({ via: "bulk" }))).toEqual(release.records);
  host.fault = ({ url }) => (url.endsWith(".gz") ? new Response("{}\n") : undefined);
  await expect(all(open().records({ via: "bulk" }))).rejects.toMatchObject({ code: "mismatch" });
});

test("refuses parts with too many members, and a signal stops unpacking", async () => {
  const empty = gzipSync("");
  const list = (count: number) => {
    relist(release, "bulk/1.ndjson.gz", () => Buffer.concat(Array.from({ length: count }, () => empty)));
    const members = Array.from({ length: count }, () => empty.length);
    relist(release, "bulk.json", (json) =>
      String(json).replace(/"members":\[[^\]]*\]/, `"members":${JSON.stringify(members)}`),
    );
  };
  list(65_537);
  await expect(all(open().records({ via: "bulk" }))).rejects.toMatchObject({ code: "too-large" });
  list(100);
  const control = new AbortController();
  const reason = new Error("stopped");
  const Stream = DecompressionStream;
  let unpacked = 0;
  vi.stubGlobal(
    "DecompressionStream",
    class extends Stream {
      constructor() {
        super("gzip");
        if (++unpacked === 10) control.abort(reason);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  await expect(all(open().records({ via: "bulk", signal: control.signal }))).rejects.toBe(reason);
  expect(unpacked).toBe(10);
});

test("without members in bulk.json, records are read by pages only", async () => {
  relist(release, "bulk.json", (json) => String(json).replace(/"members":\[[^\]]*\],/g, ""));
  await expect(all(open().records({ via: "bulk" }))).rejects.toMatchObject({ code: "usage" });
  expect(await all(open().records())).toEqual(release.records);
});

test("pages share the memory limit", async () => {
  const pages = Array.from({ length: 10 }, (_, at) => release.files.get(BASE + pageUrl(at + 1))?.length ?? 0);
  const page = Math.max(...pages);
  expect(await all(open({ concurrency: 4, memoryBytes: 4 * page + 100 }).records())).toEqual(release.records);
  const error = await all(open({ concurrency: 4, memoryBytes: 4 * page - 4 }).records()).catch((error) => error);
  expect(error).toMatchObject({ code: "too-large", expected: `at most ${page - 1} bytes` });
  expect(error.message).toContain("raise memoryBytes");
});

test("a listing that changes constantly is an error after some restarts", async () => {
  let version = 0;
  host.fault = ({ url }) => {
    if (url.endsWith(pageUrl(3))) host.release = publish({ version: `${++version}` });
    return undefined;
  };
  const walk = open().records({ restart: true });
  await expect(all(walk)).rejects.toThrow(SnapshotChangedError);
  expect(walk.restarts).toBe(8);
});

test("a walk after the end costs one request, and reports changes", async () => {
  const listing = open();
  const walk = listing.records();
  await all(walk);
  host.log.length = 0;
  expect(await all(listing.records({ after: walk.position }))).toEqual([]);
  expect(host.urls()).toEqual(["/snapshot.json"]);
  host.release = publish({ version: "b" });
  const error = await all(listing.records({ after: walk.position })).catch((error) => error);
  expect(error).toMatchObject({ code: "changed", position: walk.position, from: undefined, to: { count: 95 } });
});

test("a position is valid with another page size", async () => {
  const walk = open().records();
  for (let records = 0; records < 37; records++) await walk.next();
  host.release = publish({ pageSize: 7 });
  expect(await all(open().records({ after: walk.position }))).toEqual(release.records.slice(37));
});

test.each([
  [{ page: 0, index: 0 }],
  [{ page: 11, index: 1 }],
  [{ page: 10, index: 6 }],
  [{ page: 1.5, index: 0 }],
  [{ page: 1, index: -1 }],
  [{ page: 1, index: 11 }],
  [{ page: "1", index: 0 }],
  [{}],
])("refuses an invalid position: %j", async (position) => {
  const after = { state: stateOf(release), ...position } as never;
  await expect(all(open().records({ after }))).rejects.toMatchObject({ name: "ListingError", code: "usage" });
});

test("limits parallel requests, to eight by default", async () => {
  await all(open().records());
  expect(host.mostAtOnce).toBe(8);
  host = new Host(release);
  await all(open({ concurrency: 3 }).records());
  expect(host.mostAtOnce).toBe(3);
});

test("reads little ahead, and nothing after the loop was left", async () => {
  for await (const { number } of open({ concurrency: 2 }).pages()) if (number === 3) break;
  await until(() => host.atOnce === 0);
  expect(host.urls().filter((url) => url.startsWith(PATH))).toEqual([1, 2, 3, 4].map(pageUrl));
});

test("pages come with their bytes", async () => {
  const pages = await all(open().pages());
  expect(pages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const { number, bytes, page } of pages) {
    expect(Buffer.from(bytes)).toEqual(release.files.get(BASE + pageUrl(number)));
    expect(JSON.parse(String(Buffer.from(bytes)))).toEqual(page);
  }
});

test("reads pages by path", async () => {
  host.release = publish({ links: "path" });
  expect(await all(open().records())).toHaveLength(95);
  expect(host.urls()[3]).toBe(`${PATH}pages/2.json`);
});

test("reads a single page, the snapshot and the contract", async () => {
  const listing = open();
  expect((await listing.page(10)).results).toEqual(release.records.slice(90));
  expect(await listing.snapshot()).toMatchObject({ count: 95, pages: 10 });
  expect(await listing.contract()).toMatchObject({ title: "a" });
  expect(host.urls()).toEqual(["/snapshot.json", "/SHA256SUMS", pageUrl(10), "/snapshot.json", "/contract.json"]);
  for (const none of [0, 11, 1.5, Number.NaN])
    await expect(listing.page(none)).rejects.toMatchObject({ code: "usage" });
});

test("reads served files, including SHA256SUMS, but not pages", async () => {
  const listing = open();
  expect(Buffer.from(await listing.file("SHA256SUMS"))).toEqual(release.files.get(`${BASE}/SHA256SUMS`));
  const asked = host.log.length;
  for (const [path, why] of [
    ["v1/stations/pages/1.json", "is a page: call page(number)"],
    ["records.sha256", "is not served by any host"],
    ["none.json", "is not what SHA256SUMS lists"],
  ] as const)
    await expect(listing.file(path)).rejects.toMatchObject({ code: "usage", message: `${BASE}/${path} ${why}.` });
  expect(host.log).toHaveLength(asked);
  const pasted = openListing(`${BASE}/api/users/`, { fetch: host.fetch, pausesMs: [] });
  await expect(pasted.snapshot()).rejects.toThrow(`is ${BASE} the base URL?`);
});

describe("a file larger than memoryBytes", () => {
  const PIECE = "\n".repeat(2 ** 16);
  const PIECES = 40;
  const NAME = "records.csv.gz";
  const bytes = new TextEncoder().encode(PIECE);
  let sent = 0;
  let asked: Asked | undefined;
  /** Serves the file in pieces, on demand. */
  const serve = (piece: (at: number) => Uint8Array<ArrayBuffer> = () => bytes) => {
    host = new Host(publishAll({}, release.records, new Map([[NAME, PIECE.repeat(PIECES)]])));
    host.fault = (one) => {
      if (!one.url.endsWith(NAME)) return undefined;
      asked = one;
      sent = 0;
      const pull = (to: ReadableStreamDefaultController) => (sent < PIECES ? to.enqueue(piece(sent++)) : to.close());
      return new Response(new ReadableStream({ pull }));
    };
    return open({ memoryBytes: 2 ** 20 });
  };

  test("is streamed, without reading ahead, and refused by `file`", async () => {
    const listing = serve();
    let read = 0;
    for await (const piece of listing.stream(NAME)) {
      read += piece.length;
      expect(sent * bytes.length - read).toBeLessThanOrEqual(3 * bytes.length);
    }
    expect(read).toBe(PIECES * bytes.length);
    const refused = { code: "too-large", message: expect.stringContaining("use stream, or raise memoryBytes") };
    await expect(listing.file(NAME)).rejects.toMatchObject(refused);
  });

  test("ends with an error if a byte differs, or if it is of another snapshot", async () => {
    const listing = serve((at) => (at === PIECES - 1 ? bytes.map((byte, place) => (place === 9 ? 0 : byte)) : bytes));
    let read = 0;
    const readAll = async () => {
      for await (const piece of listing.stream(NAME)) read += piece.length;
    };
    await expect(readAll()).rejects.toMatchObject({ code: "mismatch", url: `${BASE}/${NAME}` });
    expect(read).toBe(PIECES * bytes.length);
    host.release = publish({ version: "b" });
    await expect(readAll()).rejects.toThrow(SnapshotChangedError);
    await expect(readAll()).rejects.toMatchObject({ code: "usage" });
  });

  test("is not read on after its stream was cancelled", async () => {
    const reader = serve().stream(NAME).getReader();
    await reader.read();
    await reader.cancel();
    expect(asked?.init.signal?.aborted).toBe(true);
    expect(sent).toBeLessThan(5);
  });
});

test("a page of another snapshot is reported once; the next call reads the new one", async () => {
  const listing = open();
  await listing.page(1);
  host.release = publish({ version: "b" });
  await expect(listing.page(2)).rejects.toThrow(SnapshotChangedError);
  expect((await listing.page(2)).results[0]).toEqual({ id: 11, version: "b" });
});

test("after an error, the next call retries the same page", async () => {
  let failures = 0;
  host.fault = ({ url }) =>
    url.endsWith(pageUrl(4)) && failures++ < 6 ? new Response("no", { status: 500 }) : undefined;
  const walk = open().records();
  const found: Station[] = [];
  const errors: unknown[] = [];
  for (;;) {
    const step = await walk.next().catch((error: unknown) => error);
    if (step instanceof Error) errors.push(step);
    else if ((step as IteratorResult<Station>).done) break;
    else found.push((step as IteratorResult<Station>).value);
  }
  expect(found).toEqual(release.records);
  expect(errors).toMatchObject([{ code: "status", received: "500", url: `${BASE}${pageUrl(4)}` }]);
});

test("parallel calls of `next` are answered in order", async () => {
  const walk = open().records();
  const steps = await Promise.all(Array.from({ length: 97 }, () => walk.next()));
  expect(steps.map(({ value }) => value)).toEqual([...release.records, undefined, undefined]);
});

describe("aborting", () => {
  test.each(["listing", "walk", "page"])("by the signal of a %s rejects at once with its reason", async (which) => {
    const control = new AbortController();
    setMaxListeners(0, control.signal);
    const { signal } = control;
    let ended = 0;
    host.fault = ({ url, init }) => {
      if (!url.endsWith(pageUrl(2))) return undefined;
      init.signal?.addEventListener("abort", () => ended++);
      setImmediate(() => control.abort(new Error("enough")));
      // It never answers, and does not listen.
      return new Promise(() => {});
    };
    const listing = open(which === "listing" ? { signal } : {});
    const reading =
      which === "page" ? listing.page(2, { signal }) : all(listing.records(which === "walk" ? { signal } : {}));
    await expect(reading).rejects.toThrow("enough");
    expect(ended).toBe(1);
    if (which === "listing") await expect(listing.snapshot()).rejects.toThrow("enough");
  });

  test("by leaving a walk is not an error for pending calls", async () => {
    host.fault = ({ url }) => (url.endsWith(pageUrl(2)) ? new Promise(() => {}) : undefined);
    const walk = open().pages();
    await walk.next();
    const waiting = walk.next();
    await walk.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await walk.next()).toEqual({ done: true, value: undefined });
  });
});

describe("a base URL", () => {
  test.each([
    ["HTTPS://Stations.example.com:443/data/", BASE],
    [new URL(`${BASE}//`), BASE],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ])("%s is %s", (given, normalised) => {
    expect(openListing(given).baseUrl).toBe(normalised);
  });

  test.each(["stations.example.com", "ftp://a.example", `${BASE}?a=1`, `${BASE}#a`, "https://me:secret@a.example"])(
    "%s is refused, without a password in the message",
    (given) => {
      const error = thrown(() => openListing(given));
      expect(error).toMatchObject({ code: "usage" });
      expect(String(error)).not.toContain("secret");
    },
  );
});

test.each(["https://stations.example.com/api/users/?format=api&page=2", `${BASE}?format=api`])(
  "refuses %s, and shows a base URL",
  (given) => {
    expect(String(thrown(() => openListing(given)))).toContain(
      `${given} is not a base URL such as https://example.com.`,
    );
  },
);

test("refuses invalid options before the first request", async () => {
  const openings = [
    ...[{ publicKey: [] }, { publicKey: undefined }, { requireSignature: true }, { maxAgeMs: 1000 }],
    ...[{ publicKey: "RW", maxAgeMs: Number.NaN }, { publicKey: "RW", maxAgeMs: "1d" }, { concurrency: 0 }],
    ...[{ concurrency: Number.NaN }, { concurrency: -1 }, { timeoutMs: Number.NaN }, { pausesMs: [Number.NaN] }],
    ...[{ fetch: "get" }, { signal: {} }, { unproved: 1 }, { path: 4 }, { concurency: 2 }],
    ...[{ publicKey: "" }, { publicKey: [4] }, { concurrency: Number.POSITIVE_INFINITY }, { restart: "boolean" }],
    ...[Object.create({ publicKey: undefined }), Object.create({ concurency: 2 }), { fetch: 1n }],
  ];
  for (const given of openings)
    expect(thrown(() => openListing(BASE, given as object))).toMatchObject({ code: "usage" });
  const listing = open() as unknown as Record<string, (...given: unknown[]) => unknown>;
  const calls: [name: string, ...given: unknown[]][] = [
    ...[["find"], ["find", 4], ["find", "a", { by: "name" }], ["find", "a", { via: "bulk" }]],
    ...[
      ["records", { via: "page" }],
      ["records", { restart: "yes" }],
      ["pages", { via: "bulk" }],
    ],
    ...[["get"], ["get", "a", { by: "key" }], ["page", 1, { signal: 4 }], ["snapshot", { after: {} }]],
    ...[["get", 1n], ["get", Symbol()], ["file", 4], ["sync"], ["sync", {}], ["find", "a", { isWhole: true }]],
    ["stream", "pages/1.json"],
  ] as [string, ...unknown[]][];
  for (const [name, ...given] of calls)
    expect(await (async () => listing[name]?.(...given))().catch((error) => error)).toMatchObject({ code: "usage" });
  expect(host.log).toEqual([]);
});

test("options of a prototype count", async () => {
  const options = Object.create({
    fetch: host.fetch,
    publicKey: "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
  });
  await expect(openListing(BASE, options).page(1)).rejects.toMatchObject({ code: "signature" });
});

function thrown(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.each(["", "<!doctype html>", "cut"])(
  "SHA256SUMS that is %j once is asked for again, by a URL without spaces",
  async (text) => {
    let wrong = 0;
    host.fault = ({ url }) => (url.endsWith("/SHA256SUMS") && wrong++ === 0 ? new Response(text) : undefined);
    const fetch: typeof globalThis.fetch = (input, init) => {
      // As the http module of Node does.
      if (/\s/.test(String(input))) throw new TypeError("Request path contains unescaped characters");
      return host.fetch(input, init);
    };
    expect(await all(open({ fetch }).records())).toEqual(release.records);
    expect(wrong).toBe(2);
  },
);
