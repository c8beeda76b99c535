/** How time and memory of a build grow with its users. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { roomIn } from "./machine.js";
import { rollcall } from "./programs.js";
import { memoryOf, OUTCOME_HEAD, type Outcome, outcomeCells, race, secondsOf } from "./race.js";
import { fixed, type Verdict } from "./report.js";
import { PAGE_BYTES, SOURCE_BYTES } from "./sources.js";

const USERS = [10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_USERS = [2_000, 20_000];
/** From so many users on, one round takes long enough to even out. */
const LONG = 5_000_000;
/** Bytes that the source, its pages, and what else runs may not take away. */
const SPARE = 1e9;

interface Grown {
  users: number;
  outcome: Outcome;
}

export const benchGrowth: Part = async (bench) => {
  const { folder, sources } = bench;
  const grown: Grown[] = [];
  const missing: string[] = [];
  for (const users of bench.users ?? (bench.isQuick ? QUICK_USERS : USERS)) {
    const needed = users * (SOURCE_BYTES + PAGE_BYTES) + SPARE;
    if (roomIn(folder) < needed) {
      missing.push(`${users.toLocaleString("en")} users: ${folder} would need ${fixed(needed / 1e9)} GB`);
      continue;
    }
    grown.push({ users, outcome: await grow(bench, users) });
    if (users >= LONG) sources.drop(users);
  }
  return {
    tables: [
      {
        title: "Growth of a build",
        head: ["users", "microseconds a user", ...OUTCOME_HEAD],
        rows: grown.map(({ users, outcome }) => [
          users.toLocaleString("en"),
          fixed((secondsOf(outcome) / users) * 1e6),
          ...outcomeCells(outcome),
        ]),
      },
    ],
    verdicts: judge(grown),
    missing,
    figures: grown,
  };
};

async function grow({ folder, sources, say, isQuick, rounds }: Bench, users: number): Promise<Outcome> {
  const dist = join(folder, "dist");
  const clear = () => rmSync(dist, { recursive: true, force: true });
  const db = sources.take(users);
  say(`growth: ${users.toLocaleString("en")} users`);
  const contestant = { name: `${users}`, prepare: clear, run: () => rollcall(db, dist) };
  const [outcome] = await race([contestant], isQuick || users >= LONG ? 1 : (rounds ?? 3), say);
  clear();
  if (!outcome) throw new Error("A race of one has one outcome");
  return outcome;
}

function judge(grown: readonly Grown[]): Verdict[] {
  const of = (users: number) => grown.find((one) => one.users === users)?.outcome;
  const [million, ten] = [of(1_000_000), of(10_000_000)];
  if (!million) return [];
  return [
    {
      what: "10,000,000 users: times the seconds of 1,000,000",
      atMost: 11,
      measured: secondsOf(ten) / secondsOf(million),
    },
    {
      what: "10,000,000 users: times the memory of 1,000,000",
      atMost: 1.3,
      measured: memoryOf(ten) / memoryOf(million),
    },
  ];
}
