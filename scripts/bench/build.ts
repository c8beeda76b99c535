/** `rollcall build` against the program that one would write first, and against C: interleaved, in one run. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { measure } from "./measure.js";
import { type CProgram, compileC, NO_C, obvious, PAGE_SIZE, rollcall } from "./programs.js";
import {
  type Contestant,
  memoryOf,
  OUTCOME_HEAD,
  type Outcome,
  outcomeCells,
  race,
  secondsBeyond,
  timesOf,
} from "./race.js";
import { type Figures, fixed, type Verdict } from "./report.js";
import { changeSome, withoutIndex } from "./sources.js";

const ROLLCALL = "rollcall build";
const UNCHANGED = "again, unchanged";
const CHANGED = "again, 0.1 % changed in place";
const UNINDEXED = "source without index";
const OBVIOUS = "obvious Node program";
const C = "C program";

const NODE = "node -e 0";

const USERS = [100_000, 1_000_000];
/** Without workers a build takes so long that a larger one would tell nothing new. */
const MOST_ALONE = 100_000;
/** From so many users on, those with long texts are built, too. */
const MANY = 1_000_000;
/** A build of so few is mostly starting. */
const FEW = 10_000;

/** One source, and who makes pages of it. */
interface Heat {
  users: number;
  title: string;
  db: string;
}

export const benchBuild: Part = async (bench) => {
  const sizes = bench.users ?? (bench.isQuick ? [20_000] : USERS);
  const rounds = bench.rounds ?? (bench.isQuick ? 1 : 5);
  const cProgram = compileC(bench.folder);
  const few = await raceFew(bench, rounds);
  const figures: { heat: Heat; outcomes: Outcome[] }[] = [];
  for (const heat of sizes.flatMap((users) => heatsOf(bench, users))) {
    bench.say(`build: ${heat.title}`);
    figures.push({ heat, outcomes: await race(contestantsOf(bench, heat, cProgram), rounds, bench.say) });
    for (const name of ["dist", "pages"]) rmSync(join(bench.folder, name), { recursive: true, force: true });
    rmSync(`${heat.db}.unindexed`, { force: true });
  }
  return {
    tables: [toTable(title(FEW), few), ...figures.map(({ heat, outcomes }) => toTable(heat.title, outcomes))],
    verdicts: [...judgeFew(few), ...figures.flatMap(({ heat, outcomes }) => judge(heat, outcomes))],
    missing: cProgram ? [] : [NO_C],
    figures: { few, figures },
  };
};

function title(users: number): string {
  return `${users.toLocaleString("en")} users`;
}

function heatsOf({ sources }: Bench, users: number): Heat[] {
  const plain = { users, title: title(users), db: sources.take(users) };
  if (users < MANY) return [plain];
  return [plain, { users, title: `${title(users)} with long texts`, db: sources.takeLong(users) }];
}

/** On a disk or not, a small build is compared with a Node program that does nothing. */
function raceFew({ folder, sources, say }: Bench, rounds: number): Promise<Outcome[]> {
  const [db, dist] = [sources.take(FEW), join(folder, "dist")];
  const prepare = () => rmSync(dist, { recursive: true, force: true });
  say(`build: ${title(FEW)}`);
  return race(
    [
      { name: ROLLCALL, prepare, run: () => rollcall(db, dist) },
      { name: NODE, prepare, run: () => measure(process.execPath, ["-e", "0"]) },
    ],
    rounds,
    say,
  );
}

function contestantsOf({ folder }: Bench, { users, db }: Heat, cProgram: CProgram | undefined): Contestant[] {
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

function toTable(what: string, outcomes: readonly Outcome[]): Figures {
  const own = outcomes.find(({ name }) => name === ROLLCALL);
  return {
    title: `Building ${what}, ${PAGE_SIZE} a page`,
    head: ["program", "time / rollcall", ...OUTCOME_HEAD],
    rows: outcomes.map((one) => [one.name, fixed(timesOf(one, own)), ...outcomeCells(one)]),
  };
}

function judgeFew(outcomes: readonly Outcome[]): Verdict[] {
  const named = (name: string) => outcomes.find((outcome) => outcome.name === name);
  return [
    {
      what: `${title(FEW)}: seconds more than ${NODE}`,
      atMost: 0.25,
      measured: secondsBeyond(named(ROLLCALL), named(NODE)),
    },
  ];
}

/** The targets are those of 1,000,000 users, and one of 100,000. */
function judge({ users, title: size }: Heat, outcomes: readonly Outcome[]): Verdict[] {
  const named = (name: string) => outcomes.find((outcome) => outcome.name === name);
  const own = named(ROLLCALL);
  const slower = (what: string, name: string, atMost: number) => {
    return { what: `${size}: ${what}, of a full build's time`, atMost, measured: timesOf(named(name), own) };
  };
  const obviousProgram = {
    what: `${size}: times faster than the obvious Node program`,
    atLeast: users < MANY ? 3 : 4,
    measured: timesOf(named(OBVIOUS), own),
  };
  if (users < MANY) return [obviousProgram];
  return [
    obviousProgram,
    { what: `${size}: of the C program's time`, atMost: 1.6, measured: timesOf(own, named(C)) },
    { what: `${size}: of the C program's CPU seconds`, atMost: 3.2, measured: timesOf(own, named(C), "cpu") },
    { what: `${size}: peak anonymous memory, MB`, atMost: 350, measured: memoryOf(own) / 1e6 },
    slower("without the index", UNINDEXED, 1.5),
    slower("unchanged", UNCHANGED, 0.25),
    slower("0.1 % changed in place", CHANGED, 0.9),
  ];
}
