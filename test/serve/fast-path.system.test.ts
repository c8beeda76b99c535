/** Compares the fast path with Node's server: same bytes, and only for requests that it may take. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { draws } from "../support/random.js";
import { releaseOf } from "../support/served.js";
import { until } from "../support/until.js";
import { closed, freshDist, open, type Running, received, sendAndClose, sendAndWait, serving } from "./running.js";

const LISTING = "/api/users/";
const LAST = `GET ${LISTING}?page=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

const targets = [
  ...["?format=api&page=1", "?format=api&page=2", "?page=3", "?page=1", "?page=4", "?page=999999999"],
  ...["?page=1000000000", "?page=0", "?page=01", "?page=", "?page=1%30", "?page=1&page=2", "?page=2&format=api"],
  ...["/snapshot.json", "/avatar.svg", "/", "/bulk/1.ndjson.gz", "pages/4.json", "pages/04.json", "pages/5.json", "/x"],
  ...["?format=json&page=2", "?page=2#x", "??page=2", "", "pages/2.json", "?page=+1", "?page=\xb2"],
];
const headers = [
  ...["Host: b", "Accept: */*", "Accept-Encoding: gzip", "accept-encoding:br;q=0", "Accept-Encoding: "],
  ...["If-None-Match: *", 'If-None-Match: "x"', "IF-NONE-MATCH: TAG", 'If-None-Match: W/TAG, "y"', "Range: bytes=0-3"],
  ...["Connection: keep-alive", "Connection: Keep-Alive", "Connection: close", "Connection: upgrade"],
  ...["Content-Length: 0", "Content-Length: 3", "Content-Length: -1", "Transfer-Encoding: chunked"],
  ...["Expect: 100-continue", "Expect: x", "Upgrade: h2c", "X: \ty", "X:  y ", "X : y", ": y", "X: \x80", "X: \x01"],
  ...[" folded", "X", "X: a\rb", "X: a\nY: b", "Keep-Alive: 3", "Cookie: a=b; c=d", "X: \0"],
];
const request = fc
  .record({
    method: fc.constantFrom("GET", "GET", "GET", "GET", "HEAD", "POST", "get", "GETX"),
    target: fc.oneof(fc.constantFrom(...targets), fc.constantFrom(...targets.slice(0, 4))),
    version: fc.constantFrom("1.1", "1.1", "1.1", "1.1", "1.0", "2.0"),
    host: fc.constantFrom("Host: a", "Host: a", "Host: a", "Host:", "X-Host: a"),
    further: fc.array(fc.constantFrom(...headers), { maxLength: 3 }),
  })
  .map(({ method, target, version, host, further }) =>
    [`${method} ${target.startsWith("/") ? target : LISTING + target} HTTP/${version}`, host, ...further, "", ""].join(
      "\r\n",
    ),
  );

test("the fast path sends the same bytes as Node's server, whatever a client sends", async () => {
  const others = { "avatar.svg": "<svg/>", "index.html": "<p>", "bulk/1.ndjson.gz": "a part" };
  const folder = await freshDist({ count: 7, pageSize: 2, encodings: ["gzip"], others });
  const limits = { checkMs: 20, lingerMs: 100, requestMs: 500, headersMs: 500 };
  const fast = await serving({}, { dist: folder }, limits);
  const slow = await serving({}, { dist: folder }, { ...limits, fastBytes: 0 });
  const etag = `"${releaseOf(fast.server).sums.pages.get(2, "identity")}"`;
  const expectSame = async (requests: readonly string[], cuts: readonly number[] = []) => {
    const text = requests.join("").replaceAll("TAG", etag) + LAST;
    const [one, other] = await Promise.all([hearInPackets(fast.port, text, cuts), hear(slow.port, text)]);
    expect(one, JSON.stringify(text)).toBe(other);
  };
  const start = `GET ${LISTING}?page=2 HTTP/1.1\r\nHost: a\r\n`;
  const single = headers.flatMap((header) => [`${header}\r\n`, `${header}\r\n${header}\r\n`]);
  const twice = ["Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n", "If-None-Match: x\r\nIf-None-Match: TAG\r\n"];
  for (const block of [...single, ...twice]) await expectSame([`${start}${block}\r\n`]);
  const pipelined = [`${start}\r\n`, `HEAD /snapshot.json HTTP/1.1\r\nHost: a\r\n\r\n`];
  for (let cut = 1; cut < pipelined.join("").length; cut++) await expectSame(pipelined, [cut]);
  const [some, cuts] = [fc.array(request, { maxLength: 4 }), fc.array(fc.nat(400), { maxLength: 3 })];
  await fc.assert(fc.asyncProperty(some, cuts, expectSame), { numRuns: draws(600) });
  const logged = ({ entries }: Running) =>
    entries.map(({ method, url, status, bytes }) => `${method} ${url} ${status} ${bytes}`).sort();
  expect(logged(fast)).toEqual(logged(slow));
}, 120_000);

