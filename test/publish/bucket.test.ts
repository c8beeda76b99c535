/** Who holds the lock of a bucket, and for how long, on a store with conditional writes in memory; which files are too large for a bucket. */
import { truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { OWNED, PagePaths } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { PageDigests } from "../../src/core/release/sums.js";
import { bucketTarget } from "../../src/publish/bucket.js";
import type { PublishedFile, ReleaseFiles } from "../../src/publish/order.js";
import { type Owned, ownedBetween, ownedBy } from "../../src/publish/owned.js";
import type { ObjectStore, StoredObject } from "../../src/publish/s3.js";
import { useFakeClock } from "../support/clock.js";
import { scratch } from "../support/files.js";

const HELD = `s3://bucket/dir is being published to by process ${process.pid} on ${hostname()} since 2026-11-22T00:00:00.000Z; `;
const LOST = "The lock of s3://bucket/dir was taken over by ";
const NOW = new Date("2026-11-22");
/** No process has this number. */
const GONE = 2 ** 30;

const files = {
  id: "0123456789ab",
  location: { baseUrl: "https://directory.example.com", path: "/api/users/" },
  listings: [{ paths: new PagePaths("/api/users/"), digests: new PageDigests(3, ["identity"]) }],
  others: ["snapshot.json"],
} as unknown as ReleaseFiles;
const complete = ownedBy(files);
const between = ownedBetween(undefined, complete);

let list: Omit<StoredObject, "ageMs"> | undefined;
/** The store's own time, and when the list was written by it. */
let storeTime = 0;
let written = 0;
/** Called before each PUT of the list. */
let beforePut = async () => {};
let puts = 0;
/** Paths of other objects that were put or removed. */
let changes: string[] = [];

/** The used part of a store. */
const makeStore = () => {
  let check = async (_path: string) => {};
  return {
    find: async () => list && { ...list, ageMs: storeTime - written },
    guard(given: typeof check) {
      check = given;
    },
    async put(path: string, bytes: Buffer, _headers: object, over?: string) {
      await check(path);
      if (path !== OWNED) return String(changes.push(path));
      await beforePut();
      return list?.etag === over ? write(bytes) : undefined;
    },
    async remove(path: string) {
      await check(path);
      if (path === OWNED) list = undefined;
      else changes.push(path);
    },
  } as unknown as ObjectStore;
};

beforeEach(() => {
  list = undefined;
  changes = [];
  beforePut = async () => {};
});

function write(bytes: Buffer): string {
  puts++;
  written = storeTime;
  list = { etag: `version ${puts}`, bytes };
  return list.etag;
}

const newRun = (options: object = {}) =>
  bucketTarget("s3://bucket/dir", files, { checkMs: 0, ...options }, makeStore());
const stored = (): Owned | undefined => list && JSON.parse(String(list.bytes));

/** Makes the holder another run, with these changes. */
function claim(changes: object): void {
  const owned = stored();
  write(Buffer.from(JSON.stringify({ ...owned, holder: { ...owned?.holder, id: "other", ...changes } })));
}

test("the next run may begin after a run, and keeps its own lock", async () => {
  const first = newRun();
  const next = newRun();
  await first.lock(NOW);
  await expect(next.lock(NOW)).rejects.toThrow(HELD);
  await first.unlock();
  await next.lock(NOW);
  await first.unlock();
  await next.flush();
});

test("a run that changes nothing leaves the list as it was", async () => {
  const first = newRun();
  expect(await first.lock(NOW)).toBe(undefined);
  expect(await newRun().readOwned()).toBe(undefined);
  await first.unlock();
  expect(list).toBe(undefined);
  write(Buffer.from(`${JSON.stringify(complete)}\n`));
  const second = newRun();
  expect(await second.lock(NOW)).toEqual(complete);
  expect(stored()).toMatchObject({ complete: true, holder: { pid: process.pid } });
  await second.unlock();
  expect(stored()).toEqual(complete);
});

test("the complete list ends the lock; an incomplete one keeps it, until the run ends", async () => {
  const first = newRun();
  await first.lock(NOW);
  await first.storeOwned(between);
  await expect(newRun().lock(NOW)).rejects.toThrow(HELD);
  await first.unlock();
  expect(stored()).toEqual(between);
  const second = newRun();
  expect(await second.lock(NOW)).toEqual(between);
  await second.storeOwned(between);
  await second.storeOwned(complete);
  expect(stored()).toEqual(complete);
  await newRun().lock(NOW);
  await second.unlock();
  expect(stored()).toHaveProperty("holder");
});

test("takes over the lock of an ended process, but not one of another system or machine", async () => {
  await newRun().lock(NOW);
  const system = stored()?.holder?.system;
  claim({ pid: GONE, machine: "elsewhere" });
  await expect(newRun().lock(NOW)).rejects.toThrow(`by process ${GONE} on elsewhere since 2026`);
  claim({ pid: GONE, machine: hostname(), system: "another container" });
  await expect(newRun().lock(NOW)).rejects.toThrow(`by process ${GONE} on ${hostname()}`);
  await expect(newRun().lock(NOW)).rejects.toThrow(
    "if it was killed, wait 10 minutes, or take over at once with --take-over.",
  );
  claim({ pid: process.ppid, system });
  await expect(newRun().lock(NOW)).rejects.toThrow(`by process ${process.ppid} on`);
  claim({ pid: GONE });
  expect(await newRun().lock(NOW), "the list of an empty target").toBe(undefined);
  // This process does not hold the lock, so an earlier one with the same number did.
  claim({ pid: process.pid });
  await newRun().lock(NOW);
  await expect(newRun().lock(NOW)).rejects.toThrow(HELD);
});

test("--take-over takes over any lock, and the old holder notices before it changes or announces anything", async () => {
  const { page, from } = newPage();
  const first = newRun();
  await first.lock(NOW);
  const second = newRun({ takeOver: true });
  await second.lock(new Date(0));
  await expect(first.storeOwned(between)).rejects.toThrow(`${LOST}process ${process.pid} on ${hostname()} since 1970-`);
  await expect(first.put(page, from)).rejects.toThrow(LOST);
  await expect(first.remove("old")).rejects.toThrow(LOST);
  expect(changes).toEqual([]);
  await first.unlock();
  await second.flush();
  await second.put(page, from);
  await second.remove("old");
  expect(changes).toEqual(["page", "old"]);
  await second.unlock();
  await expect(second.flush()).rejects.toThrow(`${LOST}another run, which has ended`);
});

/** A file to put. */
function newPage(): { page: PublishedFile; from: string } {
  const from = join(scratch(), "page");
  writeFileSync(from, "1");
  return { page: { index: 0, path: "page", inside: "page", digest: sha256("1"), variant: undefined }, from };
}

describe("a lock of another machine", () => {
  test.each(["2001-01-01", "2099-01-01"])(
    "is stale after ten minutes of the store, on a machine in %s",
    async (date) => {
      useFakeClock(date);
      const { page, from } = newPage();
      const first = newRun();
      await first.lock(NOW);
      claim({ machine: "build-7" });
      storeTime += 599_999;
      await expect(newRun().lock(new Date())).rejects.toThrow("by process");
      storeTime += 1;
      const notes: string[] = [];
      const second = newRun();
      await second.lock(new Date(), (note) => notes.push(note));
      expect(notes).toEqual([
        `took over the lock of process ${process.pid} on build-7 since ${NOW.toISOString()}, last renewed 10 min 0 s ago`,
      ]);
      await expect(first.put(page, from)).rejects.toThrow(LOST);
      await second.put(page, from);
      expect(changes).toEqual(["page"]);
    },
  );

  test("is never stale if the store does not tell its time", async () => {
    await newRun().lock(NOW);
    claim({ machine: "build-7" });
    written = Number.NaN;
    await expect(newRun().lock(NOW)).rejects.toThrow("on build-7");
  });

  test("is not taken over while its holder renews it, and not renewed after it ended", async () => {
    const clock = useFakeClock();
    const first = newRun();
    await first.lock(NOW);
    await first.storeOwned(between);
    for (let minutes = 0; minutes < 60; minutes++) {
      await clock.advance(60_000);
      storeTime += 60_000;
      expect(storeTime - written).toBeLessThanOrEqual(60_000);
      await expect(newRun().lock(NOW)).rejects.toThrow(HELD);
    }
    expect(stored()).toMatchObject({ ...between, holder: { renewals: 120 } });
    await first.storeOwned(complete);
    await first.unlock();
    await clock.advance(600_000);
    expect(stored()).toEqual(complete);
  });

  test("cannot be renewed by a run that has lost it, which stops before its next change", async () => {
    const clock = useFakeClock();
    const { page, from } = newPage();
    const first = newRun({ checkMs: 3_600_000 });
    await first.lock(NOW);
    await first.put(page, from);
    claim({ machine: "build-7" });
    const taken = stored();
    await clock.advance(30_000);
    expect(stored()).toEqual(taken);
    await expect(first.put(page, from)).rejects.toThrow(LOST);
    await expect(first.remove("old")).rejects.toThrow(LOST);
    expect(changes).toEqual(["page"]);
  });

  test("is lost to a run that takes it between the check and the renewal", async () => {
    const clock = useFakeClock();
    const { page, from } = newPage();
    const first = newRun({ checkMs: 3_600_000 });
    await first.lock(NOW);
    beforePut = async () => claim({ machine: "build-7" });
    await clock.advance(30_000);
    expect(stored()?.holder).toMatchObject({ machine: "build-7", renewals: 0 });
    await expect(first.put(page, from)).rejects.toThrow(`${LOST}process ${process.pid} on build-7`);
  });

  test("is renewed again after a renewal that failed", async () => {
    const clock = useFakeClock();
    const first = newRun();
    await first.lock(NOW);
    beforePut = async () => {
      throw new Error("the store cannot be reached");
    };
    await clock.advance(30_000);
    beforePut = async () => {};
    await clock.advance(30_000);
    expect(stored()).toMatchObject({ holder: { renewals: 1 } });
    await first.storeOwned(complete);
  });

  test("is not renewed by a PUT that was on its way when the run ended", async () => {
    const clock = useFakeClock();
    const first = newRun();
    await first.lock(NOW);
    let go = () => {};
    let isOnItsWay = false;
    beforePut = () => {
      beforePut = async () => {};
      isOnItsWay = true;
      return new Promise((resolve) => {
        go = resolve;
      });
    };
    await clock.advance(30_000);
    expect(isOnItsWay).toBe(true);
    const done = first.storeOwned(complete);
    go();
    await done;
    await first.unlock();
    expect(stored()).toEqual(complete);
  });
});

describe("a lost race for the lock", () => {
  test("against a renewal leaves the lock to its holder", async () => {
    await newRun().lock(NOW);
    claim({ machine: "build-7" });
    storeTime += 600_000;
    beforePut = async () => claim({ machine: "build-7", renewals: 1 });
    await expect(newRun().lock(NOW)).rejects.toThrow("on build-7");
    expect(stored()).toMatchObject({ holder: { machine: "build-7", renewals: 1 } });
  });

  test("against a run that has ended since is tried again, with the list that it left", async () => {
    beforePut = async () => {
      beforePut = async () => {};
      write(Buffer.from(`${JSON.stringify(complete)}\n`));
    };
    expect(await newRun().lock(NOW)).toEqual(complete);
  });

  test("is tried three times", async () => {
    let tries = 0;
    beforePut = async () => {
      tries++;
      write(Buffer.from(`${JSON.stringify(complete)}\n`));
    };
    await expect(newRun().lock(NOW)).rejects.toThrow("s3://bucket/dir is being published to by another run; wait");
    expect(tries).toBe(3);
  });
});

test("a list that Rollcall did not write is refused, also with --take-over", async () => {
  write(Buffer.from("not of this form"));
  for (const takeOver of [false, true])
    await expect(newRun({ takeOver }).lock(NOW)).rejects.toThrow(
      "s3://bucket/dir/.rollcall-published.json is not a list that Rollcall wrote; restore it, or remove it.",
    );
});

test("refuses a file that cannot be read at once", async () => {
  const from = join(scratch(), "records.csv.gz");
  writeFileSync(from, "");
  truncateSync(from, 2 ** 31);
  const file = { index: 0, path: "records.csv.gz", inside: "records.csv.gz", digest: "", variant: undefined };
  await expect(newRun().put(file, from)).rejects.toThrow(
    "records.csv.gz has 2147483648 bytes, more than the 2147483647 that can be put into a bucket; publish to a folder",
  );
});
