/** How a diff reads a deployed listing, by the client for readers: real hosts, and real servers that hang, lie and change under way. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { ListingError } from "../../src/client/errors.js";
import { openListing } from "../../src/client/listing.js";
import type { ListingOptions, ListingWalkOptions } from "../../src/client/options.js";
import { UserError } from "../../src/errors.js";
import { type ClientOptions, createClient } from "../../src/remote/client.js";
import { fetchBy } from "../../src/remote/fetch.js";
import { openRemoteSide } from "../../src/sides/remote.js";
import { publish, type Shape } from "../server/release.js";
import { scratch } from "../support/files.js";
import { type Front, front } from "../support/front.js";

/** Without waits between tries, and without proof where the host has none. */
function opened(baseUrl: string, options: ClientOptions & ListingOptions = {}) {
  const client = createClient(options);
  onTestFinished(() => client.close());
  const { signal, maxBytes: _, ...others } = options;
  return openListing(baseUrl, { fetch: fetchBy(client), unproved: true, pausesMs: [], ...others, signal });
}

/** Walks and keeps what came, as if nothing had before a restart. */
async function walked(
  baseUrl: string,
  options: ClientOptions & ListingOptions = {},
  onPage: (page: number) => unknown = () => {},
) {
  const pages = new Map<number, Uint8Array>();
  const restarts: string[] = [];
  const how: ListingWalkOptions = {
    restart: true,
    onRestart({ message }) {
      restarts.push(message.replaceAll(baseUrl, "{base}"));
      pages.clear();
    },
  };
  const listing = opened(baseUrl, options);
  const walk = listing.pages(how);
  let users = 0;
  for await (const { number, bytes, page } of walk) {
    expect(pages.has(number), `page ${number} twice`).toBe(false);
    users = (number === 1 ? 0 : users) + page.results.length;
    pages.set(number, bytes);
    await onPage(number);
  }
  const { snapshot } = walk;
  if (!snapshot) throw new Error("Nothing was read");
  return { snapshot, pages, restarts, users, proof: listing.proof };
}

/** Why nothing is read, with the fetch's own words where it has any. */
async function refusal(baseUrl: string, options: ClientOptions & ListingOptions = {}): Promise<string> {
  const error = await walked(baseUrl, options).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ListingError);
  const { cause, message } = error as ListingError;
  return (cause instanceof UserError ? cause.message : message).replaceAll(baseUrl, "{base}");
}

/** Why a diff does not read it. */
async function refusedSide(baseUrl: string): Promise<string> {
  const effects = { onProgress: () => {}, signal: undefined };
  const error = await openRemoteSide(baseUrl, scratch(), effects).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message.replaceAll(baseUrl, "{base}");
}

/** A front that answers one page, or without a number every one, with something else. */
const at =
  (page: number | undefined, answer: (res: ServerResponse) => unknown) =>
  ({ intercept }: Front): void =>
    intercept((req, res) => {
      if (isProof(req.url)) return send("{}", 404)(res);
      return req.url?.endsWith(`page=${page ?? ""}`) || page === undefined ? answer(res) : false;
    });

/** What a listing of another program does not have. */
const isProof = (url = "") => /\/(snapshot\.json|SHA256SUMS)$/.test(url);

const send =
  (text: string | Buffer, status = 200, headers = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);

/** A host without digests. */
const plain = at(0, () => {});

describe("a host of one release", () => {
  const SHAPES: [string, Shape, string][] = [
    ["query links", {}, ""],
    ["a base URL with a path", {}, "/people/directory"],
    ["path links", { links: "path" }, "/v1"],
    ["compressed pages", { encodings: ["br", "gzip"] }, ""],
    ["gzip alone", { encodings: ["gzip"] }, ""],
  ];
  test.each(SHAPES)("%s: every page once, proved", async (_name, shape, path) => {
    const { baseUrl, host, asked } = await front({ count: 21, pageSize: 2, ...shape }, path);
    const { snapshot, pages, users, restarts, proof } = await walked(`${baseUrl}/`);
    expect(snapshot).toEqual(host.release.snapshot);
    expect({ pages: pages.size, users, restarts, proof }).toEqual({
      pages: 11,
      users: 21,
      restarts: [],
      proof: "digests",
    });
    // snapshot.json at the beginning and at the end, and SHA256SUMS.
    expect(asked).toHaveLength(11 + 4);
  });

  test.each([0, 1, 2])("%i users on one page", async (count) => {
    const one = await front({ count, pageSize: 2 });
    for (const make of [() => {}, plain]) {
      make(one);
      expect(await walked(one.baseUrl)).toMatchObject({ snapshot: { count, pages: 1 }, users: count });
    }
  });

  test.each([
    ["answers 404 to a query", send('{"detail":"Not found."}', 404)],
    ["has an index of its own", send("<!doctype html>", 200, { "Content-Type": "text/html" })],
  ])("that %s is read by path, with digests and without", async (_name, answer) => {
    for (const isPlain of [false, true]) {
      const one = await front({ links: "path" });
      one.intercept((req, res) => {
        if (isPlain && isProof(req.url)) return send("{}", 404)(res);
        return req.url?.includes("?") ? answer(res) : false;
      });
      const { snapshot, pages } = await walked(one.baseUrl);
      expect(snapshot).toMatchObject({ pages: 3, links: "path" });
      expect(pages.size).toBe(3);
    }
  });

  test("a kept connection that the host has closed is opened again", async () => {
    const { baseUrl, host, intercept } = await front({ count: 20, pageSize: 1 });
    let answered = 0;
    intercept((req, res) => {
      if (req.socket.bytesRead > 400 && ++answered % 2 === 0) req.socket.destroy();
      else host.handler(req, res);
    });
    const { pages } = await walked(baseUrl);
    expect(answered).toBeGreaterThan(1);
    expect(pages.size).toBe(20);
  });
});

