/** `rollcall serve --admin`: metrics and health. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../support/command.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { takenPort } from "../support/ports.js";
import { eventually, until } from "../support/until.js";
import { startServe } from "./process.js";
import { publish } from "./release.js";
import { ask, freshDist, open } from "./running.js";

const REQUESTS = 5_000;
const OPEN = 8;

/** The requests, in turn: pages in each coding, conditional ones, other files, invalid ones. */
const ASKED = [
  "GET /api/users/?page=1 HTTP/1.1\r\nHost: a\r\n",
  "GET /api/users/?page=2 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\n",
  "GET /api/users/?page=3 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n",
  "HEAD /api/users/?page=1 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n",
  "GET /api/users/?page=1 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\nIf-None-Match: *\r\n",
  "GET /api/users/?page=99 HTTP/1.1\r\nHost: a\r\n",
  "GET /api/users HTTP/1.1\r\nHost: a\r\n",
  "GET /api/users/pages/2.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br\r\n",
  "GET /snapshot.json HTTP/1.1\r\nHost: a\r\n",
  "OPTIONS /api/users/ HTTP/1.1\r\nHost: a\r\n",
].map((request) => `${request}\r\n`);
const LAST = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** Sends a number of requests, a batch per connection; some batches are not HTTP. */
async function load(port: number, requests: number): Promise<void> {
  let sent = 0;
  const client = async () => {
    while (sent < requests) {
      const batch = sent % 50 === 0 ? "\x16\x03 no HTTP\r\n\r\n" : ASKED.join("").repeat(5) + LAST;
      sent += 51;
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("error", () => {}).resume();
      socket.end(batch, "latin1");
      await once(socket, "close");
    }
  };
  await Promise.all(Array.from({ length: OPEN }, client));
}

async function startWatched(dist: string, ...args: string[]) {
  const server = await startServe(dist, "--admin", "0", ...args);
  const { admin } = JSON.parse(server.out[0] ?? "");
  const port = Number(new URL(admin).port);
  const read = async (path: string) => {
    const { status, headers, body } = await ask(port, path);
    return { status, headers, text: String(body) };
  };
  let logged = "";
  server.child.stdout?.on("data", (chunk) => {
    logged += chunk;
  });
  const entries = () =>
    logged
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...server, entries, admin: { port, read } };
}

/** The sum of a metric, as `/metrics` has it, over all labels that match. */
function sumOf(metrics: string, name: string, labels = ".*"): number {
  const values = [...metrics.matchAll(new RegExp(`^${name}(?:\\{${labels}\\})? (\\S+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

test("counters match the access log", async () => {
  const dist = await freshDist({ encodings: ["br", "gzip"] });
  const { port, entries, admin } = await startWatched(dist, "--access-log");
  // A batch that is not HTTP gets only one response.
  await load(port, REQUESTS * 1.05);
  await eventually(async () => {
    const { text } = await admin.read("/metrics");
    const all = entries();
    expect(all.length).toBeGreaterThan(REQUESTS);
    for (const kind of [2, 3, 4]) {
      const own = all.filter(({ status }) => Math.floor(status / 100) === kind);
      const labels = `[^}]*status="${kind}xx"[^}]*`;
      expect(sumOf(text, "rollcall_requests_total", labels)).toBe(own.length);
      const bytes = own.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(sumOf(text, "rollcall_response_body_bytes_total", labels)).toBe(bytes);
    }
  });
  const { text } = await admin.read("/metrics");
  expect(sumOf(text, "rollcall_requests_total", '[^}]*encoding="br"[^}]*')).toBeGreaterThan(REQUESTS / 5);
  expect(sumOf(text, "rollcall_requests_total", '[^}]*encoding="gzip"[^}]*')).toBeGreaterThan(REQUESTS / 6);
  expect(sumOf(text, "rollcall_cache_hits_total")).toBeGreaterThan(REQUESTS / 4);
  expect(sumOf(text, "rollcall_cache_reads_total")).toBeGreaterThan(0);
  if (!isMissing("promtool"))
    expect(execFileSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" })).toBe("");
});

test("counts switches, damage and connections", async () => {
  const dist = await freshDist();
  const { port, admin } = await startWatched(dist);
  const told = async () => (await admin.read("/metrics")).text;
  const folder = await publish(dist, { bio: "next" });
  await eventually(async () => expect(sumOf(await told(), "rollcall_switches_total")).toBe(1));
  await writeFile(join(folder, "api/users/pages/1.json"), "other");
  await eventually(async () => expect((await ask(port, "/api/users/?page=1")).status).toBe(500));
  await eventually(async () => expect(sumOf(await told(), "rollcall_damaged_reads_total")).toBeGreaterThan(0));
  expect(await told()).toContain(`rollcall_snapshot_info{id="${folder.slice(-12)}"} 1`);
  const open = connect({ port, host: "127.0.0.1" });
  await eventually(async () => expect(sumOf(await told(), "rollcall_connections")).toBe(1));
  open.destroy();
  await eventually(async () => expect(sumOf(await told(), "rollcall_connections")).toBe(0));
});

test("/healthz names the release, and is 503 without one; other paths are 404", async () => {
  const dist = scratch();
  const folder = await publish(dist);
  const { port, admin } = await startWatched(dist);
  const { status, headers, text } = await admin.read("/healthz");
  expect({ status, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
    ...{ status: 200, type: "application/json", cache: "no-store" },
  });
  const since = expect.stringMatching(/^\d{4}-\S+Z$/);
  expect(JSON.parse(text)).toEqual({ id: folder.slice(-12), records: 5, since, built: since });
  expect(await ask(admin.port, "/healthz", { method: "HEAD" })).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  for (const path of ["/", "/healthz/", "/api/users/", "/metrics.json"])
    expect(await admin.read(path)).toMatchObject({ status: 404, text: expect.stringContaining('{"detail":') });
  const posted = await ask(admin.port, "/metrics", { method: "POST" });
  expect(posted).toMatchObject({ status: 405, headers: expect.objectContaining({ allow: "GET, HEAD" }) });
  for (const path of ["/healthz", "/metrics"]) expect((await ask(port, path)).status, "the pages' port").toBe(404);

  const silent = Array.from({ length: 80 }, () => open(admin.port));
  for (const socket of silent.slice(40)) socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n");
  await until(() => silent.every(({ connecting }) => !connecting));
  expect((await admin.read("/healthz")).status, "among silent clients").toBe(200);
  for (const socket of silent) socket.destroy();

  await rename(folder, `${folder}.away`);
  expect(await admin.read("/healthz")).toMatchObject({ status: 503, text: expect.stringContaining("is gone") });
  await rename(`${folder}.away`, folder);
  expect((await admin.read("/healthz")).status).toBe(200);
});

test("refuses an unusable address before serving anything", async () => {
  const port = await takenPort();
  const { code, stdout, stderr } = await run([
    "serve",
    await freshDist(),
    "--port",
    "0",
    "--admin",
    `127.0.0.1:${port}`,
  ]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
});
