/** Who holds the lock of a bucket, on a store with conditional writes in memory. */
import { hostname } from "node:os";
import { beforeEach, expect, test } from "vitest";
import { BucketLock, type LockOptions } from "../../src/publish/bucket-lock.js";
import type { ObjectStore } from "../../src/publish/s3.js";

const HELD = `s3://bucket/dir is being published to by process ${process.pid} on ${hostname()} since 2026-11-22T00:00:00.000Z; `;
const LOST = "The lock of s3://bucket/dir was taken over by ";
const NOW = new Date("2026-11-22");
/** No process has this number. */
const GONE = 2 ** 30;

let lock: { etag: string; bytes: Buffer } | undefined;
let puts = 0;

/** The used part of a store. */
const store = {
  find: async () => lock,
  async put(_path: string, bytes: Buffer, _headers: object, over?: string) {
    return lock?.etag === over ? write(bytes) : undefined;
  },
  async remove() {
    lock = undefined;
  },
} as unknown as ObjectStore;

beforeEach(() => {
  lock = undefined;
});

function write(bytes: Buffer): string {
  puts++;
  lock = { etag: `version ${puts}`, bytes };
  return lock.etag;
}

function newRun(options: Partial<LockOptions> = {}): BucketLock {
  return new BucketLock(store, { name: "s3://bucket/dir", force: false, ...options });
}

/** Makes the lock that of another run, with these changes. */
function claim(changes: object): void {
  const holder = JSON.parse(String(lock?.bytes));
  write(Buffer.from(JSON.stringify({ ...holder, id: "other", ...changes })));
}

test("the next run may begin after a run, and keeps its own lock", async () => {
  const first = newRun();
  const next = newRun();
  await first.take(NOW);
  await expect(next.take(NOW)).rejects.toThrow(HELD);
  await first.release();
  await next.take(NOW);
  await first.release();
  await next.confirm();
});

test("takes over the lock of an ended process, but not one of another system or machine", async () => {
  await newRun().take(NOW);
  const { system } = JSON.parse(String(lock?.bytes));
  claim({ pid: GONE, machine: "elsewhere" });
  await expect(newRun().take(NOW)).rejects.toThrow(`by process ${GONE} on elsewhere since 2026`);
  claim({ pid: GONE, machine: hostname(), system: "another container" });
  await expect(newRun().take(NOW)).rejects.toThrow(`by process ${GONE} on ${hostname()}`);
  await expect(newRun().take(NOW)).rejects.toThrow("if it was killed, take over with --force.");
  claim({ pid: process.ppid, system });
  await expect(newRun().take(NOW)).rejects.toThrow(`by process ${process.ppid} on`);
  claim({ pid: GONE });
  await newRun().take(NOW);
  // This process does not hold the lock, so an earlier one with the same number did.
  claim({ pid: process.pid });
  await newRun().take(NOW);
  await expect(newRun().take(NOW)).rejects.toThrow(HELD);
});

test("force takes over any lock, and the old holder notices before it announces anything", async () => {
  const first = newRun();
  await first.take(NOW);
  const second = newRun({ force: true });
  await second.take(new Date(0));
  await expect(first.confirm()).rejects.toThrow(`${LOST}process ${process.pid} on ${hostname()} since 1970-`);
  await first.release();
  await second.confirm();
  await second.release();
  await expect(second.confirm()).rejects.toThrow(`${LOST}another run, which has ended`);
  write(Buffer.from("not of this form"));
  await expect(newRun().take(NOW)).rejects.toThrow("is being published to by another run; wait");
  await newRun({ force: true }).take(NOW);
});
