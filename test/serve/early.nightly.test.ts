/** Signals that reach `rollcall serve` while it starts. */
import { existsSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../support/command.js";
import { pause } from "../support/time.js";
import { eventually } from "../support/until.js";
import { ask, freshDist } from "./running.js";

const RUNS = 4;

/** Whether a process catches a signal, from /proc. */
const STATUS = "/proc/self/status";

/** Starts a server and sends it a signal repeatedly from when it catches SIGHUP until it is announced. */
async function signalled(dist: string, signal: NodeJS.Signals, isOver: () => boolean) {
  const { child, ended } = start(["serve", dist, "--port", "0", "--json"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  await eventually(() => expect(catches(child.pid ?? 0, 1)).toBe(true));
  let sent = 0;
  for (; out === "" && child.exitCode === null && child.signalCode === null && !isOver(); sent++) {
    child.kill(signal);
    await pause(5);
  }
  return { child, ended, sent, out: () => out };
}

test.skipIf(!existsSync(STATUS))("SIGHUP does not end a starting server", async () => {
  const dist = await freshDist();
  for (let run = 0; run < RUNS; run++) {
    const { child, ended, sent, out } = await signalled(dist, "SIGHUP", () => false);
    const { url } = JSON.parse(out());
    expect(sent, "before it was announced").toBeGreaterThan(0);
    expect((await ask(Number(new URL(url).port), "/api/users/")).status).toBe(200);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  }
});

test.skipIf(!existsSync(STATUS))("SIGTERM ends a starting server", async () => {
  const dist = await freshDist();
  let finished = 0;
  // The signal comes later in each round, until the server is announced before it.
  for (let most = 0, isAnnounced = false; !isAnnounced; most += 1 + (most >> 4)) {
    let looks = 0;
    const { child, ended, out } = await signalled(dist, "SIGHUP", () => looks++ >= most);
    child.kill("SIGTERM");
    const { code, stderr } = await ended;
    isAnnounced = out() !== "";
    // Before Rollcall handles signals, this one ends Node.
    if (code === "SIGTERM" && !isAnnounced) continue;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^(?:\S+Z Links lead to .*\n)?\S+Z Finishing open requests.*\n$/),
    });
    finished++;
  }
  expect(finished, "at least once while it was starting").toBeGreaterThan(1);
});

function catches(pid: number, signal: number): boolean {
  const [, mask = "0"] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}
