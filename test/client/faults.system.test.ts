/** For any faulty answer, no wrong record is returned, and the error says what was received. */
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { type ListingErrorCode, type ListingOptions, openListing } from "../../src/client/index.js";
import { PAGE_BYTES } from "../../src/core/contract/page.js";
import { useFakeClock } from "../support/clock.js";
import { type Asked, BASE, type Fault, Host, PATH, type Published, publish, relist, relistPart } from "./published.js";

const PAGE = `${PATH}?format=api&page=4`;
const URLS = { page: BASE + PAGE, snapshot: `${BASE}/snapshot.json`, sums: `${BASE}/SHA256SUMS` };

let release: Published;
let host: Host;
beforeEach(() => {
  release = publish();
  host = new Host(release);
});

const open = (options: ListingOptions = {}) =>
  openListing<{ id: number }>(BASE, { fetch: host.fetch, pausesMs: [1, 1, 1], timeoutMs: 200, ...options });

interface Read {
  found: { id: number }[];
  error?: { code: ListingErrorCode; message: string; url: string };
}

async function read(options?: ListingOptions, via?: "bulk"): Promise<Read> {
  const found: Read["found"] = [];
  try {
    for await (const one of open(options).records({ via })) found.push(one);
    return { found };
  } catch (error) {
    return { found, error: error as NonNullable<Read["error"]> };
  }
}

const of =
  (url: string, answer: (asked: Asked) => ReturnType<Fault>): Fault =>
  (asked) =>
    asked.url === url ? answer(asked) : undefined;

const fileOf = ({ files }: Published, url: string) => new Uint8Array(files.get(url) ?? []);
const text = (file: string) => String(release.files.get(file));
const html = () => new Response("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html" } });
const endless = () =>
  new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(2 ** 20)) }), { status: 200 });
const broken = (bytes: Uint8Array) =>
  new Response(
    new ReadableStream({
      start(stream) {
        stream.enqueue(bytes);
        setImmediate(() => stream.error(new TypeError("terminated")));
      },
    }),
  );

