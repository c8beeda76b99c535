/** Listening, timeouts and shutdown. */
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { createListingServer, type Server } from "../../src/serve/serve.js";
import { takenPort } from "../support/ports.js";
import { releaseOf } from "../support/served.js";
import { repeat, until } from "../support/until.js";
import { ask, closed, freshDist, open, received, sendAndClose, sendAndWait, serving } from "./running.js";

const GET = "GET /api/users/ HTTP/1.1\r\nHost: a\r\n\r\n";

/** Makes a page of a thousand users 20 MB long: more than the system buffers for one connection. */
const LONG = "x".repeat(20_000);

describe("listen", () => {
  async function started(): Promise<Server> {
    const folder = await freshDist();
    const server = await createListingServer({ dist: folder });
    onTestFinished(() => server.close());
    return server;
  }

  test("refuses a port in use with the next step; another one still works", async () => {
    const port = await takenPort();
    const server = await started();
    await expect(server.listen({ port })).rejects.toMatchObject({
      name: "UserError",
      message: `Port ${port} on 127.0.0.1 is in use; stop the process that listens there, or choose another --port.`,
    });
    const { url } = await server.listen({ port: 0 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    [{ port: 0, host: "192.0.2.1" }, /"192\.0\.2\.1" is not an address of this machine; use --host/],
    [{ port: 0, host: "no.such.host.invalid" }, /is not an address of this machine/],
    [{ port: 70_000 }, /Port must be 0 to 65535, got 70000/],
    [{ port: 1.5 }, /Port must be/],
  ])("%j is refused", async (address, message) => {
    await expect((await started()).listen(address)).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(message),
    });
  });

  test.skipIf(
    !Object.values(networkInterfaces())
      .flat()
      .some((one) => one?.family === "IPv6"),
  )("puts an IPv6 address in brackets", async () => {
    const { url } = await (await started()).listen({ port: 0, host: "::1" });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/api/users/`)).status).toBe(200);
  });
});

describe("time limits", () => {
  const short = {
    headersMs: 300,
    requestMs: 400,
    keepAliveMs: 200,
    stalledMs: 600,
    checkMs: 50,
    lingerMs: 200,
  };

  test.each([
    ["a silent client", ""],
    ["a client that never ends its headers", "GET /api/users/ HTTP/1.1\r\nHost: a\r\nX-Slow: "],
  ])("%s gets an error and is cut", async (_name, text) => {
    const { port } = await serving({}, {}, short);
    const heard = await sendAndWait(port, text);
    expect(heard).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(heard).toMatch(/\r\n\r\n\{"detail":"Request timed out\."\}$/);
    expect(heard).toContain("Snapshot-Id: ");
  });

  test.each([
    ["headers", "GET / HTTP/1.1\r\n", "X: y\r\n", /^HTTP\/1\.1 408 /],
    ["a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", "x", /^HTTP\/1\.1 405 /],
  ])("a client that sends %s slowly gets an error and is cut", async (_what, start, drop, answer) => {
    const { port } = await serving({}, {}, short);
    const socket = open(port);
    const heard = received(socket);
    socket.write(start);
    const drip = repeat(() => socket.write(drop));
    await closed(socket);
    drip.stop();
    expect(heard()).toMatch(answer);
  });

  test("closes an idle kept connection", async () => {
    const { port } = await serving({}, {}, short);
    expect(await sendAndWait(port, GET)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("cuts a client that does not read its response", async () => {
    const { port, entries } = await serving({ count: 1_000, pageSize: 1_000, bio: LONG }, {}, short);
    const socket = open(port);
    socket.pause();
    socket.write(GET);
    await until(() => entries.length === 1);
    expect(entries[0]).toMatchObject({ status: 200, bytes: 0, broken: true });
    expect(entries[0]?.ms).toBeGreaterThan(short.stalledMs);
    socket.destroy();
  });
});

test("a slow and steady client gets the whole response", async () => {
  // The client takes longer for all than the limit, but never that long for what the system buffers.
  const limits = { keepAliveMs: 100, stalledMs: 3_000, checkMs: 20 };
  const { port } = await serving({ count: 1_000, pageSize: 1_000, bio: LONG }, {}, limits);
  const socket = open(port);
  socket.pause();
  socket.write(GET.replace("Host: a", "Host: a\r\nConnection: close"));
  let head = "";
  let received = 0;
  const reading = repeat(() => {
    const chunk: Buffer | null = socket.read(49_152) ?? socket.read();
    if (head === "") head = chunk?.toString("latin1") ?? "";
    received += chunk?.length ?? 0;
  });
  await closed(socket);
  reading.stop();
  expect(received).toBe(Number(/Content-Length: (\d+)/.exec(head)?.[1]) + head.indexOf("\r\n\r\n") + 4);
});

describe("close", () => {
  test("finishes responses in progress, and closes all connections", async () => {
    const { server, port } = await serving({ count: 1_000, pageSize: 1_000, bio: LONG }, { cacheMb: 0 });
    const idle = open(port);
    idle.resume();
    const kept = open(port);
    kept.resume();
    kept.write(GET);
    await until(() => kept.bytesRead > 0);
    const inFlight = open(port);
    let received = 0;
    let head = "";
    inFlight.pause();
    inFlight.write(GET);
    // The server has received the request once it has answered a later client.
    await ask(port, "/snapshot.json");
    const ended = server.close();
    expect(server.close()).toBe(ended);
    await expect(sendAndClose(port, GET)).resolves.toBe("");
    inFlight.on("data", (chunk) => {
      if (head === "") head = chunk.toString("latin1");
      received += chunk.length;
    });
    inFlight.resume();
    await ended;
    await Promise.all([idle, kept, inFlight].map(closed));
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    expect(length).toBeGreaterThan(20_000_000);
    expect(received).toBe(length + head.indexOf("\r\n\r\n") + 4);
  });

  test("answers a request that is being received, then closes its connection", async () => {
    const { server, port } = await serving();
    const socket = open(port);
    const heard = received(socket);
    socket.write(GET.slice(0, 30));
    // The server has read this part once it has answered a later client.
    await ask(port, "/snapshot.json");
    const ended = server.close();
    socket.write(GET.slice(30));
    await ended;
    await closed(socket);
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard()).toContain("Connection: close");
  });

  test("cuts clients that neither read nor disconnect", async () => {
    const limits = { graceMs: 50, closeMs: 400 };
    const { server, port } = await serving({ count: 1_000, pageSize: 1_000, bio: LONG }, {}, limits);
    const sockets = [GET, GET.slice(0, 20), ""].map((text) => {
      const socket = open(port);
      socket.pause();
      socket.write(text);
      return socket;
    });
    await until(() => sockets.every(({ connecting }) => !connecting));
    await ask(port, "/snapshot.json");
    await server.close();
    for (const socket of sockets) socket.destroy();
  });
});

test("the access log has every response", async () => {
  const began = new Date();
  const { server, port, entries } = await serving();
  // One at a time: an entry is written after its response was sent, which may be after the next request.
  const once = async <Result>(answer: Promise<Result>): Promise<Result> => {
    const before = entries.length;
    const result = await answer;
    await until(() => entries.length === before + 1);
    return result;
  };
  const page = await once(ask(port, "/api/users/?page=1"));
  await once(ask(port, "/api/users/?page=1", { method: "HEAD" }));
  await once(ask(port, "/api/users/?page=1", { headers: { "If-None-Match": "*" } }));
  const snapshot = await once(ask(port, "/snapshot.json"));
  await once(ask(port, "/nothing"));
  await once(ask(port, "/", { method: "OPTIONS" }));
  await once(sendAndClose(port, "nonsense\r\n\r\n"));
  const common = { remote: "127.0.0.1", release: releaseOf(server).snapshot.id };
  expect(entries).toMatchObject([
    { ...common, method: "GET", url: "/api/users/?page=1", status: 200, bytes: page.body.length },
    { ...common, method: "HEAD", status: 200, bytes: 0 },
    { ...common, status: 304, bytes: 0 },
    { ...common, url: "/snapshot.json", status: 200, bytes: snapshot.body.length },
    { ...common, url: "/nothing", status: 404, bytes: 23 },
    { ...common, method: "OPTIONS", status: 204, bytes: 0 },
    { ...common, method: "-", url: "-", status: 400, bytes: 25 },
  ]);
  for (const { time, ms } of entries) {
    expect(time.getTime()).toBeGreaterThanOrEqual(began.getTime());
    expect(ms).toBeGreaterThanOrEqual(0);
  }
});
