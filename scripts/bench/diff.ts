/** Compares `rollcall diff` of two releases with sqldiff of their sources, and with a simple Node program. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { has, here, measure } from "./processes.js";
import { type Bench, inTurns, type Row } from "./rounds.js";
import { changeOnePercent, makeSource, release } from "./sources.js";

/** Exit codes of success: differences are expected. */
const EXIT_CODES = [0, 1];

export async function measureDiff({ users, rounds, rollcalls, folder }: Bench): Promise<Row[]> {
  if (!has("/usr/bin/time", "diff", "time")) return [];
  const [old, now] = [await makeSource(folder, users), join(folder, "changed.sqlite")];
  cpSync(old, now);
  changeOnePercent(now);
  const contestants: { name: string; command: string[] }[] = [];
  let releases: string[] = [];
  for (const { name, cli } of rollcalls) {
    const dist = join(folder, name);
    releases = [await release(cli, old, dist), await release(cli, now, dist)];
    contestants.push({ name: `${name} diff`, command: [process.execPath, cli, "diff", ...releases] });
  }
  const heap = "--max-old-space-size=16384";
  contestants.push({ name: "two maps in Node", command: [process.execPath, heap, here("two-maps.mjs"), ...releases] });
  // By id, since rowids change when the table is filled again.
  if (has("sqldiff", "sqldiff", "sqlite3-tools"))
    contestants.push({ name: "sqldiff of the sources", command: ["sqldiff", "--primarykey", old, now] });
  return inTurns(
    contestants.map(({ name, command }) => ({ name, run: () => measure(command, EXIT_CODES) })),
    rounds,
    { ratios: ["seconds"], to: "rollcall diff" },
  );
}
