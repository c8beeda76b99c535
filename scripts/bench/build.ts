/** `rollcall build` against the program that one would write first, and against C: interleaved, in one run. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { type CProgram, compileC, NO_C, obvious, PAGE_SIZE, rollcall } from "./programs.js";
import { type Contestant, memoryOf, OUTCOME_HEAD, type Outcome, outcomeCells, race, timesOf } from "./race.js";
import { type Figures, fixed, type Verdict } from "./report.js";
import { changeSome, withoutIndex } from "./sources.js";

const ROLLCALL = "rollcall build";
const UNCHANGED = "again, unchanged";
const CHANGED = "again, 0.1 % changed in place";
const UNINDEXED = "source without index";
const OBVIOUS = "obvious Node program";
const C = "C program";

const USERS = [100_000, 1_000_000];
/** Without workers a build takes so long that a larger one would tell nothing new. */
const MOST_ALONE = 100_000;

export const benchBuild: Part = async (bench) => {
  const sizes = bench.users ?? (bench.isQuick ? [20_000] : USERS);
  const rounds = bench.rounds ?? (bench.isQuick ? 1 : 5);
  const cProgram = compileC(bench.folder);
  const figures: { users: number; outcomes: Outcome[] }[] = [];
  for (const users of sizes) {
    const contestants = contestantsOf(bench, users, cProgram);
    bench.say(`build: ${users.toLocaleString("en")} users`);
    figures.push({ users, outcomes: await race(contestants, rounds, bench.say) });
    for (const name of ["dist", "pages"]) rmSync(join(bench.folder, name), { recursive: true, force: true });
    rmSync(`${bench.sources.take(users)}.unindexed`, { force: true });
  }
  return {
    tables: figures.map(({ users, outcomes }) => toTable(users, outcomes)),
    verdicts: figures.flatMap(({ users, outcomes }) => judge(users, outcomes)),
    missing: cProgram ? [] : [NO_C],
    figures,
  };
};

function contestantsOf({ folder, sources }: Bench, users: number, cProgram: CProgram | undefined): Contestant[] {
  const db = sources.take(users);
  const dist = join(folder, "dist");
  const pages = join(folder, "pages");
  const clear = () => rmSync(dist, { recursive: true, force: true });
  const empty = () => {
    rmSync(pages, { recursive: true, force: true });
    mkdirSync(pages);
  };
  const alone = { name: "no workers", prepare: clear, run: () => rollcall(db, dist, "--workers", "0") };
  return [
    { name: ROLLCALL, prepare: clear, run: () => rollcall(db, dist) },
    { name: UNCHANGED, run: () => rollcall(db, dist) },
    { name: CHANGED, prepare: () => changeSome(db), run: () => rollcall(db, dist) },
    { name: "one worker", prepare: clear, run: () => rollcall(db, dist, "--workers", "1") },
    ...(users <= MOST_ALONE ? [alone] : []),
    {
      name: UNINDEXED,
      prepare() {
        clear();
        withoutIndex(db);
      },
      run: () => rollcall(withoutIndex(db), dist),
    },
    { name: OBVIOUS, prepare: empty, run: () => obvious(db, pages) },
    ...(cProgram ? [{ name: C, prepare: empty, run: () => cProgram(db, pages) }] : []),
  ];
}

function toTable(users: number, outcomes: readonly Outcome[]): Figures {
  const [own] = outcomes;
  return {
    title: `Building ${users.toLocaleString("en")} users, ${PAGE_SIZE} a page`,
    head: ["program", "time / rollcall", ...OUTCOME_HEAD],
    rows: outcomes.map((one) => [one.name, fixed(timesOf(one, own)), ...outcomeCells(one)]),
  };
}

/** The targets are those of 1,000,000 users, and one of 100,000. */
function judge(users: number, outcomes: readonly Outcome[]): Verdict[] {
  const named = (name: string) => outcomes.find((outcome) => outcome.name === name);
  const own = named(ROLLCALL);
  const size = `${users.toLocaleString("en")} users`;
  const slower = (what: string, name: string, atMost: number) => {
    return { what: `${size}: ${what}, of a full build's time`, atMost, measured: timesOf(named(name), own) };
  };
  const obviousProgram = {
    what: `${size}: times faster than the obvious Node program`,
    atLeast: users < 1_000_000 ? 3 : 4,
    measured: timesOf(named(OBVIOUS), own),
  };
  if (users < 1_000_000) return [obviousProgram];
  return [
    obviousProgram,
    { what: `${size}: of the C program's time`, atMost: 2, measured: timesOf(own, named(C)) },
    { what: `${size}: peak anonymous memory, MB`, atMost: 350, measured: memoryOf(own) / 1e6 },
    slower("without the index", UNINDEXED, 1.5),
    slower("unchanged", UNCHANGED, 0.25),
    slower("0.1 % changed in place", CHANGED, 0.9),
  ];
}
