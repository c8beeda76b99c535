import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { PagePaths, SUMS } from "../../../src/core/release/layout.js";
import { PageNames } from "../../../src/core/release/page-names.js";
import { sha256, withReleaseFile } from "../../../src/core/release/plain-files.js";
import { encodeSums, PageDigests, readSums } from "../../../src/core/release/sums.js";
import { scratch } from "../../support/files.js";

// Gives numbers of one to four digits, and several blocks with an incomplete last one.
const PAGES = 1234;
const VARIANTS = ["identity", "br", "gzip"] as const;
const PATHS = new PagePaths("/v1/stations/");
const SHAPE = { paths: PATHS, pages: PAGES, variants: VARIANTS };
const OTHERS = new Map([
  ["contract.json", sha256("contract")],
  ["snapshot.json", sha256("snapshot")],
]);

let folder: string;
let path: string;
let digests: PageDigests;

beforeEach(() => {
  folder = scratch();
  path = join(folder, SUMS);
  digests = new PageDigests(PAGES, VARIANTS);
  for (let page = 1; page <= PAGES; page++)
    for (const variant of VARIANTS) digests.set(page, variant, sha256(`${page} ${variant}`));
});

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");
const textOf = () => [...encodeSums({ paths: PATHS, pages: digests, others: OTHERS })].join("");
const read = () => withReleaseFile(path, (file, size) => readSums({ file, size }, SHAPE));

const whole = async () => {
  const sums = await read();
  if ("why" in sums) throw new Error(sums.why);
  return sums;
};

test("reads back digests by number", async () => {
  writeFileSync(path, textOf());
  const { pages } = await whole();
  expect([...pages.files(PATHS)]).toEqual([...digests.files(PATHS)]);
  for (const [first, count] of [
    [250, 800],
    [PAGES, 9],
  ] as const)
    for (const variant of VARIANTS)
      expect(hex(pages.slice(first, count)[variant])).toBe(
        hex(digests.slice(first, Math.min(count, PAGES - first + 1))[variant]),
      );
  expect([pages.get(0, "identity"), pages.get(PAGES + 1, "br")]).toEqual([undefined, undefined]);
});

test("accepts lines in any order, and refuses invalid ones", async () => {
  const lines = textOf().split("\n").slice(0, -1);
  writeFileSync(path, `${lines.toReversed().join("\n")}\n`);
  const { pages, others } = await whole();
  expect([...pages.files(PATHS)]).toEqual([...digests.files(PATHS)]);
  expect(others).toEqual(new Map([...OTHERS].reverse()));
  const bad: [lines: string[], why: string][] = [
    [lines.slice(1), "lists 3701 page files, not 3702"],
    [[...lines, lines[0] ?? ""], "twice"],
    [[...lines, lines.at(-1) ?? ""], "twice"],
    [[...lines, `${sha256("")}  ../x`], "not 64 hexadecimal digits, two spaces and a path"],
    [[...lines, "x".repeat(2 ** 20)], "not 64 hexadecimal digits, two spaces and a path"],
  ];
  for (const [some, why] of bad) {
    writeFileSync(path, `${some.join("\n")}\n`);
    expect(await read()).toEqual({ why: expect.stringContaining(why) });
  }
  writeFileSync(path, lines.join("\n"));
  expect(await read()).toEqual({ why: "has no newline at its end" });
});

test("keeps names of pages, and refuses other names", () => {
  const names = new PageNames();
  const good = ["1.json", "8191.json", "8192.json.br", "999999999.json.gz"];
  for (const name of good) expect(names.add(name)).toBe(true);
  for (const name of ["01.json", "1.json.zip", "1.txt", "a.json", "1", "1000000000.json"])
    expect(names.add(name)).toBe(false);
  expect([names.has(1, "identity"), names.has(1, "br"), names.has(8192, "br")]).toEqual([true, false, true]);
});
