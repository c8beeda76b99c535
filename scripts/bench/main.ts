/** `npm run bench`: makes its data, runs every contestant interleaved, prints medians, ranges and ratios. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { benchBuild, describeMachine } from "./build.js";
import { buildTable } from "./report.js";

const { quick, json, users, rounds, folder } = new Command("bench")
  .description(
    "Measures Rollcall against other programs on this machine, in one run. Ratios travel; seconds do not.",
  )
  .option("--quick", "a small source and one round: shows that it works, not how fast")
  .option("--users <list>", "sizes of the sources to build", "100000,1000000")
  .option("--rounds <number>", "rounds of every contestant", "5")
  .option("--folder <folder>", "where to work; a memory file system, if there is one", "/dev/shm")
  .option("--json <file>", "write every figure to it as well")
  .parse()
  .opts<{ quick?: boolean; json?: string; users: string; rounds: string; folder: string }>();

const say = (line: string) => process.stderr.write(`${line}\n`);
const work = mkdtempSync(join(isWritable(folder) ? folder : tmpdir(), "rollcall-bench-"));
try {
  say(`${describeMachine()}, in ${work}`);
  const sizes = quick ? [20_000] : users.split(",").map(Number);
  const build = await benchBuild({ users: sizes, rounds: quick ? 1 : Number(rounds), folder: work, say });
  process.stdout.write(`${buildTable(build)}\n`);
  if (json) writeFileSync(json, `${JSON.stringify({ machine: describeMachine(), build }, undefined, 2)}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function isWritable(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true });
    rmSync(mkdtempSync(join(path, "rollcall-")), { recursive: true });
    return true;
  } catch {
    return false;
  }
}
