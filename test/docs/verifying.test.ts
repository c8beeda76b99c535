/** docs/reference/checks.md names every check, word for word and in order, and no other. */
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { HOSTS } from "../../src/hosts/hosts.js";
import { CHECK_NAMES, HOST_ROWS } from "../../src/verify/host/host.js";
import { checksOf } from "../../src/verify/release/rows.js";
import { wordingOf } from "../../src/verify/rules.js";
import { expectTable } from "../support/docs.js";

const WORDING = wordingOf(USERS_CONTRACT);
const CHECKS = checksOf(WORDING);

test.each([
  ["## A release on disk", CHECKS],
  ["## A deployed host", HOST_ROWS],
] as const)("%s", (heading, checks) => {
  const rows = checks.map(({ name, rule }) => [`\`${name}\``, rule]);
  expectTable("docs/reference/checks.md", heading, [["check", "rule"], ...rows]);
});

test.each(HOSTS)("what $name cannot do are checks", (adapter) => {
  const names = Object.keys(adapter.limitations ?? {});
  expect(names.filter((name) => !CHECK_NAMES.includes(name))).toEqual([]);
});

test("names are one word each, and each stands for one check", () => {
  for (const names of [CHECK_NAMES, CHECKS.map(({ name }) => name)]) {
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9.]+(-[a-z0-9.]+)*$/);
  }
});
