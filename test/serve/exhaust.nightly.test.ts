/** Clients that exhaust resources of the server: descriptors, memory, connections, time. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createListingServer } from "../../src/serve/serve.js";
import { CLI } from "../support/command.js";
import { openFiles, openFilesOf, scratch } from "../support/files.js";
import { pause } from "../support/time.js";
import { until } from "../support/until.js";
import { publish } from "./release.js";
import { ask, freshDist, open, sendAndWait, serving } from "./running.js";

const LISTING = "/api/users/";
const get = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const MB = 1024 * 1024;
/** Pages of some 5 MB: together more than the system buffers for one connection. */
const LONG_PAGES = { count: 1_000, pageSize: 50, bio: "x".repeat(100_000) };
/** Two URLs of the same page: one on the fast path, and one for Node's server. */
const WAYS: [way: string, target: (page: number) => string][] = [
  ["the fast path", (page) => `${LISTING}?page=${page}`],
  ["Node's server", (page) => `${LISTING}?page=${page}&x=1`],
];
// Pages of many megabytes take long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });
const hasProc = existsSync("/proc/self/fd");

describe.skipIf(!hasProc)("descriptors", () => {
  const others = { "avatar.png": "an avatar ".repeat(200_000) };
  const requests = get("/avatar.png").repeat(50);
  const leave = async (port: number, round: number) => {
    const socket = open(port);
    socket.pause();
    socket.write(requests);
    await pause(round);
    socket.resetAndDestroy();
  };

  test("clients that disconnect leave no descriptor open in an embedded server", async () => {
    const folder = await freshDist({ others });
    const lines: string[] = [];
    const server = await createListingServer({ dist: folder }, { log: (line) => lines.push(line) });
    const other = createServer(server.handler).listen(0, "127.0.0.1");
    onTestFinished(async () => {
      other.close();
      await server.close();
    });
    await until(() => other.listening);
    const { port } = other.address() as AddressInfo;
    for (let round = 0; round < 20; round++) await leave(port, round);
    const heard = await sendAndWait(
      port,
      get("/avatar.png").repeat(3) + get("/snapshot.json", "Connection: close\r\n"),
    );
    expect(heard.match(/HTTP\/1\.1 200 /g)).toHaveLength(4);
    await until(() => openFiles("avatar.png").length === 0);
    expect(lines).toEqual([]);
  });
});

describe.each(WAYS)("by %s", (_way, target) => {
  test("answers a packet of many requests one at a time", async () => {
    const { port, entries } = await serving(LONG_PAGES, { cacheMb: 1 });
    const before = process.memoryUsage().arrayBuffers;
    const socket = open(port);
    socket.pause();
    const pages = Array.from({ length: 20 }, (_, at) => at + 1);
    socket.write(pages.map((page) => get(target(page))).join(""));
    await until(() => entries.length > 0 || process.memoryUsage().arrayBuffers > before + 4 * MB);
    await pause(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30 * MB);
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    socket.resume();
    await until(() => entries.length === 20 && bytes > 100_000_000);
    expect(entries.map(({ status }) => status)).toEqual(pages.map(() => 200));
    socket.destroy();
  });

  test("bytes that are not HTTP do not truncate the response before them", async () => {
    const { port } = await serving({ count: 200, pageSize: 200, bio: "x".repeat(100_000) }, {}, { lingerMs: 50 });
    const socket = open(port);
    socket.setNoDelay();
    socket.pause();
    socket.write(get(target(1)));
    for (const garbage of ["no HTTP\r\n\r\n", "more\r\n\r\n", "\x16\x03\x01", "GET / HTTP/1.1\r\n\r\n"]) {
      await pause(100);
      socket.write(garbage);
    }
    await pause(200);
    const heard = await readAll(socket);
    const length = Number(/Content-Length: (\d+)/.exec(heard.slice(0, 1_000))?.[1]);
    expect(length).toBeGreaterThan(20_000_000);
    const next = heard.slice(heard.indexOf("\r\n\r\n") + 4 + length);
    expect(next).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(next.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe.skipIf(!hasProc)("few descriptors", () => {
  /** A process that may open this many files. */
  async function startLimited(most: number) {
    const folder = scratch();
    const others = { "avatar.png": "an avatar ".repeat(3_000_000) };
    await publish(folder, { count: 120, pageSize: 1, others });
    const command = `ulimit -n ${most}; exec "$0" "${CLI}" serve "${folder}" --port 0 --json`;
    const child = spawn("sh", ["-c", command, process.execPath], { stdio: ["ignore", "pipe", "pipe"] });
    let told = "";
    child.stderr.on("data", (chunk) => {
      told += chunk;
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    onTestFinished(() => void child.kill("SIGKILL"));
    const first = await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve));
    const port = Number(new URL(JSON.parse(first.toString()).url).port);
    return { child, port, exited, told: () => told };
  }

  test("200 deaf downloads and 50 idle clients at 256 open files fail no page", async () => {
    const { child, port, exited, told } = await startLimited(256);
    const idle = Array.from({ length: 50 }, () => open(port));
    const deaf = Array.from({ length: 200 }, () => {
      const socket = open(port);
      socket.pause();
      socket.write(get("/avatar.png"));
      return socket;
    });
    // A third of the connections, which are three quarters of the descriptors but 32.
    await until(() => openFilesOf(child.pid, "avatar.png").length === 56);
    const pages = Array.from({ length: 60 }, (_, at) => at + 1);
    for (const page of pages) expect((await ask(port, `${LISTING}?page=${page}`)).status).toBe(200);
    for (const socket of [...idle, ...deaf]) socket.destroy();
    await until(() => readdirSync(`/proc/${child.pid}/fd`).length < 40);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(told()).not.toMatch(/Build again|EMFILE/);
  });

  test("closes new connections beyond the limit, and logs it once", async () => {
    const { child, port, exited, told } = await startLimited(150);
    const idle = Array.from({ length: 300 }, () => open(port));
    await until(() => idle.filter((socket) => socket.closed).length > 150);
    expect(told().match(/the most that are possible with the limit of 150 open files \(ulimit -n\)/g)).toHaveLength(1);
    for (const socket of idle) socket.destroy();
    await until(async () => (await ask(port, LISTING).catch(() => undefined))?.status === 200);
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  });
});

/** Reads until the server closes, or until a number of bytes. */
async function readAll(socket: Socket, most = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) resolve();
    });
    socket.once("close", () => resolve());
    socket.resume();
  });
  return Buffer.concat(chunks).toString("latin1");
}
