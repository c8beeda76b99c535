/** How files of `dist` are opened and put in their place, whatever somebody has laid there. */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findDigest, readReleaseFile, readReleaseFileSync } from "../../src/release/files.js";
import { replaceFile } from "../../src/release/write.js";
import { scratch } from "../support/files.js";

const LAID: [what: string, lay: (path: string, other: string) => void][] = [
  ["a link", (path, other) => symlinkSync(other, path)],
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a folder", (path) => mkdirSync(path)],
];

test.each(LAID)("what is read is no %s, and nothing waits for it", async (_, lay) => {
  const folder = scratch();
  const [file, other] = [join(folder, "file"), join(folder, "other")];
  writeFileSync(other, "another's");
  lay(file, other);
  expect(readReleaseFileSync(file)).toBeUndefined();
  expect(await findDigest(file, Buffer.alloc(16))).toBeUndefined();
  await expect(readReleaseFile(file)).rejects.toMatchObject({
    code: expect.stringMatching(/^(ELOOP|ENXIO|EISDIR)$/),
  });
});

test.each(LAID.slice(0, 2))("what is written goes over %s, in its place or aside, and not through it", (_, lay) => {
  const folder = scratch();
  const [file, other] = [join(folder, "file"), join(folder, "other")];
  writeFileSync(other, "another's");
  lay(file, other);
  lay(`${file}.rollcall-new`, other);
  replaceFile(file, "ours");
  expect(lstatSync(file).isFile()).toBe(true);
  expect([readFileSync(file, "utf8"), readFileSync(other, "utf8")]).toEqual(["ours", "another's"]);
  expect(readdirSync(folder).sort()).toEqual(["file", "other"]);
});

test("what cannot be put in its place leaves nothing aside", () => {
  const folder = scratch();
  mkdirSync(join(folder, "file"));
  expect(() => replaceFile(join(folder, "file"), "ours")).toThrow("EISDIR");
  expect(readdirSync(folder)).toEqual(["file"]);
});
