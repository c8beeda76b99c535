/** docs/reference/checks.md names every check, word for word and in order, and no other. */
import { expect, test } from "vitest";
import { HOSTS } from "../../src/host/hosts.js";
import { DISK_ROWS } from "../../src/verify/disk/rows.js";
import { CHECK_NAMES, HOST_ROWS } from "../../src/verify/url/listing.js";
import { expectTable } from "../support/docs.js";

test.each([
  ["## A release on disk", DISK_ROWS],
  ["## A deployed host", HOST_ROWS],
] as const)("%s", (heading, checks) => {
  const rows = checks.map(({ name, rule }) => [`\`${name}\``, rule]);
  expectTable("docs/reference/checks.md", heading, [["check", "rule"], ...rows]);
});

test.each(HOSTS)("what $name cannot do are checks", (adapter) => {
  const names = Object.keys(adapter.unmetChecks ?? {});
  expect(names.filter((name) => !CHECK_NAMES.includes(name))).toEqual([]);
});

test("names are one word each, and each stands for one check", () => {
  for (const names of [CHECK_NAMES, DISK_ROWS.map(({ name }) => name)]) {
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9.]+(-[a-z0-9.]+)*$/);
  }
});
