/** Who holds the lock of a folder, and for how long, by the file system's clock. */
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { openTargetFolder } from "../../src/publish/folder.js";
import { lockFolder } from "../../src/publish/folder-lock.js";
import { useFakeClock } from "../support/clock.js";
import { scratch } from "../support/files.js";

const NOW = new Date("2026-11-22");
const LOCK = ".rollcall-lock";
const HOLDER = ".rollcall-lock-holder.json";
const SELF = `process ${process.pid} on ${hostname()} since ${NOW.toISOString()}`;
const HELD = `site is being published to by ${SELF}; wait until it has ended, then run this again; if it was killed, wait 10 minutes, or take over at once with --take-over.`;
const LOST = `The lock of site was taken over by ${SELF}. This run has stopped; run it again.`;
const TEMPORARY = ".rollcall-new-";

let folder: string;
let notes: string[];

beforeEach(() => {
  folder = join(scratch(), "site");
  notes = [];
});

async function lock({ takeOver = false } = {}) {
  const onTakeOver = (note: string) => void notes.push(note);
  const options = { name: "site", now: NOW, takeOver, onTakeOver, temporary: TEMPORARY, checkMs: 0 };
  const held = await lockFolder(folder, options);
  onTestFinished(() => held.release());
  return held;
}

/** Makes the last renewal some seconds older than the file system's time. */
function age(seconds: number): void {
  const probe = join(folder, "probe");
  writeFileSync(probe, "");
  const time = lstatSync(probe).mtimeMs / 1000 - seconds;
  utimesSync(join(folder, HOLDER), time, time);
}

test("the next run may begin after a run, which leaves no file", async () => {
  const first = await lock();
  await expect(lock()).rejects.toThrow(HELD);
  expect(readdirSync(folder).sort()).toEqual([LOCK, HOLDER]);
  first.release();
  expect(readdirSync(folder)).toEqual([]);
  const second = await lock();
  // Again, as a failed run does.
  first.release();
  second.requireHeld();
  expect(notes).toEqual([]);
});

test.each(["2001-01-01", "2099-01-01"])(
  "a lock is stale by the file system's clock, on a machine in %s",
  async (date) => {
    useFakeClock(date);
    const first = await lock();
    age(590);
    await expect(lock()).rejects.toThrow(HELD);
    age(600);
    const second = await lock();
    expect(notes).toEqual([
      expect.stringMatching(/^took over the lock of process \d+ on .*, last renewed 10 min \d s ago$/),
    ]);
    expect(() => first.requireHeld()).toThrow(LOST);
    first.release();
    second.requireHeld();
    expect(readdirSync(folder).sort()).toEqual([LOCK, HOLDER, "probe"]);
  },
);

test("a lock is not taken over while its holder renews it, and not renewed by a run that has lost it", async () => {
  const clock = useFakeClock();
  const first = await lock();
  for (let turn = 0; turn < 3; turn++) {
    age(900);
    await clock.advance(30_000);
    await expect(lock()).rejects.toThrow(HELD);
  }
  age(900);
  const second = await lock();
  second.requireHeld();
  const before = lstatSync(join(folder, HOLDER)).ino;
  first.release();
  await clock.advance(29_999);
  expect(lstatSync(join(folder, HOLDER)).ino).toBe(before);
});

test("a lock is lost to another holder whose lock file has the same number, as a server may give it", async () => {
  const first = await lock();
  const theirs = JSON.stringify({ pid: 1, machine: "build-7", since: NOW.toISOString() });
  writeFileSync(join(folder, HOLDER), theirs);
  expect(() => first.requireHeld()).toThrow("The lock of site was taken over by process 1 on build-7");
  first.release();
  expect(readFileSync(join(folder, HOLDER), "utf8")).toBe(theirs);
});

test("--take-over takes a live lock, and the old holder stops before its next change", async () => {
  const release = scratch();
  const page = { index: 0, path: "page", inside: "page", digest: sha256("1"), variant: undefined };
  writeFileSync(join(release, "page"), "1");
  const open = (takeOver: boolean) =>
    openTargetFolder(folder, join(release, "dist"), release, { takeOver, checkMs: 0 });
  const first = await open(false);
  await first.lock(NOW);
  await first.put(page, join(release, "page"));
  const putting = first.put(page, join(release, "page"));
  const second = await open(true);
  onTestFinished(() => second.close());
  const before = lstatSync(join(folder, "page")).ino;
  await Promise.all([second.lock(NOW), expect(putting).rejects.toThrow("was taken over by")]);
  for (const change of [
    () => first.put(page, join(release, "page")),
    () => first.remove("page"),
    () => first.flush(),
    () =>
      first.storeOwned({
        rollcall: 1,
        release: "0".repeat(12),
        complete: true,
        paths: ["/"],
        listings: [],
        others: [],
      }),
  ])
    await expect(change()).rejects.toThrow("was taken over by");
  await first.close();
  expect(readdirSync(folder).sort()).toEqual([LOCK, HOLDER, "page"]);
  expect(lstatSync(join(folder, "page")).ino).toBe(before);
  await second.put(page, join(release, "page"));
});

test("of several runs that take a stale lock over at once, one gets it", async () => {
  await lock();
  age(900);
  const runs = await Promise.allSettled([lock(), lock(), lock()]);
  expect(runs.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const run of runs) if (run.status === "rejected") expect(run.reason.message).toBe(HELD);
  expect(notes).toHaveLength(1);
});

test("a lock whose new holder has not written its name yet is not stale", async () => {
  await lock();
  // As a killed run has left it.
  age(900);
  const second = lock();
  age(0);
  await expect(second).rejects.toThrow(HELD);
});

test("the lock of a killed run is free at once, whatever its files say", async () => {
  const first = await lock();
  cpSync(folder, `${folder}-killed`, { recursive: true });
  first.release();
  folder = `${folder}-killed`;
  expect(existsSync(join(folder, LOCK))).toBe(true);
  const next = await lock();
  next.requireHeld();
  expect(notes).toEqual([]);
});
