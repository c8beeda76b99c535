/** docs/verifying.md names every check, word for word and in order, and no other. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHECKS } from "../../src/verify/release/rows.js";
import { HEADERS } from "../../src/verify/site/headers.js";
import { COMPARED_ROW, PAGE_ROWS, PROBES, ROW_NAMES } from "../../src/verify/site/rows.js";

const DOC = readFileSync(new URL("../../docs/verifying.md", import.meta.url), "utf8");
const [, disk = "", host = ""] = DOC.split(/^## .*$/m);

test.each([
  ["a release on disk", disk, CHECKS],
  ["a deployed host", host, [...PAGE_ROWS, ...HEADERS, COMPARED_ROW, ...PROBES]],
] as const)("%s", (_name, section, rows) => {
  const lines = section.split("\n").filter((line) => line.startsWith("| `"));
  expect(lines).toEqual(rows.map(({ name, rule }) => `| \`${name}\` | ${rule} |`));
});

test("names are one word each, and each stands for one check", () => {
  for (const names of [ROW_NAMES, CHECKS.map(({ name }) => name)]) {
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  }
});
