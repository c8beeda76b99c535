/** docs/reference/hosts.md says of each host what its adapter says: its row, and the checks that it cannot pass. Each has a section with commands. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOSTS, hostRow } from "../../src/host/hosts.js";
import { expectTable } from "../support/docs.js";

const DOC = readFileSync(new URL("../../docs/reference/hosts.md", import.meta.url), "utf8");

test("the table of hosts is the command's", () => {
  const [first = [], ...rows] = HOSTS.map(hostRow);
  const columns = first.map(([column]) => column);
  const cells = [first, ...rows].map((row) => row.map(([, cell]) => cell));
  expectTable("docs/reference/hosts.md", "## What each host does", [columns, ...cells]);
});

test("what hosts cannot do is what their adapters say, grouped by reason", () => {
  const rows = new Map<string, { hosts: Set<string>; checks: Set<string> }>();
  for (const { name, unmetChecks = {} } of HOSTS)
    for (const [check, reason] of Object.entries(unmetChecks)) {
      const row = rows.get(reason) ?? { hosts: new Set(), checks: new Set() };
      rows.set(reason, { hosts: row.hosts.add(name), checks: row.checks.add(`\`${check}\``) });
    }
  const cells = [...rows].map(([reason, { hosts, checks }]) => [[...hosts].join(", "), [...checks].join(", "), reason]);
  expectTable("docs/reference/hosts.md", "## What a host cannot do", [["host", "checks", "reason"], ...cells]);
});

test.each(HOSTS)("commands for a site on $name are there", ({ title }) => {
  const part = DOC.split(/^### /m).find((text) => text.startsWith(`${title}\n`));
  expect(part).toMatch(/^```sh\n.*rollcall/ms);
});
