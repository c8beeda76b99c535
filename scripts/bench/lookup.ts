/** `--lookup`: what a build that says where each record is takes more, and what a reader asks for to find one. */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { PAGE_SIZE, rollcall } from "./programs.js";
import { memoryOf, OUTCOME_HEAD, type Outcome, outcomeCells, race, timesOf } from "./race.js";
import { fixed, type Verdict } from "./report.js";

const PLAIN = "rollcall build";
const LOOKUP = "rollcall build --lookup";

/** What a release has to find records by. */
interface Weight {
  files: number;
  /** Of all of them, and of the pages. */
  bytes: number;
  pages: number;
  /** The index, the largest file of keys or two of words, and the largest page, as one look-up may ask for. */
  most: number;
}

export const benchLookup: Part = async ({ isQuick, users, rounds, sources, folder, say }) => {
  const sizes = users ?? (isQuick ? [20_000] : [1_000_000]);
  const dist = join(folder, "dist");
  const clear = () => rmSync(dist, { recursive: true, force: true });
  const figures: { users: number; outcomes: Outcome[]; weight: Weight }[] = [];
  for (const size of sizes) {
    say(`lookup: ${size.toLocaleString("en")} users`);
    const db = sources.take(size);
    const contestants = [
      { name: PLAIN, prepare: clear, run: () => rollcall(db, dist) },
      { name: LOOKUP, prepare: clear, run: () => rollcall(db, dist, "--lookup") },
    ];
    const outcomes = await race(contestants, rounds ?? (isQuick ? 1 : 3), say);
    figures.push({ users: size, outcomes, weight: weigh(join(dist, "current")) });
    clear();
  }
  return {
    tables: figures.map(({ users, outcomes, weight }) => ({
      title: `What ${users.toLocaleString("en")} users, ${PAGE_SIZE} a page, are found by`,
      head: ["program", "time / without", ...OUTCOME_HEAD, "files", "MB", "kB of a look-up, at most"],
      rows: outcomes.map((one, at) => [
        one.name,
        fixed(timesOf(one, outcomes[0])),
        ...outcomeCells(one),
        ...(at === 0 ? ["-", "-", "-"] : [`${weight.files}`, fixed(weight.bytes / 1e6), fixed(weight.most / 1e3)]),
      ]),
    })),
    verdicts: figures.flatMap(({ users, outcomes, weight }) => judge(users, outcomes, weight)),
    missing: [],
    figures,
  };
};

function weigh(release: string): Weight {
  const sizesIn = (path: string) =>
    readdirSync(join(release, path)).map((name) => statSync(join(release, path, name)).size);
  const [keys, words] = [sizesIn("lookup/keys"), sizesIn("lookup/words")];
  const pages = sizesIn("api/users/pages");
  const index = readFileSync(join(release, "lookup/index.json")).length;
  const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
  const largest = (sizes: readonly number[]) => sizes.reduce((most, size) => Math.max(most, size), 0);
  const most = index + Math.max(largest(keys), 2 * largest(words)) + largest(pages);
  return { files: keys.length + words.length, bytes: index + sum([...keys, ...words]), pages: sum(pages), most };
}

function judge(users: number, [plain, lookup]: readonly Outcome[], weight: Weight): Verdict[] {
  const size = `${users.toLocaleString("en")} users`;
  return [
    { what: `${size}: --lookup, times the time without`, atMost: 1.5, measured: timesOf(lookup, plain) },
    {
      what: `${size}: --lookup takes more memory, MB`,
      atMost: 100,
      measured: (memoryOf(lookup) - memoryOf(plain)) / 1e6,
    },
    {
      what: `${size}: what records are found by, % of the pages`,
      atMost: 12,
      measured: (100 * weight.bytes) / weight.pages,
    },
    { what: `${size}: sorted files`, atMost: 600, measured: weight.files },
    { what: `${size}: index, files and page of a look-up, kB`, atMost: 250, measured: weight.most / 1e3 },
  ];
}
