/** The cache of pages and small files. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/release/plain-files.js";
import { createStore } from "../../src/server/store.js";
import { scratch } from "../support/files.js";

const SIZE = 2_000;
const HELD = 50;

test("keeps as many bytes as it may, the most recently used ones, and verifies each read", () => {
  const folder = join(scratch(), "pages");
  mkdirSync(folder);
  const lines: string[] = [];
  const store = createStore((HELD * (SIZE + 512)) / 2 ** 20, (line) => lines.push(line));
  const pages = Array.from({ length: HELD + 1 }, (_, page) => {
    const body = `${page} `.padEnd(SIZE);
    const file = join(folder, `${page}`);
    writeFileSync(file, body);
    return { file, digest: sha256(body) };
  });
  for (const { file, digest } of pages) expect(store.read(file, digest)).toHaveLength(SIZE);
  const held = pages.map(({ digest }) => store.find(digest) !== undefined);
  expect(held).toEqual([false, ...Array(HELD).fill(true)]);
  const [{ file, digest } = { file: "", digest: "" }] = pages;
  writeFileSync(file, "other".padEnd(SIZE));
  expect([store.read(file, digest), store.read(file, digest)]).toEqual([undefined, undefined]);
  expect(lines).toEqual([expect.stringMatching(/does not match its digest; answered 500/)]);
  rmSync(file);
});
