/** The cache of pages and small files. */
import fs, { renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { createStore } from "../../src/serve/store.js";
import { scratch } from "../support/files.js";

const SIZE = 2_000;
const HELD = 50;

function writePages(count: number) {
  const folder = scratch();
  return Array.from({ length: count }, (_, page) => {
    const body = `${page} `.padEnd(SIZE);
    const file = join(folder, `${page}`);
    writeFileSync(file, body);
    return { file, digest: sha256(body), body };
  });
}

test("keeps as many bytes as it may", () => {
  const store = createStore((HELD * (SIZE + 512)) / 2 ** 20, () => {});
  const pages = writePages(HELD * 4);
  const isHeld = ({ digest }: { digest: string }) => store.find(digest) !== undefined;
  for (const { file, digest } of pages.slice(0, HELD)) expect(store.read(file, digest)).toHaveLength(SIZE);
  expect(pages.filter(isHeld)).toEqual(pages.slice(0, HELD));
  for (const { file, digest } of pages) expect(store.read(file, digest)).toHaveLength(SIZE);
  expect(pages.filter(isHeld)).toHaveLength(HELD);
});

const WAYS: [name: string, write: (file: string) => void][] = [
  ["written over", (file) => writeFileSync(file, "other".padEnd(SIZE))],
  [
    "written over, with its time set back",
    (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, "other".padEnd(SIZE));
      utimesSync(file, atime, mtime);
    },
  ],
  [
    "replaced by a file of the same time",
    (file) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(`${file}.new`, "other".padEnd(SIZE));
      utimesSync(`${file}.new`, atime, mtime);
      renameSync(`${file}.new`, file);
    },
  ],
  ["shortened", (file) => writeFileSync(file, "")],
];

test.each(WAYS)("a file that was verified and is %s is not sent", (_way, write) => {
  const lines: string[] = [];
  // For this clock, every change was long ago.
  const later = () => Number.MAX_SAFE_INTEGER;
  const store = createStore(0, (line) => lines.push(line), undefined, later);
  for (const { file, digest, body } of writePages(1)) {
    for (const _ of [1, 2]) expect(String(store.read(file, digest))).toBe(body);
    write(file);
    for (const _ of [1, 2]) expect(store.read(file, digest)).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/does not match its digest; answered 500/)]);
    writeFileSync(file, body);
    expect(String(store.read(file, digest))).toBe(body);
  }
});

test("a file that changes twice in one tick of its clock is hashed each time", () => {
  const now = () => 1_000;
  const tick = { ctimeMs: 500n, ctimeNs: 500_000_000n, mtimeNs: 500_000_000n };
  const { fstatSync } = fs;
  vi.spyOn(fs, "fstatSync").mockImplementation((...given) => Object.assign(fstatSync(...given), tick));
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const store = createStore(0, () => {}, undefined, now);
  for (const { file, digest, body } of writePages(1)) {
    expect(String(store.read(file, digest))).toBe(body);
    writeFileSync(file, "other".padEnd(SIZE));
    expect(store.read(file, digest)).toBeUndefined();
  }
});

test("the memory of a file that is not cached is used again only after it is given back", () => {
  const store = createStore(0, () => {});
  const [one, other] = writePages(2);
  const read = (page = one) => store.read(page?.file ?? "", page?.digest ?? "") ?? new Uint8Array();
  const first = read();
  const second = read(other);
  expect([String(first), String(second)]).toEqual([one?.body, other?.body]);
  store.giveBack(second);
  store.giveBack(first);
  const third = read();
  expect([String(first), String(third)]).toEqual([one?.body, one?.body]);
  expect(third.buffer).toBe(second.buffer);
});
