/** `npm run bench`: makes its data, runs every contestant interleaved, prints medians, ranges, ratios and verdicts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Argument, Command, InvalidArgumentError } from "commander";
import type { Part } from "./bench.js";
import { benchBuild } from "./build.js";
import { benchBulk } from "./bulk.js";
import { benchCompress } from "./compress.js";
import { benchDiff } from "./diff.js";
import { benchDisk } from "./disk.js";
import { benchGrowth } from "./growth.js";
import { benchLookup } from "./lookup.js";
import { describeMachine, isWritable } from "./machine.js";
import { benchMirror } from "./mirror.js";
import { benchRead } from "./read.js";
import { type Findings, toMarkdown, toText } from "./report.js";
import { benchServe } from "./serve.js";
import { Sources } from "./sources.js";

const PARTS: Readonly<Record<string, Part>> = {
  build: benchBuild,
  bulk: benchBulk,
  compress: benchCompress,
  diff: benchDiff,
  disk: benchDisk,
  growth: benchGrowth,
  lookup: benchLookup,
  mirror: benchMirror,
  read: benchRead,
  serve: benchServe,
};

/** Lines of a page between which the tables of its last run stand. */
const BEGIN = "<!-- measured -->\n";
const END = "<!-- /measured -->\n";

interface Flags {
  quick?: true;
  users?: number[];
  rounds?: number;
  folder: string;
  disk: string;
  installHosts?: true;
  json?: string;
  markdown?: string;
}

const command = new Command("bench")
  .description("Measures Rollcall against other programs on this machine, in one run. Ratios travel; seconds do not.")
  .addArgument(new Argument("[parts...]", "what to measure; everything unless named").choices(Object.keys(PARTS)))
  .option("--quick", "small sources and one round: shows that it works, not how fast")
  .option("--users <list>", "sizes of the sources to build, as 100000,1000000", listOfIntegers)
  .option("--rounds <number>", "rounds of everything", (text) => listOfIntegers(text)[0])
  .option("--folder <folder>", "where to build; a memory file system, if there is one", "/dev/shm")
  .option("--disk <folder>", "where the disk is", tmpdir())
  .option("--install-hosts", "fetch sirv-cli, serve and http-server from npm, for this run alone")
  .option("--json <file>", "write every figure to it as well")
  .option(
    "--markdown <file>",
    "write the tables to it as well; between the lines that mark their place, if it has them",
  )
  .parse();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
await bench(command.args, command.opts<Flags>());

async function bench(names: readonly string[], flags: Flags): Promise<void> {
  const isQuick = flags.quick ?? false;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const machine = `${describeMachine()}; ${new Date().toISOString().slice(0, 10)}`;
  say(machine);
  const folder = scratchIn(isWritable(flags.folder) ? flags.folder : tmpdir());
  const disk = scratchIn(flags.disk);
  const { users, rounds, installHosts: installsHosts = false } = flags;
  const sources = new Sources(folder, say);
  const found: Record<string, Findings> = {};
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      const findings = await part({ isQuick, users, rounds, installsHosts, sources, folder, disk, say });
      found[name] = findings;
      process.stdout.write(`${toText({ ...findings, verdicts: [], missing: [] }, false)}\n`);
    } catch (error) {
      // The other parts have taken minutes, and can be told all the same.
      process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
      process.exitCode = 1;
    }
  }
  const all = gather(Object.values(found));
  process.stdout.write(toText({ ...all, tables: [] }, !isQuick));
  const figures = Object.fromEntries(Object.entries(found).map(([name, part]) => [name, part.figures]));
  if (flags.json) writeFileSync(flags.json, `${JSON.stringify({ machine, ...figures }, undefined, 2)}\n`);
  if (flags.markdown) writeMarkdown(flags.markdown, `${machine}.\n\n${toMarkdown(all, !isQuick)}`);
}

/** A folder that goes with this process, however that ends: what is made in it may be most of the memory. */
function scratchIn(parent: string): string {
  const folder = mkdtempSync(join(parent, "rollcall-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function gather(all: readonly Findings[]): Omit<Findings, "figures"> {
  return {
    tables: all.flatMap(({ tables }) => tables),
    verdicts: all.flatMap(({ verdicts }) => verdicts),
    missing: [...new Set(all.flatMap(({ missing }) => missing))],
  };
}

/** Leaves the rest of a page as it is. */
function writeMarkdown(file: string, tables: string): void {
  const [before, rest] = existsSync(file) ? readFileSync(file, "utf8").split(BEGIN) : [];
  const [, after] = rest?.split(END) ?? [];
  writeFileSync(file, after === undefined ? tables : `${before}${BEGIN}\n${tables}\n${END}${after}`);
}

function listOfIntegers(text: string): number[] {
  if (!/^[1-9]\d*(,[1-9]\d*)*$/.test(text)) throw new InvalidArgumentError("Give an integer from 1 on.");
  return text.split(",").map(Number);
}