describe("a page", () => {
  const older = publish({ version: "older" });
  const elsewhere = publish({ baseUrl: "https://other.example.com" });
  const bytes = (path = PAGE, from = release) => Buffer.from(from.files.get(BASE + path) ?? "");
  const changed = (change: (text: string) => string) => () => new Response(change(bytes().toString()));

  const faults: [what: string, answer: () => ReturnType<Fault>, code: ListingErrorCode][] = [
    ["of an older release", () => new Response(bytes(PAGE, older)), "mismatch"],
    ["of another base URL", () => new Response(bytes(PAGE, elsewhere)), "mismatch"],
    ["that is another one", () => new Response(bytes(`${PATH}?format=api&page=5`)), "mismatch"],
    ["that is cut", () => new Response(bytes().subarray(0, 100)), "mismatch"],
    ["whose connection breaks", () => broken(bytes().subarray(0, 100)), "network"],
    ["that is empty", () => new Response(""), "mismatch"],
    ["that is HTML", html, "mismatch"],
    ["that is packed, without saying so", () => new Response(gzipSync(bytes())), "mismatch"],
    ["with a byte order mark", changed((page) => `\ufeff${page}`), "mismatch"],
    ["with a repeated record", changed((page) => page.replace('"id":31', '"id":30')), "mismatch"],
    ["with one more record", changed((page) => page.replace('{"id":31', '{"id":0},\n{"id":31')), "mismatch"],
    ["with a prototype", changed((page) => page.replace('{"id":31', '{"__proto__":{"a":1},"id":31')), "mismatch"],
    ["that never comes", () => new Promise(() => {}), "timeout"],
    ["that is not reached", () => Promise.reject(new TypeError("fetch failed")), "network"],
    ["that is elsewhere", () => Response.redirect("https://other.example.com/", 302), "redirect"],
    ["with status 500", () => new Response(bytes(), { status: 500 }), "status"],
    ["with status 404", () => new Response("", { status: 404 }), "status"],
    ["with status 206", () => new Response(bytes(), { status: 206 }), "status"],
    ["with status 304", () => new Response(null, { status: 304 }), "status"],
  ];

  test.each(faults)("%s is reported and never returned", async (_, answer, code) => {
    host.fault = of(URLS.page, answer);
    const { found, error } = await read();
    expect(found).toEqual(release.records.slice(0, 30));
    expect(error).toMatchObject({ code, url: URLS.page });
    expect(error?.message).toMatch(/^https:[^\n]+\.$/);
  });

  test.each(faults)("%s, once, is retried without caches", async (_, answer, code) => {
    if (code === "redirect") return;
    host.fault = of(URLS.page, ({ past }) => (past === null ? answer() : undefined));
    expect(await read()).toEqual({ found: release.records });
    const asked = host.log.filter(({ url }) => url === URLS.page);
    expect(asked.map(({ past }) => past?.length)).toEqual([undefined, 12]);
    expect(asked.map(({ init }) => init.cache)).toEqual([undefined, "reload"]);
  });

  test("is tried four times, with the expected digest in the URL", async () => {
    host.fault = of(URLS.page, html);
    await read();
    const asked = host.log.filter(({ url }) => url === URLS.page).map(({ past }) => past);
    const name = asked[1];
    expect(asked).toEqual([null, name, `${name}-2`, `${name}-3`]);
    expect(text(URLS.sums)).toMatch(new RegExp(`^${name}.*pages/4\\.json$`, "m"));
  });

  test("that is listed but not a page of the listing is malformed", async () => {
    const wrong: [change: (page: string) => string, name: string][] = [
      [(page) => page.replace('"count":95', '"count":96'), "count"],
      [(page) => page.replace("page=5", "page=6"), "next"],
      [(page) => page.replace("page=5", "page=4"), "next"],
      [(page) => page.replace(/"next":"[^"]+"/, '"next":null'), "next"],
      [(page) => page.replace(/"next":"https:..stations/, '"next":"https://other'), "next"],
      [(page) => page.replace("page=3", "page=2"), "previous"],
      [(page) => page.replace(/\{"id":40.*\}/, "4"), "results"],
      [(page) => page.replace(/,\n\{"id":40.*\}/, ""), "results"],
      [(page) => page.replace(/"results":[\s\S]*\]/, '"results":{"length":10}'), "results"],
      [() => "[]", "JSON"],
      [() => "null", "JSON"],
      [(page) => `\ufeff${page}`, "JSON"],
      [() => "[".repeat(1_000_000), "JSON"],
      [() => `{"results":[${"[],".repeat(5_000_001)}[]]}`, "JSON"],
    ];
    for (const [change, name] of wrong) {
      host.release = publish();
      relist(host.release, "pages/4.json", (page) => change(String(page)));
      const { found, error } = await read({ memoryBytes: 2 ** 28 });
      expect(found).toEqual(release.records.slice(0, 30));
      expect(error).toMatchObject({ code: "malformed", url: URLS.page });
      expect(error?.message).toContain(name);
    }
  });

  test("that never ends is read up to the limit", { timeout: 60_000 }, async () => {
    let sent = 0;
    host.fault = of(
      URLS.page,
      () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(2 ** ++sent)) })),
    );
    const { found, error } = await read({ pausesMs: [], timeoutMs: 50_000 });
    expect(error).toMatchObject({ code: "too-large", url: URLS.page });
    expect(error?.message).toBe(
      `${URLS.page} is too large to read here; raise memoryBytes: expected at most ${PAGE_BYTES} bytes, received more.`,
    );
    expect(found).toHaveLength(30);
    expect(sent).toBeLessThan(31);
  });
});

