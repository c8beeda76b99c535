/** `rollcall build` against the program that one would write first, and against C: interleaved, in one run. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Measured, measure, spread } from "./measure.js";

const BASE_URL = "https://directory.example.com";
const PAGE_SIZE = 100;
const here = (path: string) => new URL(path, import.meta.url).pathname;
const CLI = here("../../lib/cli.js");

export interface BuildBench {
  /** Users of each source that is built. */
  users: readonly number[];
  rounds: number;
  /** A folder to work in, which is cleared. A memory file system keeps the disk out of the figures. */
  folder: string;
  say(line: string): void;
}

export interface Row {
  users: number;
  contestant: string;
  seconds: { min: number; median: number; max: number };
  memory: number;
  /** Median of its time against that of `rollcall build` of the same round. */
  ratio: number;
}

interface Contestant {
  name: string;
  /** Not timed. */
  prepare?(): void;
  run(): Promise<Measured>;
}

/** @returns one row a contestant and size; what this machine lacks is said and left out. */
export async function benchBuild({ users, rounds, folder, say }: BuildBench): Promise<Row[]> {
  const baseline = compileBaseline(folder, say);
  const rows: Row[] = [];
  for (const count of users) {
    const db = join(folder, `${count}.sqlite`);
    say(`making ${count} users`);
    if (!existsSync(db))
      await measure("npx", ["tsx", here("../sample.ts"), "--users", `${count}`, "--out", db]);
    rows.push(...(await compare(count, contestants(db, folder, baseline), rounds, say)));
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    rmSync(join(folder, "pages"), { recursive: true, force: true });
  }
  return rows;
}

function contestants(db: string, folder: string, baseline: string | undefined): Contestant[] {
  const dist = join(folder, "dist");
  const pages = join(folder, "pages");
  const unindexed = `${db}.unindexed`;
  const build = (source: string, ...more: string[]) => {
    const args = ["build", "--db", source, "--out", dist, "--base-url", BASE_URL, "--quiet", ...more];
    return measure(process.execPath, [CLI, ...args]);
  };
  const clear = () => rmSync(dist, { recursive: true, force: true });
  const empty = () => {
    rmSync(pages, { recursive: true, force: true });
    mkdirSync(pages);
  };
  const external = (command: string, args: string[]) => () =>
    measure(command, [...args, db, pages, BASE_URL, `${PAGE_SIZE}`]);
  return [
    { name: "rollcall build", prepare: clear, run: () => build(db) },
    { name: "  again, unchanged", run: () => build(db) },
    { name: "  again, 0.1 % changed", prepare: () => change(db), run: () => build(db) },
    { name: "  one worker", prepare: clear, run: () => build(db, "--workers", "1") },
    { name: "  no workers", prepare: clear, run: () => build(db, "--workers", "0") },
    {
      name: "  source without index",
      prepare() {
        clear();
        withoutIndex(db, unindexed);
      },
      run: () => build(unindexed),
    },
    { name: "obvious Node program", prepare: empty, run: external(process.execPath, [here("obvious.mjs")]) },
    ...(baseline ? [{ name: "C program", prepare: empty, run: external(baseline, []) }] : []),
  ];
}

/** All contestants in turn, round after round, so that a slow minute slows them all. */
async function compare(
  users: number,
  all: Contestant[],
  rounds: number,
  say: BuildBench["say"],
): Promise<Row[]> {
  const figures = all.map(() => [] as Measured[]);
  for (let round = 1; round <= rounds; round++) {
    say(`${users} users, round ${round} of ${rounds}`);
    for (const [index, { prepare, run }] of all.entries()) {
      prepare?.();
      figures[index]?.push(await run());
    }
  }
  const own = figures[0] ?? [];
  return all.map(({ name }, index) => {
    const measured = figures[index] ?? [];
    const ratios = measured.map(({ seconds }, round) => seconds / (own[round]?.seconds ?? Number.NaN));
    return {
      users,
      contestant: name,
      seconds: spread(measured.map(({ seconds }) => seconds)),
      memory: Math.max(...measured.map(({ memory }) => memory)),
      ratio: spread(ratios).median,
    };
  });
}

/** Changes one user in a thousand, in place. */
function change(db: string): void {
  const file = new Database(db);
  file.exec("UPDATE users SET referrals_count = referrals_count + 1 WHERE rowid % 1000 = 7");
  file.close();
}

function withoutIndex(db: string, to: string): void {
  if (existsSync(to)) return;
  cpSync(db, to);
  const file = new Database(to);
  const indexes = file
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .pluck()
    .all();
  for (const name of indexes) file.exec(`DROP INDEX "${name}"`);
  file.close();
}

function compileBaseline(folder: string, say: BuildBench["say"]): string | undefined {
  const program = join(folder, "baseline");
  try {
    execFileSync("cc", ["-O2", "-o", program, here("baseline.c"), "-lsqlite3"], { stdio: "pipe" });
    return program;
  } catch {
    say("not available: a C compiler with libsqlite3-dev, so the C program is left out");
    return undefined;
  }
}

/** The processor and the kernel, for whoever reads the figures elsewhere. */
export function describeMachine(): string {
  const model =
    /^model name\s*:\s*(.+)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1] ?? "unknown processor";
  return `${model}, ${process.platform}, Node ${process.version}`;
}
