/** Parts and steps of a release: their headers, and ranges of their bytes. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  linkSync,
  openSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { createListingServer } from "../../src/serve/serve.js";
import { openFiles } from "../support/files.js";
import { releaseOf } from "../support/served.js";
import { until } from "../support/until.js";
import { switchTo, writeRelease } from "./release.js";
import { ask, closed, freshDist, open, serving } from "./running.js";

const BYTES = randomBytes(100_000);
const PATH = "/bulk/1.ndjson.gz";
const ETAG = `"${sha256(BYTES)}"`;
const STEP = "/changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz";
const others = {
  [PATH.slice(1)]: BYTES,
  [STEP.slice(1)]: BYTES,
  "changes.json": "{}\n",
  "bulk/1.ndjson": "plain\n",
  "openapi.json": "{}",
};

const asked = async (headers: Record<string, string>, method = "GET") => {
  const { port } = await serving({ others });
  return ask(port, PATH, { method, headers });
};

test.each([{}, { "Accept-Encoding": "gzip, br" }])("sends a part unmodified to a client with %j", async (headers) => {
  const answer = await asked(headers);
  expect([answer.status, answer.body.equals(BYTES)]).toEqual([200, true]);
  expect(answer.headers).toMatchObject({
    ...{ "content-type": "application/gzip", "content-length": `${BYTES.length}`, etag: ETAG },
    ...{ "accept-ranges": "bytes", "cache-control": "public, max-age=60" },
    ...{ vary: "Accept", link: '</openapi.json>; rel="service-desc"' },
  });
  for (const name of ["content-encoding", "last-modified"]) expect(answer.headers).not.toHaveProperty(name);
});

test("sends a step like a part, and changes.json like snapshot.json", async () => {
  const { port } = await serving({ others });
  const headersOf = async (path: string, headers: Record<string, string>) => {
    const { date: _, ...kept } = (await ask(port, path, { headers })).headers;
    return kept;
  };
  for (const headers of [{}, { Range: "bytes=5-9" }, { Range: "bytes=100000-" }, { "If-None-Match": ETAG }])
    expect(await headersOf(STEP, headers)).toEqual(await headersOf(PATH, headers));
  const range = await ask(port, STEP, { headers: { Range: "bytes=-5" } });
  expect([range.status, range.body.equals(BYTES.subarray(-5))]).toEqual([206, true]);
  const changes = await ask(port, "/changes.json", { headers: { Range: "bytes=0-0" } });
  expect([changes.status, `${changes.body}`, changes.headers["accept-ranges"]]).toEqual([200, "{}\n", undefined]);
  expect(changes.headers).toMatchObject({ "cache-control": "no-cache", "content-type": "application/json" });
  const plain = await ask(port, "/bulk/1.ndjson", { headers: { Range: "bytes=2-3" } });
  expect([plain.status, `${plain.body}`, plain.headers["accept-ranges"]]).toEqual([200, "plain\n", undefined]);
});

test("HEAD has GET's headers, with a range or without", async () => {
  const get = await asked({});
  for (const headers of [{}, { Range: "bytes=5-9" }]) {
    const head = await asked(headers, "HEAD");
    expect([head.status, head.body.length]).toEqual([200, 0]);
    // Each response is of another release.
    const own = { date: "", "snapshot-id": expect.any(String) };
    expect({ ...head.headers, date: "" }).toEqual({ ...get.headers, ...own });
  }
});

const LAST = BYTES.length - 1;

describe("a range", () => {
  test.each<[string, number, number]>([
    ["bytes=5-9", 5, 9],
    ["bytes=99990-", 99_990, LAST],
    ["bytes=0-0", 0, 0],
    ["bytes=0-1", 0, 1],
    ["bytes=0-", 0, LAST],
    ["bytes=-3", LAST - 2, LAST],
    ["bytes=-999999", 0, LAST],
    ["bytes=99999-18446744073709551616", LAST, LAST],
    ["BYTES=7-7", 7, 7],
  ])("%s is answered with its bytes", async (range, start, end) => {
    for (const more of [{}, { "If-Range": ETAG }]) {
      const answer = await asked({ Range: range, ...more });
      expect([answer.status, answer.body.equals(BYTES.subarray(start, end + 1))]).toEqual([206, true]);
      expect(answer.headers).toMatchObject({
        ...{ "content-range": `bytes ${start}-${end}/${BYTES.length}`, "content-length": `${end - start + 1}` },
        ...{ "content-type": "application/gzip", etag: ETAG, link: expect.any(String) },
      });
    }
  });

  test("ignores an invalid range, and one of another part", async () => {
    const forms = ["bytes=9-5", "bytes=1-2,4-5", "bytes=-", "bytes=", "items=1-2", "bytes=a-b", "1-2"];
    const conditions = ['"other"', `W/${ETAG}`, "Thu, 01 Jan 2026 00:00:00 GMT"];
    for (const headers of [
      ...forms.map((Range) => ({ Range })),
      ...conditions.map((condition) => ({ Range: "bytes=5-9", "If-Range": condition })),
    ]) {
      const answer = await asked(headers);
      expect([headers, answer.status, answer.body.length]).toEqual([headers, 200, BYTES.length]);
      expect(answer.headers).not.toHaveProperty("content-range");
    }
    expect((await asked({ Range: "bytes=5-9", "If-None-Match": ETAG })).status).toBe(304);
  });

  test.each(["bytes=100000-", "bytes=999999999999-9999999999999", "bytes=-0"])(
    "%s is not satisfiable",
    async (range) => {
      const answer = await asked({ Range: range });
      expect([answer.status, `${answer.body}`]).toEqual([416, '{"detail":"Range not satisfiable."}']);
      expect(answer.headers).toMatchObject({
        ...{ "content-range": `bytes */${BYTES.length}`, "content-type": "application/json" },
        ...{ "cache-control": "no-store", link: expect.any(String) },
      });
    },
  );
});

test("refuses a changed part, and serves it again after repair", async () => {
  const { port, server, lines } = await serving({ others }, { cacheMb: 0 });
  const file = join(releaseOf(server).folder, PATH);
  appendFileSync(file, "x");
  expect((await ask(port, PATH)).status).toBe(500);
  expect((await ask(port, PATH, { headers: { Range: "bytes=5-9" } })).status).toBe(500);
  expect(lines).toEqual([expect.stringContaining(`${file} does not match its digest`)]);
  writeFileSync(file, BYTES);
  expect((await ask(port, PATH)).body.equals(BYTES)).toBe(true);
});

describe("a large part", () => {
  /** More than the system buffers for one connection. */
  const LARGE = Buffer.alloc(20_000_000, "part");
  const large = { [PATH.slice(1)]: LARGE };
  const GET = `GET ${PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

  /** A client that has begun to read, and reads no further. */
  async function stalled(port: number) {
    const socket = open(port);
    socket.write(GET);
    const [first] = await once(socket, "data");
    socket.pause();
    return { socket, read: first.length as number };
  }

  test("is sent completely, and in ranges", async () => {
    const { port } = await serving({ others: large });
    expect((await ask(port, PATH)).body.equals(LARGE)).toBe(true);
    const range = await ask(port, PATH, { headers: { Range: "bytes=65535-200000" } });
    expect([range.status, range.body.equals(LARGE.subarray(65_535, 200_001))]).toEqual([206, true]);
    const head = await ask(port, PATH, { method: "HEAD" });
    expect([head.headers["content-length"], head.body.length]).toEqual([`${LARGE.length}`, 0]);
  });

  test.each(["bytes=0-0", "bytes=1-2,4-5", "bytes=9-5"])("is sent whole for the range %s", async (range) => {
    const { port } = await serving({ others: large });
    const answer = await ask(port, PATH, { headers: { Range: range } });
    expect([answer.status, answer.body.length]).toEqual([200, LARGE.length]);
    expect(answer.headers).not.toHaveProperty("content-range");
    expect(answer.headers).not.toHaveProperty("last-modified");
  });

  test("frees descriptors of stalled clients when they leave, and serves other files meanwhile", async () => {
    const { port, server, entries } = await serving({ others: large });
    const clients = await Promise.all(Array.from({ length: 20 }, () => stalled(port)));
    const opened = () => openFiles(join(releaseOf(server).folder, PATH)).length;
    expect(opened()).toBe(20);
    expect((await ask(port, "/snapshot.json")).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    await until(() => opened() === 0 && entries.length === 21);
    for (const { bytes, broken } of entries.filter(({ url }) => url === PATH)) {
      expect(broken).toBe(true);
      expect(bytes).toBeLessThan(LARGE.length);
    }
  });

  test("is refused when a third of all connections are downloads", async () => {
    const { port } = await serving({ others: large }, {}, { connections: 6 });
    const clients = await Promise.all([stalled(port), stalled(port)]);
    const { status, headers, body } = await ask(port, PATH);
    expect([status, `${body}`]).toEqual([503, '{"detail":"Too many downloads. Try again later."}']);
    expect(headers).toMatchObject({ connection: "close", "cache-control": "no-store" });
    expect((await ask(port, "/snapshot.json")).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    await until(async () => (await ask(port, PATH)).status === 200);
  });

  test.each<[string, (file: string) => void]>([
    ["hard-linked, as by a build", (file) => linkSync(file, `${file}.2`)],
    ["removed, as by forget", (file) => rmSync(file)],
  ])("that is %s while it is sent is sent to its end", async (_what, change) => {
    const { port, server } = await serving({ others: large });
    const { socket, read } = await stalled(port);
    change(join(releaseOf(server).folder, PATH));
    expect(await readRest(socket, read)).toBeGreaterThan(LARGE.length);
  });

  test.each([1_000_000, 30_000_000])(
    "cut or extended to %i bytes while it is sent breaks the connection",
    async (size) => {
      const { port, server, entries } = await serving({ others: large });
      const { socket, read } = await stalled(port);
      truncateSync(join(releaseOf(server).folder, PATH), size);
      // Headers are part of what is read.
      expect(await readRest(socket, read)).toBeLessThanOrEqual(LARGE.length + 1_000);
      await until(() => entries.length > 0);
      expect(entries).toMatchObject([{ status: 200, broken: true }]);
    },
  );

  test("that was changed is refused, with one line in the log", async () => {
    const { port, server, lines } = await serving({ others: large });
    const file = join(releaseOf(server).folder, PATH);
    const opened = openSync(file, "r+");
    writeSync(opened, "other", LARGE.length - 5);
    closeSync(opened);
    expect((await ask(port, PATH)).status).toBe(500);
    expect((await ask(port, PATH, { method: "HEAD" })).status).toBe(500);
    expect((await ask(port, PATH, { headers: { Range: "bytes=5-9" } })).status).toBe(500);
    expect(lines).toEqual([expect.stringContaining(`${file} does not match its digest`)]);
  });

  test("is hashed again at a switch only if it is another file", async () => {
    const dist = await freshDist({ others: large });
    const file = join(dist, "current", PATH);
    utimesSync(file, 1_000, 1_000);
    const { server } = await serving({}, { dist });
    const next = await writeRelease(dist, { others: large, bio: "next" });
    rmSync(join(next, PATH));
    linkSync(file, join(next, PATH));
    // Other bytes, which only hashing would find.
    const opened = openSync(file, "r+");
    writeSync(opened, "other", LARGE.length - 5);
    closeSync(opened);
    utimesSync(file, 1_000, 1_000);
    await switchTo(dist, next);
    await server.reload();
    expect(releaseOf(server).folder).toBe(next);
    utimesSync(file, 2_000, 2_000);
    await expect(createListingServer({ dist })).rejects.toThrow(/does not match its digest/);
  });
});

/** Reads on until the server closes. @returns the bytes of the whole response. */
async function readRest(socket: Socket, read: number): Promise<number> {
  let bytes = read;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  await closed(socket);
  return bytes;
}

test("serves a small file from memory after the first read", async () => {
  const { port, server } = await serving({ others });
  for (const path of ["/openapi.json", PATH]) {
    const { body } = await ask(port, path);
    rmSync(join(releaseOf(server).folder, path));
    expect((await ask(port, path)).body.equals(body)).toBe(true);
  }
});
