/** Snapshots of stations, compared as every kind of side. */

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Change } from "../../src/diff/change.js";
import { diff } from "../../src/diff/diff.js";
import { withDefaults } from "../../src/settings/settings.js";
import { scratch } from "../support/files.js";
import { STATIONS, type Station, stations, writeStations } from "../support/stations.js";
import { KINDS, publishBoth } from "./kinds.js";
import { openBoth, openOnly } from "./opened.js";

function publish(old: readonly Station[], now: readonly Station[]) {
  const write = (all: readonly Station[]) => (file: string) => {
    return writeStations(
      file,
      all.map(({ row }) => row),
    );
  };
  const both = { old: write(old), new: write(now) };
  return publishBoth("https://weather.example.com/all", { top: "v1", contract: STATIONS, write: both });
}

test("every pair of names", { timeout: 120_000 }, async () => {
  const all = stations(45);
  const [gone, edited] = [all[3], all[17]];
  const now = all
    .filter((station) => station !== gone)
    .map((station) => (station === edited ? { ...station, row: { ...station.row, position_latitude: 1.5 } } : station));
  const { names, effects } = await publish(all, now);
  for (const [from, to] of KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const))) {
    // A source without a contract takes that of the other side.
    if (from === "source" && to === "source") continue;
    const sides = await openBoth(names.old[from], names.new[to], effects);
    const result = await diff(...sides);
    const changes: Change[] = [];
    for await (const change of result.changes()) changes.push(change);
    result.close();
    expect(result, `${from} to ${to}`).toMatchObject({ added: 0, removed: 1, changed: 1, unchanged: 43 });
    expect(changes, `${from} to ${to}`).toMatchObject([
      { kind: "removed", id: gone?.record.code, record: gone?.record },
      { kind: "changed", id: edited?.record.code, fields: [{ path: "position.latitude", new: 1.5 }] },
    ]);
  }
});

test.each([
  ["no JSON", "{", /^\.\/pages has a contract\.json that is not a contract: The file is not JSON/],
  ["too large", " ".repeat(2_000_000), /^\.\/pages has a contract\.json that cannot be read \(EFBIG\)/],
])("pages with a contract that is %s", async (_what, text, why) => {
  const cwd = scratch();
  mkdirSync(join(cwd, "pages"));
  writeFileSync(join(cwd, "pages/contract.json"), text);
  const effects = { cwd, dist: join(cwd, "dist"), scratch: scratch(), source: withDefaults("diff", {}) };
  await expect(openOnly("./pages", effects)).rejects.toThrow(why);
  // A link to a contract is not followed.
  rmSync(join(cwd, "pages/contract.json"));
  writeFileSync(join(cwd, "other.json"), JSON.stringify(STATIONS));
  symlinkSync("../other.json", join(cwd, "pages/contract.json"));
  await expect(openOnly("./pages", effects)).rejects.toThrow("contract.json that cannot be read (ELOOP)");
});