describe("snapshot.json and SHA256SUMS", () => {
  test.each<[what: string, url: string, change: (text: string) => string | Response, code: ListingErrorCode]>([
    [
      "snapshot.json of another release",
      URLS.snapshot,
      () => String(publish({ version: "b" }).files.get(URLS.snapshot)),
      "mismatch",
    ],
    [
      "SHA256SUMS of another release",
      URLS.sums,
      () => String(publish({ version: "b" }).files.get(URLS.sums)),
      "mismatch",
    ],
    ["snapshot.json that is HTML", URLS.snapshot, html, "malformed"],
    ["SHA256SUMS that is HTML", URLS.sums, html, "mismatch"],
    ["an endless snapshot.json", URLS.snapshot, endless, "too-large"],
    ["an endless SHA256SUMS", URLS.sums, endless, "too-large"],
    [
      "SHA256SUMS with a million lines for ten pages",
      URLS.sums,
      (sums) => sums + sums.split("\n")[0]?.concat("x\n").repeat(1e6),
      "too-large",
    ],
    ["no snapshot.json", URLS.snapshot, () => new Response("", { status: 404 }), "unproved"],
    ["no SHA256SUMS", URLS.sums, () => new Response("", { status: 404 }), "unproved"],
    ["snapshot.json elsewhere", URLS.snapshot, () => Response.redirect("https://other.example.com/", 301), "redirect"],
    ["304 unasked", URLS.snapshot, () => new Response(null, { status: 304 }), "status"],
    ["status 500", URLS.snapshot, () => new Response("", { status: 500 }), "status"],
  ])("%s: returns nothing", async (_, url, change, code) => {
    host.fault = of(url, () => {
      const answer = change(text(url));
      return typeof answer === "string" ? new Response(answer) : answer;
    });
    const { found, error } = await read({ pausesMs: [1], timeoutMs: 5000 });
    expect([found, error?.code]).toEqual([[], code]);
  });

  test.each<[what: string, change: (snapshot: Record<string, unknown>) => object]>([
    ["a billion pages", (said) => ({ ...said, pages: 1e9, count: 1e10 - 5 })],
    [
      "999,999,999 pages that SHA256SUMS does not list",
      (said) => ({ ...said, pages: 999_999_999, count: 9_999_999_985 }),
    ],
    ["fewer pages", (said) => ({ ...said, pages: 9 })],
    ["other pages than count and page size make", (said) => ({ ...said, page_size: 20 })],
    ["a page size beyond all", (said) => ({ ...said, page_size: 1001, pages: 1 })],
    ["no page size", (said) => ({ ...said, page_size: 0 })],
    ["a count that is text", (said) => ({ ...said, count: "95" })],
    ["a count below 0", (said) => ({ ...said, count: -1 })],
    ["a count that is no whole number", (said) => ({ ...said, count: 94.5 })],
    ["another id", (said) => ({ ...said, id: "../../etc" })],
    ["other links", (said) => ({ ...said, links: "next" })],
    ["another state than the list of records", (said) => ({ ...said, state: "0".repeat(64) })],
    ["encodings that are none", (said) => ({ ...said, encodings: "gzip" })],
    ["a base URL that is none", (said) => ({ ...said, base_url: "javascript:alert(1)" })],
    ["no members", () => ({})],
    ["members of its prototype only", (said) => JSON.parse(`{"__proto__":${JSON.stringify(said)}}`)],
    ["a list", () => []],
  ])("refuses a listed snapshot.json with %s", async (_, change) => {
    relist(release, "snapshot.json", (bytes) => JSON.stringify(change(JSON.parse(String(bytes)))));
    const { found, error } = await read({ pausesMs: [] });
    expect([found, error?.code]).toEqual([[], "malformed"]);
  });

  test.each<[what: string, change: (sums: string) => string]>([
    ["a page twice", (sums) => sums.replace(/^.*pages\/3.json\n/m, "$&$&")],
    ["a file twice", (sums) => sums.replace(/^.*contract.json\n/m, "$&$&")],
    ["a page less", (sums) => sums.replace(/^.*pages\/3.json\n/m, "")],
    ["the last page not", (sums) => sums.replace(/^.*pages\/10.json\n/m, "")],
    ["a page more", (sums) => sums.replace(/^(.*)pages\/10.json\n/m, "$&$1pages/11.json\n")],
    ["pages in another order", (sums) => sums.replace(/^(.*3.json\n)(.*4.json\n)/m, "$2$1")],
    ["no page", (sums) => sums.replace(/^.*pages\/.*\n/gm, "")],
    ["a line that is none", (sums) => `${sums}nothing\n`],
    ["no newline at its end", (sums) => sums.slice(0, -1)],
  ])("refuses a SHA256SUMS with %s", async (_, change) => {
    release.files.set(URLS.sums, Buffer.from(change(text(URLS.sums))));
    const { found, error } = await read({ pausesMs: [] });
    expect(found).toEqual([]);
    expect(["malformed", "mismatch"]).toContain(error?.code);
  });

  test("follows a switch between both", async () => {
    const next = publish({ version: "b" });
    for (const after of [URLS.snapshot, URLS.sums]) {
      host = new Host(release);
      host.fault = (asked) => {
        const answer = host.answer(asked);
        if (asked.url === after) host.release = next;
        return answer;
      };
      const listing = open();
      const snapshot = await listing.snapshot();
      expect(snapshot.state).toBe(
        JSON.parse(String((after === URLS.snapshot ? next : release).files.get(URLS.snapshot))).state,
      );
    }
  });

  test("ignores a cached old snapshot.json at the end", async () => {
    const older = publish({ version: "older" });
    host.fault = of(URLS.snapshot, ({ past }) =>
      past === null && host.log.length > 2 ? new Response(fileOf(older, URLS.snapshot)) : undefined,
    );
    expect(await read()).toEqual({ found: release.records });
  });

  test("bypasses caches of an old release whose pages are gone", async () => {
    const older = publish({ version: "older", count: 95 });
    host.fault = ({ url, past }) => (past === null && url !== URLS.page ? new Response(fileOf(older, url)) : undefined);
    const { found, error } = await read();
    expect(error).toMatchObject({ code: "changed", from: { count: 95 } });
    expect(found).toEqual(older.records.slice(0, 30));
    const restarted: unknown[] = [];
    let restarts = 0;
    const walk = open().records({ restart: true, onRestart: () => (restarts = restarted.length = 0) });
    for await (const one of walk) restarted.push(one);
    expect([restarted, walk.restarts, restarts]).toEqual([release.records, 1, 0]);
  });

  test("a verified listing is never read unverified later", async () => {
    const listing = open({ unproved: true });
    await listing.snapshot();
    host.fault = of(URLS.snapshot, () => new Response("", { status: 404 }));
    await expect(listing.records().next()).rejects.toMatchObject({ code: "status" });
    expect(listing.proof).toBe("digests");
  });
});

