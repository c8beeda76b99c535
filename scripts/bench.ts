/** `npm run bench`: measures Rollcall and other programs alternately, and prints a Markdown table for each part. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, Command, InvalidArgumentError } from "commander";
import { measureBuild } from "./bench/build.js";
import { measureDiff } from "./bench/diff.js";
import { measureMirror } from "./bench/mirror.js";
import { say, temporaryFolder } from "./bench/processes.js";
import type { Bench, Row } from "./bench/rounds.js";
import { measureServe } from "./bench/serve.js";

const PARTS: Readonly<Record<string, { users: number; measure(bench: Bench): Promise<Row[]> }>> = {
  build: { users: 1_000_000, measure: measureBuild },
  serve: { users: 100_000, measure: measureServe },
  diff: { users: 1_000_000, measure: measureDiff },
  mirror: { users: 1_000_000, measure: measureMirror },
};
const MEMORY = "/dev/shm";
const CLI = "lib/cli/cli.js";

interface Flags {
  users?: number;
  rounds: number;
  folder: string;
  baseline?: string;
}

const command = new Command("bench")
  .description("Measures Rollcall beside other programs on this machine.")
  .addArgument(new Argument("[parts...]", "what to measure (default: every part)").choices(Object.keys(PARTS)))
  .option("--users <number>", "size of the listing (default: 100000 for serve, 1000000 for the others)", positive)
  .option("--rounds <number>", "how often each program runs", positive, 5)
  .option("--folder <folder>", "where temporary files are written", existsSync(MEMORY) ? MEMORY : tmpdir())
  .option("--baseline <folder>", "another compiled checkout of Rollcall, measured in turns with this one")
  .parse();
await bench(command.args, command.opts<Flags>());

async function bench(names: readonly string[], { users, rounds, folder, baseline }: Flags): Promise<void> {
  const rollcalls = [{ name: "rollcall", cli: fileURLToPath(new URL(`../${CLI}`, import.meta.url)) }];
  if (baseline !== undefined) rollcalls.push({ name: "baseline", cli: resolve(baseline, CLI) });
  for (const { cli } of rollcalls) {
    if (!existsSync(cli)) command.error(`There is no ${cli}. Run "npm run compile" in that checkout.`, { exitCode: 2 });
  }
  if (!existsSync(folder)) command.error(`There is no folder ${folder}.`, { exitCode: 2 });
  const fileSystem = `${spawnSync("stat", ["-f", "-c", "%T", folder]).stdout ?? ""}`.trim() || "unknown file system";
  const machine = `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${(totalmem() / 1e9).toFixed()} GB of memory`;
  print(
    `${machine}, Node ${process.version}, ${fileSystem}; ${new Date().toISOString().slice(0, 10)}, rounds: ${rounds}`,
  );
  for (const [name, { users: usual, measure }] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const scratch = temporaryFolder(folder);
    const size = users ?? usual;
    const title = `${name}, ${size.toLocaleString("en")} users`;
    say(title);
    try {
      const rows = await measure({ users: size, rounds, rollcalls, folder: scratch.path });
      if (rows.length > 0) print(`\n${toMarkdown(title, rows)}`);
    } catch (error) {
      say(`${name} failed: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
    scratch.remove();
  }
}

function toMarkdown(title: string, rows: readonly Row[]): string {
  const keys = Object.keys(rows[0]?.cells ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const lines = rows.map(({ name, cells }) => line([name, ...keys.map((key) => cells[key] ?? "-")]));
  return [line([title, ...keys]), line(["---", ...keys.map(() => "---:")]), ...lines].join("\n");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("Give an integer from 1 on.");
  return Number(text);
}
