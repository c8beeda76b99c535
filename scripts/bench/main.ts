/** `npm run bench`: makes its data, runs every contestant interleaved, prints medians, ranges and ratios. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import { benchBuild, describeMachine, type Row } from "./build.js";
import { buildTable } from "./report.js";
import { printServe } from "./serve/print.js";
import { benchServe, type ServeReport } from "./serve.js";

const PARTS = ["build", "serve"] as const;

const { quick, json, only, users, rounds, folder } = new Command("bench")
  .description(
    "Measures Rollcall against other programs on this machine, in one run. Ratios travel; seconds do not.",
  )
  .option("--quick", "small sources and one round: shows that it works, not how fast")
  .addOption(new Option("--only <part>", "one part of it").choices(PARTS))
  .option("--users <list>", "sizes of the sources to build", "100000,1000000")
  .option("--rounds <number>", "rounds of every build", "5")
  .option("--folder <folder>", "where to build; a memory file system, if there is one", "/dev/shm")
  .option("--json <file>", "write every figure to it as well")
  .parse()
  .opts<{ quick?: boolean; json?: string; only?: string; users: string; rounds: string; folder: string }>();

const say = (line: string) => process.stderr.write(`${line}\n`);
say(describeMachine());
const figures: { machine: string; build?: Row[]; serve?: ServeReport } = { machine: describeMachine() };
if (only !== "serve") {
  figures.build = await buildSomewhere();
  process.stdout.write(`${buildTable(figures.build)}\n`);
}
if (only !== "build") {
  figures.serve = await benchServe({ quick: quick ?? false });
  process.stdout.write(printServe(figures.serve));
}
if (json) writeFileSync(json, `${JSON.stringify(figures, undefined, 2)}\n`);

async function buildSomewhere(): Promise<Row[]> {
  const work = mkdtempSync(join(isWritable(folder) ? folder : tmpdir(), "rollcall-bench-"));
  try {
    const sizes = quick ? [20_000] : users.split(",").map(Number);
    return await benchBuild({ users: sizes, rounds: quick ? 1 : Number(rounds), folder: work, say });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
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