describe("a busy host", () => {
  test("gets no requests for as long as it asks", async () => {
    const clock = useFakeClock();
    let end = 0;
    const early: string[] = [];
    host.fault = ({ url }) => {
      if (clock.now() < end) early.push(url);
      if (url !== URLS.page || end > 0) return undefined;
      end = clock.now() + 1000;
      return new Response("", { status: 429, headers: { "retry-after": "1" } });
    };
    expect(await clock.untilSettled(read({ timeoutMs: 100, concurrency: 1 }))).toEqual({ found: release.records });
    expect(clock.now()).toBeGreaterThanOrEqual(end);
    expect(early).toEqual([]);
  });

  test.each([429, 503])("that answers %i forever is an error", async (status) => {
    host.fault = of(URLS.page, () => new Response("", { status, headers: { "retry-after": "0" } }));
    const { found, error } = await read();
    expect(found).toHaveLength(30);
    expect(error).toMatchObject({ code: "busy", url: URLS.page });
    expect(host.log.filter(({ url }) => url === URLS.page)).toHaveLength(7);
  });

  test.each(["3600", "Thu, 01 Jan 2026 01:00:00 GMT"])(
    "that asks to wait for an hour (%s) is an error",
    async (header) => {
      const clock = useFakeClock();
      host.fault = of(URLS.page, () => new Response("", { status: 503, headers: { "retry-after": header } }));
      const { error } = await clock.untilSettled(read());
      expect(error).toMatchObject({ code: "busy" });
      expect(error?.message).toMatch(
        /asks to wait 3(?:600|5\d\d) seconds, after 0 waits: expected 200, received 503\.$/,
      );
    },
  );

  test.each(["-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"])("that answers %s gets a retry", async (header) => {
    let answers = 0;
    host.fault = of(URLS.page, () =>
      answers++ > 0 ? undefined : new Response("", { status: 503, headers: { "retry-after": header } }),
    );
    expect(await read()).toEqual({ found: release.records });
  });
});