test("logs a refused request as answered when its body is invalid and its client sends no more", async () => {
  const { port, entries } = await serving({ count: 7, pageSize: 2 });
  const refused = `GET ${LISTING}?page=1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const others = `HEAD / HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2);
  for (let round = 0; round < 10; round++) await sendAndClose(port, others + refused + LAST);
  await until(() => entries.length === 30);
  const logged = entries.map(({ status, bytes, broken = false }) => `${status} ${bytes} ${broken}`);
  expect(logged.filter((entry) => entry.startsWith("400"))).toEqual(Array(10).fill("400 25 false"));
});

test.each([
  ["answers as many requests", 3, 4],
  ["cuts a client with more requests", 4, 1],
])("%s of one packet than may wait", async (_, others, answers) => {
  const { port } = await serving({ count: 7, pageSize: 2 }, {}, { waiting: 3 });
  const heard = await sendAndWait(port, `HEAD / HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(others) + LAST);
  expect(heard.match(/HTTP\/1\.1 /g) ?? []).toHaveLength(answers);
});

test("buffers at most one response for a client that does not read", async () => {
  const { port, entries } = await serving({ count: 100, pageSize: 100, bio: "long ".repeat(2_000) });
  const socket = open(port);
  socket.pause();
  socket.write(`GET ${LISTING}?page=1 HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(60));
  // The other client gets its responses while those of the first one wait.
  for (let round = 0; round < 20; round++) await sendAndClose(port, `GET ${LISTING} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(entries.length).toBeLessThan(40);
  socket.resume();
  await until(() => entries.length === 80);
  socket.destroy();
});

test.each([0, 64])("does not overwrite what a slow client has not read, with %i MB of cache", async (cacheMb) => {
  const { port, entries } = await serving({ count: 80, pageSize: 40 }, { cacheMb });
  const asking = (query: string, times: number) => `GET ${LISTING}?${query} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times);
  const bodies = (text: string) => text.split(/HTTP[^{]*(?={)/).slice(1);
  const [body] = bodies(await hear(port, LAST));
  // Each packet is sent at once.
  const slow = open(port).setNoDelay();
  slow.pause();
  // Writes until the system's buffer is full. Larger packets would leave the fast path.
  let asked = 0;
  const isWaiting = () => entries.filter(({ url }) => url.endsWith("&slow")).length < asked;
  while (!isWaiting()) {
    slow.write(asking("page=1&slow", 20));
    asked += 20;
    // Earlier requests are answered before later ones of others, unless they have to wait.
    for (let time = 0; time < 3; time++) await hear(port, LAST);
  }
  for (let time = 0; time < 20; time++) await hear(port, asking("page=2", 5) + LAST);
  expect(isWaiting()).toBe(true);
  let heard = "";
  slow.setEncoding("latin1").on("data", (chunk: string) => {
    heard += chunk;
  });
  slow.resume();
  slow.end(LAST);
  await until(() => slow.closed);
  const all = bodies(heard);
  expect(all).toHaveLength(asked + 1);
  expect(new Set(all)).toEqual(new Set([body]));
});

/** The responses until the server closes, without dates. */
async function hear(port: number, text: string): Promise<string> {
  return timeless(await sendAndClose(port, text));
}

/** The same for a text in packets that begin at these offsets. */
async function hearInPackets(port: number, text: string, cuts: readonly number[]): Promise<string> {
  const socket = open(port).setNoDelay();
  const heard = received(socket);
  const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
  for (const [at, place] of places.slice(0, -1).entries()) {
    socket.write(Buffer.from(text.slice(place, places[at + 1]), "latin1"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  await closed(socket);
  return timeless(heard());
}

const timeless = (answers: string) => answers.replace(/^Date: .*\r\n/gm, "");
