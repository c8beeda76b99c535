/** Connections are closed in stages, so that a client gets all of its answers, and the log has each of them. */
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../support/until.js";
import { ask, closed, open, received, serving } from "./running.js";

const LISTING = "/api/users/";
/** Makes a page of 100 users 1 MB long: the system takes all of it before the client has read it. */
const PAGES = { count: 200, pageSize: 100, bio: "x".repeat(10_000), encodings: ["gzip" as const] };
const DOWNLOAD = { "avatar.png": "an avatar ".repeat(200_000) };
/** No client of these tests is cut by the clock. */
const PATIENT = { lingerMs: 600_000 };

const get = (target: string, header = "", version = "1.1") =>
  `GET ${target} HTTP/${version}\r\nHost: a\r\n${header}\r\n`;
const page = get(`${LISTING}?page=1`);
const chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

/** A client that reads nothing yet. */
function silent(port: number, text: string): Socket {
  const socket = open(port).setNoDelay();
  socket.pause();
  socket.write(text);
  return socket;
}

/** Resolves once the server has read what clients have sent so far, and has written its answers. */
async function settled(port: number): Promise<void> {
  for (let time = 0; time < 3; time++) await ask(port, "/snapshot.json");
}

/** The lengths of bodies: as promised, and as they came. */
function lengthsOf(heard: string): [status: string, promised: number, got: number][] {
  return heard.split(/(?=HTTP\/1\.1 \d{3} )/).map((answer) => {
    const head = answer.slice(0, answer.indexOf("\r\n\r\n") + 4);
    const [, promised] = /Content-Length: (\d+)/.exec(head) ?? [];
    return [head.slice(9, 12), Number(promised), answer.length - head.length];
  });
}

describe.each([
  ["the fast path", {}],
  ["Node's server", { fastBytes: 0 }],
])("on %s", (_path, limits) => {
  const endings: [name: string, text: string, statuses: string[]][] = [
    ["Connection: close", get(LISTING, "Connection: close\r\n"), ["200"]],
    ["HTTP/1.0", get(LISTING, "", "1.0"), ["200"]],
    ["HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["400"]],
    ["a bad chunk", `${chunked}zz\r\n`, ["405"]],
    ["a body", `${chunked}5\r\nhello\r\n`, ["405"]],
    ["a download", get("/avatar.png", "Connection: close\r\n"), ["200"]],
    ["no page", get(`${LISTING}?page=0`, "Connection: close\r\n"), ["404"]],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", ["405"]],
    ["no HTTP", "hello\r\n\r\n", ["400"]],
  ];
  const accepting: [name: string, header: string][] = [
    ["plain", ""],
    ["gzip", "Accept-Encoding: gzip\r\n"],
  ];
  const cases = endings.flatMap((ending) => accepting.map(([name, header]) => [...ending, name, header] as const));

  test.each(cases)("%s and more bytes cut no answer", async (_name, ending, statuses, _coding, header) => {
    const { port, entries } = await serving({ ...PAGES, others: DOWNLOAD }, {}, { ...PATIENT, ...limits });
    const socket = silent(port, get(`${LISTING}?page=1`, header));
    await settled(port);
    const heard = received(socket);
    socket.pause();
    for (const text of [ending, "\r\n", page.repeat(5)]) {
      socket.write(text);
      await settled(port);
    }
    socket.resume();
    await closed(socket);
    const lengths = lengthsOf(heard());
    expect(lengths.map(([status]) => status)).toEqual(["200", ...statuses]);
    for (const [, promised, got] of lengths) expect(got).toBe(promised);
    const logged = () => entries.filter(({ url }) => url !== "/snapshot.json");
    await until(() => logged().length === 2);
    expect(logged().filter(({ broken }) => broken)).toEqual([]);
  });

  test("a client that sends more requests than may wait gets the answer that was begun", async () => {
    const { port } = await serving(PAGES, {}, { ...PATIENT, ...limits, waiting: 3 });
    const socket = silent(port, "");
    const heard = received(socket);
    socket.pause();
    const head = `HEAD ${LISTING} HTTP/1.1\r\nHost: a\r\n\r\n`;
    socket.write(get(`${LISTING}?page=1`, "X: \x80\r\n") + head.repeat(20));
    await settled(port);
    socket.write(page.repeat(20));
    await settled(port);
    socket.resume();
    await closed(socket);
    const [[status, promised, got] = []] = lengthsOf(heard());
    expect([status, got]).toEqual(["200", promised]);
  });

  test("logs as broken what a client did not take", async () => {
    const { port, entries } = await serving(PAGES, {}, { ...PATIENT, ...limits });
    const socket = silent(port, get(`${LISTING}?page=1`, "Connection: close\r\n"));
    await settled(port);
    expect(entries.filter(({ url }) => url !== "/snapshot.json")).toEqual([]);
    socket.resetAndDestroy();
    await until(() => entries.some(({ url }) => url !== "/snapshot.json"));
    expect(entries.at(-1)).toMatchObject({ status: 200, bytes: 0, broken: true });
  });

  test.each([
    ["after some time", "", { lingerMs: 50 }],
    ["after some bytes", "x".repeat(2_000), { ...PATIENT, lingerBytes: 1_000 }],
  ])("closes a connection that the client keeps, %s", async (_when, more, ends) => {
    const { port, entries } = await serving(PAGES, {}, { ...limits, ...ends });
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.resume();
    socket.write(get(LISTING, "Connection: close\r\n"));
    await until(() => socket.readableEnded);
    socket.write(more);
    await until(() => entries.length === 1);
    expect(entries[0]).toMatchObject({ status: 200 });
  });

  test("closes an idle connection in stages", async () => {
    const { port } = await serving(PAGES, {}, { ...PATIENT, ...limits, keepAliveMs: 50, checkMs: 20 });
    const socket = silent(port, page);
    const heard = received(socket);
    socket.pause();
    // A new connection closes at the earliest when this one does.
    const idle = open(port);
    idle.resume();
    idle.write(page);
    await closed(idle);
    await settled(port);
    socket.write(page);
    await settled(port);
    socket.resume();
    await closed(socket);
    const [[status, promised, got] = []] = lengthsOf(heard());
    expect([status, got]).toEqual(["200", promised]);
  });

  test("the log has every answer when the server has closed, also those that were cut", async () => {
    const long = { count: 100, pageSize: 100, bio: "x".repeat(200_000) };
    const others = { "avatar.png": "an avatar ".repeat(2_000_000) };
    const { server, port, entries } = await serving(
      { ...long, others },
      {},
      { ...PATIENT, ...limits, graceMs: 50, closeMs: 400 },
    );
    const three = (text: string) => Array.from({ length: 3 }, () => silent(port, text));
    const sockets = [get("/avatar.png"), page, "", get("/snapshot.json", "Connection: close\r\n")].flatMap(three);
    await settled(port);
    await server.close();
    const logged = entries.map(({ url, broken }) => `${url} ${broken ? "broken" : "whole"}`);
    expect(logged.filter((entry) => entry.startsWith("/avatar.png"))).toEqual(Array(3).fill("/avatar.png broken"));
    expect(logged.filter((entry) => entry.startsWith(LISTING))).toEqual(Array(3).fill(`${LISTING}?page=1 broken`));
    // Those of `settled`, too.
    expect(logged.filter((entry) => entry === "/snapshot.json whole")).toHaveLength(6);
    for (const socket of sockets) socket.destroy();
  });
});