describe("a snapshot that changes under the walk", () => {
  test.each([true, false])("is walked from the beginning; with digests: %s", async (isProved) => {
    const one = await front({ count: 12 });
    if (!isProved) plain(one);
    let switched: Promise<void> | undefined;
    const pages: number[] = [];
    const { snapshot, restarts } = await walked(one.baseUrl, { concurrency: 1 }, async (page) => {
      pages.push(page);
      if (page !== 3) return;
      switched ??= publish(one.dist, { baseUrl: one.baseUrl, count: 5 }).then(() => one.host.reload());
      await switched;
    });
    expect(snapshot).toMatchObject({ count: 5, pages: 3 });
    if (isProved) expect(pages).toEqual([1, 2, 3, 1, 2, 3]);
    expect(pages.slice(-3)).toEqual([1, 2, 3]);
    expect(restarts).toEqual([expect.stringContaining("is of another snapshot")]);
  });

  test("again and again is refused in the end", async () => {
    const one = await front({ count: 12 });
    let asked = 0;
    one.edit(({ url }, reply) => {
      if (isProof(url)) return { ...reply, status: 404 };
      if (!url?.endsWith("page=1")) return undefined;
      const body = Buffer.from(reply.body.toString().replace('"bio":"', `"bio":"${asked++}`));
      return { ...reply, body, headers: [["Content-Type", "application/json"]] };
    });
    expect(await refusedSide(one.baseUrl)).toMatch(
      /is of another snapshot.* Try again when nothing is being deployed; if that does not help, its servers have different releases\.$/,
    );
  });
});

describe("a host that lies, and has no digests", () => {
  const LIES: [string, (front: Front) => void, RegExp][] = [
    [
      "a body cut short",
      at(2, (res) => {
        res.writeHead(200, { "Content-Length": "1000" }).write("{", () => res.destroy());
      }),
      /page=2 broke off its answer before the end of the body\.$/,
    ],
    [
      "a coding nobody asked for",
      at(2, send("x", 200, { "Content-Encoding": "zstd" })),
      /page=2 answers with a Content-Encoding that was not requested, zstd/,
    ],
    [
      "a coding that the body is not of",
      at(2, send("{}", 200, { "Content-Encoding": "gzip" })),
      /page=2 says Content-Encoding: gzip, which its body is not/,
    ],
    ["a wait without end", at(2, send("", 503, { "Retry-After": "86400" })), /page=2 asks to wait 86400 seconds/],
    [
      "what is not HTTP",
      at(2, (res) => void res.socket?.end("SSH-2.0-OpenSSH_9.6\r\n")),
      /page=2 answered what is not HTTP/,
    ],
    ["a status that is none", at(2, send("x", 999)), /page=2 answered 999 with headers that are none of HTTP\.$/],
  ];
  test.each(LIES)("%s", async (_name, lie, message) => {
    const one = await front();
    lie(one);
    expect(await refusal(one.baseUrl)).toMatch(message);
  });

  test("a small body that is a large one compressed", async () => {
    const one = await front();
    at(2, send(gzipSync(Buffer.alloc(10_000_000)), 200, { "Content-Encoding": "gzip" }))(one);
    expect(await refusal(one.baseUrl, { maxBytes: 100_000 })).toMatch(/page=2 answers more than the 100000 bytes/);
  });
});

describe("a host with digests", () => {
  test("and links to another base URL is read by its own", async () => {
    const { baseUrl } = await front({ baseUrl: "https://elsewhere.example" });
    const { snapshot, users } = await walked(baseUrl);
    expect(snapshot.base_url).toBe("https://elsewhere.example");
    expect(users).toBe(5);
  });
});

test("a host that stays busy is waited for a few times, and not at every question", async () => {
  const one = await front();
  one.intercept((_req, res) => send("", 503, { "Retry-After": "0" })(res));
  const client = createClient();
  onTestFinished(() => client.close());
  const asked: number[] = [];
  for (let question = 0; question < 5; question++) {
    expect((await client.request(one.baseUrl)).status).toBe(503);
    asked.push(one.asked.length);
  }
  expect(asked).toEqual([5, 10, 15, 16, 17]);
});

describe("a host that is not there", () => {
  test.each([
    ["answers nothing", () => {}],
    [
      "answers for ever",
      (res: ServerResponse) => {
        res.writeHead(200);
        const more = () => {
          if (res.write(" ")) setImmediate(more);
        };
        more();
      },
    ],
  ])("a host that %s is waited for no longer than allowed", async (_name, answer) => {
    const one = await front();
    at(2, answer)(one);
    expect(await refusal(one.baseUrl, { timeoutMs: 200 })).toMatch(/page=2 did not answer in full/);
  });

  test("nothing listens", async () => {
    expect(await refusal("http://127.0.0.1:9")).toBe(
      "{base}/snapshot.json cannot be reached: nothing listens there; check the address and that the host runs.",
    );
  });

  test("no such name, no TLS, no base URL", async () => {
    expect(await refusal("http://no.such.name.invalid")).toMatch(/ cannot be reached: its name /);
    const { baseUrl } = await front();
    expect(await refusal(baseUrl.replace("http:", "https:"))).toMatch(/it does not speak TLS/);
    expect(await refusedSide(`${baseUrl}/api/users/`)).toMatch(/^Base URL .* is of the listing itself/);
  });

  test("a walk that is called off ends at once", async () => {
    const one = await front();
    const controller = new AbortController();
    at(2, () => controller.abort(new Error("enough")))(one);
    await expect(walked(one.baseUrl, { signal: controller.signal })).rejects.toThrow("enough");
  });
});
