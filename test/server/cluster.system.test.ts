/** `rollcall serve --processes N`: several processes on one port, seen from outside. */
import { readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { start } from "../support/command.js";
import { scratch } from "../support/files.js";
import { takenPort } from "../support/ports.js";
import { eventually, until } from "../support/until.js";
import { childrenOf, startCluster } from "./cluster.js";
import { publish } from "./release.js";
import { ask, freshDist, open } from "./running.js";

test("two processes answer, and both switch", async () => {
  const dist = await freshDist();
  const { port, pids, out, err, child, ended } = await startCluster(dist, "--processes", "2", "--access-log");
  expect(pids()).toHaveLength(2);
  const before = await snapshots(port, 20);
  expect(before.size).toBe(1);
  const folder = await publish(dist, { bio: "next" });
  await eventually(() => expect(err.filter((line) => line.includes("now serving"))).toHaveLength(1));
  const after = await snapshots(port, 20);
  expect(after.size).toBe(1);
  expect([...after]).not.toEqual([...before]);
  expect(folder).toContain([...after][0]);
  const all = pids();
  child.kill("SIGINT");
  expect((await ended).code).toBe(0);
  expect(all.filter(isAlive)).toEqual([]);
  expect(out, "the announcement, and a line for each answer").toHaveLength(41);
  expect(out.slice(1).every((line) => JSON.parse(line).status === 200)).toBe(true);
});

test("replaces a killed process, and answers every new connection", async () => {
  const dist = await freshDist();
  const { port, pids, err } = await startCluster(dist, "--processes", "2");
  const [victim = 0, other] = pids();
  process.kill(victim, "SIGKILL");
  await eventually(() => expect(isAlive(victim)).toBe(false));
  expect((await snapshots(port, 30)).size).toBe(1);
  await eventually(() => expect(pids()).toHaveLength(2));
  expect(pids()).toContain(other);
  expect(pids()).not.toContain(victim);
  await eventually(() =>
    expect(err.join("\n")).toMatch(/Process \d+ ended \(SIGKILL\); another one starts in 100 ms\./),
  );
  expect((await snapshots(port, 30)).size).toBe(1);
});

test("a hanging process gets no connection, and the first process keeps none", async () => {
  const dist = await freshDist();
  const { port, pids, child } = await startCluster(dist, "--processes", "2");
  const descriptors = () => readdirSync(`/proc/${child.pid}/fd`).length;
  const before = descriptors();
  const [victim = 0] = pids();
  process.kill(victim, "SIGSTOP");
  expect((await snapshots(port, 6)).size).toBe(1);
  process.kill(victim, "SIGKILL");
  await eventually(() => expect(pids().filter((pid) => pid !== victim)).toHaveLength(2));
  expect((await snapshots(port, 6)).size).toBe(1);
  const clients = Array.from({ length: 40 }, () => open(port));
  await until(() => clients.every(({ connecting }) => !connecting));
  expect((await snapshots(port, 6)).size).toBe(1);
  expect(descriptors()).toBe(before);
  for (const client of clients) client.destroy();
});

test("replaces the last process, killed while another waits to be replaced", async () => {
  const dist = await freshDist();
  const { port, pids, err } = await startCluster(dist, "--processes", "2");
  const [first = 0, last = 0] = pids();
  process.kill(first, "SIGKILL");
  await eventually(() => expect(err.join()).toContain(`Process ${first} ended (SIGKILL); another`));
  process.kill(last, "SIGKILL");
  await eventually(() => expect(pids().filter((pid) => pid !== last)).toHaveLength(2));
  await eventually(async () => expect((await snapshots(port, 6)).size).toBe(1));
});

test("ends with the reason when no process can be started", async () => {
  const dist = scratch();
  const folder = await publish(dist);
  const { pids, ended } = await startCluster(dist, "--processes", "2");
  await rename(join(folder, "SHA256SUMS"), join(folder, "away"));
  for (const pid of pids()) process.kill(pid, "SIGKILL");
  const { code, stderr } = await ended;
  expect(code).toBe(1);
  const why =
    /Process \d+ cannot serve: Release \S+ is broken: SHA256SUMS: found no file; expected a plain file\. Run "rollcall verify" to see all that is wrong.*/;
  const starts = stderr.split("\n").filter((line) => why.test(line));
  expect(starts, "six for each").toHaveLength(12);
  expect(starts.at(-1)).toMatch(/^error: No process serves any more, and none can be started: Process /);
});

test("reports a process killed while it starts, and leaves none running", async () => {
  const dist = await freshDist();
  const { child, ended } = start(["serve", dist, "--port", "0", "--processes", "2"]);
  let started: number[] = [];
  await eventually(() => {
    started = childrenOf(child.pid ?? 0);
    expect(started).toHaveLength(2);
  });
  process.kill(started[0] ?? 0, "SIGKILL");
  expect(await ended).toEqual({
    code: 1,
    stdout: "",
    stderr: `error: Process ${started[0]} ended (SIGKILL) while it started, perhaps for lack of memory; fewer --processes need less.\n`,
  });
  expect(started.filter(isAlive)).toEqual([]);
});

test("all processes end with the first one, however it ends", async () => {
  const dist = await freshDist();
  const { pids, child, ended } = await startCluster(dist, "--processes", "2");
  const all = pids();
  child.kill("SIGKILL");
  expect((await ended).code).toBe("SIGKILL");
  await eventually(() => expect(all.filter(isAlive)).toEqual([]));
});

test("refuses a port in use and a missing release like one process", async () => {
  const dist = await freshDist();
  const port = `${await takenPort()}`;
  for (const workers of ["1", "2"]) {
    const refused = await start(["serve", dist, "--port", port, "--processes", workers]).ended;
    expect(refused).toEqual({
      code: 1,
      stdout: "",
      stderr: `error: Port ${port} on 127.0.0.1 is in use; stop the process that listens there, or choose another --port.\n`,
    });
    const missing = await start(["serve", scratch(), "--port", "0", "--processes", workers]).ended;
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no release") });
  }
});

/** The ids in the responses to this many connections, one after another. */
async function snapshots(port: number, connections: number): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let times = 0; times < connections; times++) {
    const { status, headers } = await ask(port, "/api/users/?page=1");
    expect(status).toBe(200);
    ids.add(`${headers["snapshot-id"]}`);
  }
  return ids;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
