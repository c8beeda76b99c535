/** Who holds the lock of a bucket, on a store with conditional writes in memory; which files are too large for a bucket. */
import { truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { bucketTarget } from "../../src/publish/bucket.js";
import type { ReleaseFiles } from "../../src/publish/order.js";
import { type Owned, ownedBetween, ownedBy } from "../../src/publish/owned.js";
import type { ObjectStore } from "../../src/publish/s3.js";
import { OWNED, PagePaths } from "../../src/release/layout.js";
import { sha256 } from "../../src/release/plain-files.js";
import { PageDigests } from "../../src/release/sums.js";
import { scratch } from "../support/files.js";

const HELD = `s3://bucket/dir is being published to by process ${process.pid} on ${hostname()} since 2026-11-22T00:00:00.000Z; `;
const LOST = "The lock of s3://bucket/dir was taken over by ";
const NOW = new Date("2026-11-22");
/** No process has this number. */
const GONE = 2 ** 30;

const files = {
  id: "0123456789ab",
  place: { baseUrl: "https://directory.example.com", path: "/api/users/" },
  listings: [{ paths: new PagePaths("/api/users/"), digests: new PageDigests(3, ["identity"]) }],
  others: ["snapshot.json"],
} as unknown as ReleaseFiles;
const complete = ownedBy(files);
const between = ownedBetween(undefined, complete);

let list: { etag: string; bytes: Buffer } | undefined;
let puts = 0;
/** Paths of other objects that were put or removed. */
let changes: string[] = [];

/** The used part of a store. */
const makeStore = () => {
  let check = async (_path: string) => {};
  return {
    find: async () => list,
    guard(given: typeof check) {
      check = given;
    },
    async put(path: string, bytes: Buffer, _headers: object, over?: string) {
      await check(path);
      if (path !== OWNED) return String(changes.push(path));
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
});

function write(bytes: Buffer): string {
  puts++;
  list = { etag: `version ${puts}`, bytes };
  return list.etag;
}

const newRun = ({ force = false } = {}) => bucketTarget("s3://bucket/dir", files, { force, checkMs: 0 }, makeStore());
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
  await expect(newRun().lock(NOW)).rejects.toThrow("if it was killed, take over with --force.");
  claim({ pid: process.ppid, system });
  await expect(newRun().lock(NOW)).rejects.toThrow(`by process ${process.ppid} on`);
  claim({ pid: GONE });
  expect(await newRun().lock(NOW), "the list of an empty target").toBe(undefined);
  // This process does not hold the lock, so an earlier one with the same number did.
  claim({ pid: process.pid });
  await newRun().lock(NOW);
  await expect(newRun().lock(NOW)).rejects.toThrow(HELD);
});

test("force takes over any lock, and the old holder notices before it changes or announces anything", async () => {
  const pagePath = join(scratch(), "page");
  writeFileSync(pagePath, "1");
  const page = { index: 0, path: "page", inside: "page", digest: sha256("1"), variant: undefined };
  const first = newRun();
  await first.lock(NOW);
  const second = newRun({ force: true });
  await second.lock(new Date(0));
  await expect(first.storeOwned(between)).rejects.toThrow(`${LOST}process ${process.pid} on ${hostname()} since 1970-`);
  await expect(first.put(page, pagePath)).rejects.toThrow(LOST);
  await expect(first.remove("old")).rejects.toThrow(LOST);
  expect(changes).toEqual([]);
  await first.unlock();
  await second.flush();
  await second.put(page, pagePath);
  await second.remove("old");
  expect(changes).toEqual(["page", "old"]);
  await second.unlock();
  await expect(second.flush()).rejects.toThrow(`${LOST}another run, which has ended`);
});

test("a list that Rollcall did not write is refused, also with force", async () => {
  write(Buffer.from("not of this form"));
  for (const force of [false, true])
    await expect(newRun({ force }).lock(NOW)).rejects.toThrow(
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
