/** The same build on a disk and in memory: the disk's pace changes from minute to minute, so only the ratio is of use. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { isMemory } from "./machine.js";
import { type CProgram, compileC, NO_C, rollcall } from "./programs.js";
import { type Contestant, OUTCOME_HEAD, outcomeCells, race, timesOf } from "./race.js";
import { fixed } from "./report.js";

export const benchDisk: Part = async (bench) => {
  const { isQuick, users, rounds, folder, disk, say } = bench;
  if (isMemory(disk) || !isMemory(folder)) {
    const missing = [
      `a disk beside a memory file system (${disk} and ${folder} are alike): name them with --disk and --folder`,
    ];
    return { tables: [], verdicts: [], missing, figures: [] };
  }
  const size = users?.at(-1) ?? (isQuick ? 2_000 : 1_000_000);
  const cProgram = compileC(folder);
  const contestants = contestantsOf(bench, size, cProgram);
  say(`disk: ${size.toLocaleString("en")} users`);
  const outcomes = await race(contestants, rounds ?? (isQuick ? 1 : 3), say);
  rmSync(join(folder, TREE), { recursive: true });
  const [, own] = outcomes;
  return {
    tables: [
      {
        title: `Building ${size.toLocaleString("en")} users on a disk`,
        head: ["program", "time / rollcall on disk", ...OUTCOME_HEAD],
        rows: outcomes.map((one) => [one.name, fixed(timesOf(one, own)), ...outcomeCells(one)]),
      },
    ],
    verdicts: [],
    missing: cProgram ? [] : [NO_C],
    figures: outcomes,
  };
};

const TREE = "tree";

function contestantsOf({ folder, disk, sources }: Bench, size: number, cProgram: CProgram | undefined): Contestant[] {
  const db = sources.take(size);
  let runs = 0;
  let target = "";
  const inMemory = () => {
    target = join(folder, TREE);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target);
  };
  const onDisk = () => {
    // Creating files soon after a tree was deleted is slow on some disks: each run has a folder of its own till the end.
    target = join(disk, `${TREE}-${runs++}`);
    mkdirSync(target);
    // What others have written is not to be waited for.
    execFileSync("sync");
  };
  const own = () => rollcall(db, target);
  const ofC = (run: CProgram): Contestant[] => [
    { name: "C program in memory", prepare: inMemory, run: () => run(db, target) },
    { name: "C program on disk", prepare: onDisk, run: () => run(db, target) },
    { name: "C program on disk, flushed", prepare: onDisk, run: () => run(db, target, "flushed") },
  ];
  return [
    { name: "rollcall build in memory", prepare: inMemory, run: own },
    { name: "rollcall build on disk", prepare: onDisk, run: own },
    ...(cProgram ? ofC(cProgram) : []),
  ];
}
