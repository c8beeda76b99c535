/** Real builds killed at random moments: the current release is always complete and correct. */
import { existsSync, readdirSync, readFileSync, readlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { openRelease, type Page } from "../../src/index.js";
import { findDamage } from "../../src/release/open.js";
import { run, start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { draws, seeded } from "../support/random.js";

const KILLS = draws(200);
const USERS = 400;

test(`after each of ${KILLS} kills, and at every moment between`, { timeout: 400_000 }, async () => {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(USERS));
  const dist = join(folder, "dist");
  const args = ["build", "--db", db, "--out", dist, "--base-url", "https://directory.example.com"];
  args.push("--page-size", "5", "--keep", "1", "--bulk", "--quiet");
  const source = new Database(db);
  const setVersion = source.prepare("UPDATE users SET referrals_count = ?");

  // How long a build takes on this machine now, so that kills happen in every part of it.
  setVersion.run(0);
  await run(args);
  setVersion.run(1);
  const began = performance.now();
  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  let whole = performance.now() - began;

  const random = seeded();
  const codes = new Map<number | string, number>();
  const leftovers = new Set<string>();
  let version = 1;
  const reader = watch(dist, () => version);
  for (let kill = 0; kill < KILLS; kill++) {
    // Every page changes, and every old release is due for removal, so that kills happen there, too.
    setVersion.run(++version);
    age(dist);
    // By one thread and by several, alternately.
    const { child, ended } = start([...args, "--workers", `${2 * (kill % 2)}`]);
    await Promise.race([sleep(whole * (0.2 + random.next() * 0.95)), ended]);
    child.kill("SIGKILL");
    const { code, stderr } = await ended;
    expect(stderr).toBe("");
    codes.set(code, (codes.get(code) ?? 0) + 1);
    // The speed of builds changes with the load of the machine: two of five are to be done before the kill.
    whole *= code === 0 ? 0.91 : 1.06;
    for (const name of readdirSync(dist)) leftovers.add(name.replace(/-2.*/, ""));
  }
  const checks = await reader.stop();

  // The test means something only if some builds were killed, others were completed, and the reader looked at releases.
  expect([...codes.keys()].sort()).toEqual([0, "SIGKILL"]);
  expect(codes.get("SIGKILL")).toBeGreaterThan(KILLS / 4);
  expect(leftovers).toContain(".staging");
  expect(checks).toBeGreaterThan(KILLS);

  setVersion.run(++version);
  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await checkCurrent(dist)).toBe(version);
  expect(readdirSync(dist).sort()).toEqual([".lock", ".lock-holder.json", ".origin.json", "current", "releases"]);
  for (const name of readdirSync(join(dist, "releases"))) await openRelease(join(dist, "releases", name));
  source.close();
});

/** Checks the current release again and again until it is stopped. Versions may only increase. */
function watch(dist: string, latest: () => number) {
  let isStopped = false;
  const watching = (async () => {
    let checks = 0;
    let last = 0;
    for (; !isStopped; checks++) {
      const version = await checkCurrent(dist);
      expect(version).toBeGreaterThanOrEqual(last);
      expect(version).toBeLessThanOrEqual(latest());
      last = version;
    }
    return checks;
  })();
  return {
    stop: () => {
      isStopped = true;
      return watching;
    },
  };
}

/** Fails unless the current release is complete and all its users have one version. @returns the version. */
async function checkCurrent(dist: string): Promise<number> {
  const release = await openRelease(join(dist, "current"));
  expect(await findDamage(release)).toBeUndefined();
  const versions = new Set<number>();
  let users = 0;
  for (let page = 1; page <= release.snapshot.pages; page++) {
    const { results }: Page = JSON.parse(readFileSync(join(release.folder, `api/users/pages/${page}.json`), "utf8"));
    users += results.length;
    for (const user of results) versions.add(user.referrals_count);
  }
  expect(users).toBe(USERS);
  expect([...release.sums.others.keys()]).toEqual(expect.arrayContaining(["bulk.json", "bulk/1.ndjson.gz"]));
  expect(versions.size).toBe(1);
  return [...versions][0] ?? -1;
}

function age(dist: string): void {
  const current = readlinkSync(join(dist, "current"));
  for (const name of readdirSync(join(dist, "releases"))) {
    const folder = join(dist, "releases", name);
    if (!current.endsWith(name) && existsSync(folder)) utimesSync(folder, 0, 0);
  }
}
