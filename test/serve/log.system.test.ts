/** An access log that cannot be written does not affect responses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { CLI } from "../support/command.js";
import { scratch } from "../support/files.js";
import { eventually, until } from "../support/until.js";
import { ask, freshDist, sendAndClose } from "./running.js";

const LOST = (why: string) =>
  new RegExp(`Z The access log cannot be written \\(${why}\\): lines are missing. The server continues\\.`);

const ADDRESS = /curl '?http:\/\/127\.0\.0\.1:(\d+)/;

async function answers(port: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) expect((await ask(port, "/api/users/")).status).toBe(200);
}

/** A server whose stdout goes where the shell script says, or to the caller; stderr is collected. */
async function started(script: string, ...more: string[]) {
  const dist = await freshDist();
  const args = [process.execPath, CLI, "serve", dist, "--port", "0", "--access-log", ...more];
  const child = spawn("sh", ["-c", script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const said = { err: "" };
  child.stderr.on("data", (chunk) => {
    said.err += chunk;
  });
  await eventually(() => expect(said.err).toMatch(ADDRESS));
  return { child, ended, said, port: Number(ADDRESS.exec(said.err)?.[1]) };
}

test("whose reader has closed it is reported once", async () => {
  const { child, ended, said, port } = await started('exec "$0" "$@"');
  child.stdout.destroy();
  await answers(port, 5);
  await eventually(() => expect(said.err).toMatch(LOST("EPIPE")));
  await answers(port, 20);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(said.err.match(/The access log/g)).toHaveLength(1);
});

/** Sends requests with long targets, whose log lines exceed the 16 MB that may wait. */
async function askLong(port: number, times: number): Promise<void> {
  const request = `GET /api/users/?page=1&x=${"x".repeat(12_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  for (let time = 0; time < times; time += 50)
    expect((await sendAndClose(port, request.repeat(50))).match(/HTTP\/1\.1 200 /g)).toHaveLength(50);
}

test("whose reader stalls delays no response and no shutdown", async () => {
  const { child, ended, said, port } = await started('exec "$0" "$@"', "--admin", "0");
  const admin = Number(/admin +http:\/\/127\.0\.0\.1:(\d+)/.exec(said.err)?.[1]);
  const droppedBy = async (page: string) =>
    Number(/^rollcall_access_log_dropped_total (\d+)/m.exec(`${(await ask(admin, page)).body}`)?.[1]);
  const requests = 1_600;
  await askLong(port, requests);
  await eventually(async () => expect(await droppedBy("/metrics")).toBeGreaterThan(0));
  expect(said.err).toMatch(/Z The reader of the access log is too slow: lines are dropped and counted/);
  const read = { lines: 0, dropped: 0 };
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    const { dropped } = JSON.parse(line);
    if (dropped === undefined) read.lines++;
    else read.dropped += dropped;
  });
  await until(() => read.lines + read.dropped === requests);
  expect(await droppedBy("/metrics")).toBe(read.dropped);
  reader.close();
  await askLong(port, 100);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("on a full disk is reported once", async () => {
  const log = join(scratch(), "access.log");
  // No file can be larger than 4 kB.
  const { child, ended, said, port } = await started(`ulimit -f 8 && exec "$0" "$@" > ${log}`);
  await answers(port, 100);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(said.err).toMatch(LOST("EFBIG"));
  expect(said.err.match(/The access log/g)).toHaveLength(1);
  expect(readFileSync(log, "utf8")).toMatch(/^\{"time":.*"url":"\/api\/users\/","status":200,/);
});
