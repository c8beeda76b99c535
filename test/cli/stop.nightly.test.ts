/** Signals to real processes: one line, the exit code of the signal, and no files left. */
import { EventEmitter } from "node:events";
import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stoppable } from "../../src/cli/program/signals.js";
import { useRelease } from "../../src/index.js";
import { run, start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { until } from "../support/until.js";

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;
const BASE_URL = "https://directory.example.com";
const UNCHANGED = "Stopped; current is unchanged.\n";

const USERS = 20_000;

/** A folder with a source of many users and two releases: one of a single user, and the current one of all. */
const full = mkdtempSync(join(tmpdir(), "rollcall-test-"));
const BUILD = ["build", "--db", "users.sqlite", "--base-url", BASE_URL, "--page-size", "10"];

beforeAll(async () => {
  writeUsers(join(full, "one.sqlite"), plainRows(1));
  writeUsers(join(full, "users.sqlite"), plainRows(USERS));
  await run(["build", "--db", "one.sqlite", "--base-url", BASE_URL], { cwd: full });
  await run(BUILD, { cwd: full });
  expect(readdirSync(join(full, "dist/releases"))).toHaveLength(2);
}, 120_000);
afterAll(() => rmSync(full, { recursive: true }));

/** A folder with a source of many users and a release of one user. */
async function folder(): Promise<string> {
  const cwd = scratch();
  for (const name of ["one.sqlite", "users.sqlite"]) linkSync(join(full, name), join(cwd, name));
  await run(["build", "--db", "one.sqlite", "--base-url", BASE_URL], { cwd });
  return cwd;
}

for (const workers of ["0", "2"]) {
  test.each(SIGNALS)(`a build with ${workers} workers is stopped by %s`, async (signal, code) => {
    const cwd = await folder();
    const dist = join(cwd, "dist");
    const before = readlinkSync(join(dist, "current"));
    const names = readdirSync(dist);
    const problems = workers === "0" ? ["--problems", "problems"] : [];
    const { child, ended } = start([...BUILD, "--workers", workers, ...problems], { cwd });
    await until(() => existsSync(join(dist, ".staging/api/users/pages/40.json")));
    child.kill(signal);
    expect(await ended).toEqual({ code, stdout: "", stderr: UNCHANGED });
    expect(readdirSync(dist)).toEqual(names);
    expect(readlinkSync(join(dist, "current"))).toBe(before);
    expect(readdirSync(cwd).sort()).toEqual(["dist", "one.sqlite", "users.sqlite"]);
  });
}

test("a build with --skip-invalid is stopped while it counts", async () => {
  const cwd = await folder();
  const { child, ended } = start([...BUILD, "--workers", "0", "--skip-invalid"], { cwd });
  await until(() => existsSync(join(cwd, "dist/.staging")));
  child.kill("SIGINT");
  expect(await ended).toEqual({ code: 130, stdout: "", stderr: UNCHANGED });
  expect(readdirSync(join(cwd, "dist"))).not.toContain(".staging");
});

test("a second signal has its default effect", async () => {
  const signals = new EventEmitter();
  const stopped = stoppable(
    signals,
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        signals.emit("SIGTERM");
        expect(signals.eventNames()).toEqual([]);
      }),
  );
  await expect(stopped).rejects.toMatchObject({ exitCode: 143, message: UNCHANGED.trim() });
});

/** Pauses a process as soon as it opens the list of records. */
const PAUSE = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  import { isMainThread } from "node:worker_threads";
  const { openSync } = fs;
  let isPaused = !isMainThread;
  fs.openSync = (path, ...more) => {
    if (!isPaused && String(path).endsWith("/records.sha256")) {
      isPaused = true;
      process.kill(process.pid, "SIGSTOP");
    }
    return openSync(path, ...more);
  };
  syncBuiltinESMExports();`;

test.each(["0", "2"])("the verification of a release with %s threads is stopped", async (workers) => {
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PAUSE)}` };
  const { child, ended } = start(["verify", "--workers", workers], { cwd: full, env });
  await until(() => readFileSync(`/proc/${child.pid}/stat`, "utf8").includes(") T "));
  child.kill("SIGTERM");
  child.kill("SIGCONT");
  expect(await ended).toEqual({ code: 143, stdout: "", stderr: UNCHANGED });
});

test("publishing to a folder is stopped, and the next run continues", { timeout: 120_000 }, async () => {
  const cwd = scratch();
  const dist = join(full, "dist");
  const { child, ended } = start(["publish", "site", dist, "--purge-list", "purge.txt"], { cwd });
  await until(() => existsSync(join(cwd, "site/api/users/pages/40.json")));
  child.kill("SIGINT");
  const stderr = "Stopped; run this again to continue.\n";
  expect(await ended).toEqual({ code: 130, stdout: "", stderr });
  expect(readdirSync(cwd)).toEqual(["site"]);
  expect((await run(["publish", "site", dist], { cwd })).code).toBe(0);
  expect((await run(["verify", "site"], { cwd })).stderr).toBe("");
});

test("a switch is stopped before it is made", async () => {
  const dist = join(full, "dist");
  const before = readlinkSync(join(dist, "current"));
  const stop = new AbortController();
  const switched = useRelease(dist, "previous", { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(switched).rejects.toThrow("enough");
  expect(readlinkSync(join(dist, "current"))).toBe(before);
});
