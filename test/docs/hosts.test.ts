/** docs/hosts.md says of each host what the code says: its row, its shortfalls, its steps. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ADAPTERS } from "../../src/adapters/adapters.js";
import { LIMITATIONS } from "../../src/adapters/limitations.js";
import { ADAPTER_COLUMNS, adapterRow } from "../../src/adapters/table.js";

const DOC = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");

/** The cells of every line of a table below a heading. */
function tableBelow(heading: string): string[][] {
  const part = DOC.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const lines = part.split("\n").filter((line) => line.startsWith("| "));
  return lines
    .filter((_, at) => at !== 1)
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

test("the table of hosts is the command's", () => {
  expect(tableBelow("What each host does")).toEqual([[...ADAPTER_COLUMNS], ...ADAPTERS.map(adapterRow)]);
});

test("what hosts cannot do is the table that tests let pass, and nothing else", () => {
  const rows = Object.entries(LIMITATIONS).flatMap(([host, probes]) =>
    Object.entries(probes).map(([probe, why]) => [host, `\`${probe}\``, why]),
  );
  expect(tableBelow("What a host cannot do")).toEqual([["host", "probe", "why"], ...rows]);
});

test.each(ADAPTERS)("the steps to a site on $name are there", ({ title, steps }) => {
  const part = DOC.split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  for (const step of steps) expect(part).toContain(step);
});