describe("parts", () => {
  const part = `${BASE}/bulk/2.ndjson.gz`;
  const bytes = () => Buffer.from(release.files.get(part) ?? "");
  test.each<[what: string, answer: () => ReturnType<Fault>, code: ListingErrorCode]>([
    ["another part", () => new Response(fileOf(release, `${BASE}/bulk/1.ndjson.gz`)), "mismatch"],
    ["a cut one", () => new Response(bytes().subarray(0, -9)), "mismatch"],
    ["one that was unpacked on the way", () => new Response("{}\n"), "mismatch"],
    ["one that was packed twice", () => new Response(gzipSync(bytes())), "mismatch"],
    ["none", () => new Response("", { status: 404 }), "status"],
  ])("%s: returns no record of it", async (_, answer, code) => {
    host.fault = of(part, answer);
    const { found, error } = await read({}, "bulk");
    expect(found).toEqual(release.records.slice(0, 30));
    expect(error).toMatchObject({ code, url: part });
  });

  const lines = (from: number, to: number) =>
    release.records
      .slice(from, to)
      .map((one) => `${JSON.stringify(one)}\n`)
      .join("");
  test.each<[what: string, change: () => Buffer, found: number]>([
    ["fewer lines", () => gzipSync(lines(30, 59)), 59],
    ["more lines", () => gzipSync(lines(30, 61)), 60],
    ["a line that is no object", () => gzipSync(`${lines(30, 40)}4\n${lines(41, 60)}`), 40],
    ["a last line without an end", () => gzipSync(lines(30, 60).slice(0, -1)), 59],
    ["a cut member", () => gzipSync(lines(30, 60)).subarray(0, -4), -1],
    ["nothing", () => Buffer.alloc(0), 30],
    ["half a letter", () => gzipSync(Buffer.concat([Buffer.from(lines(30, 35)), Buffer.from([0xe2, 0x0a])])), -1],
  ])("listed with %s are refused", async (_, change, count) => {
    relistPart(release, "bulk/2.ndjson.gz", change);
    const { found, error } = await read({}, "bulk");
    expect(error).toMatchObject({ code: "malformed", url: part });
    if (count >= 0) expect(found).toHaveLength(count);
    expect(found).toEqual(release.records.slice(0, found.length));
  });

  test("are refused if their list differs", async () => {
    for (const change of [
      (said: object) => ({ ...said, parts: [] }),
      (said: { parts?: object[] }) => ({ ...said, parts: said.parts?.slice(1) }),
      (said: { parts?: object[] }) => ({ ...said, parts: said.parts?.map((one) => ({ ...one, count: 1 })) }),
      (said: { parts?: object[] }) => ({ ...said, parts: said.parts?.map((one) => ({ ...one, members: [1, 2] })) }),
      (said: { parts?: object[] }) => ({ ...said, parts: said.parts?.map((one) => ({ ...one, members: 3 })) }),
      (said: { parts?: object[] }) => ({
        ...said,
        parts: said.parts?.map((one) => ({ ...one, file: "../1.ndjson.gz" })),
      }),
      () => [],
    ]) {
      host.release = publish();
      relist(host.release, "bulk.json", (json) => JSON.stringify(change(JSON.parse(String(json)))));
      expect((await read({}, "bulk")).error?.code).toBe("malformed");
    }
  });

  test("that do not exist are reported", async () => {
    relist(release, "snapshot.json", (bytes) => bytes);
    release.files.set(URLS.sums, Buffer.from(text(URLS.sums).replace(/^.*bulk.*\n/gm, "")));
    expect((await read({}, "bulk")).error).toMatchObject({ code: "usage", url: `${BASE}/bulk.json` });
  });
});
