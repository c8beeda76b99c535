/** `rollcall diff` of two releases against sqldiff of their sources, and against two maps in a Node program. */
import { cpSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import type { Bench, Part } from "./bench.js";
import { isInstalled } from "./machine.js";
import { measure } from "./measure.js";
import { CLI, rollcall } from "./programs.js";
import { type Contestant, memoryOf, OUTCOME_HEAD, outcomeCells, race, secondsOf, timesOf } from "./race.js";
import { fixed } from "./report.js";

const DIFF = "rollcall diff";
const EQUAL = "equal releases";
const WITHOUT = "without the list of records";
const SQLDIFF = "sqldiff of the sources, by id";
const BY_ROWID = "sqldiff, by row number";
const MAPS = "Node program with two maps";

const TWO_MAPS = fileURLToPath(new URL("two-maps.mjs", import.meta.url));

export const benchDiff: Part = async (bench) => {
  const users = bench.users?.[0] ?? (bench.isQuick ? 20_000 : 1_000_000);
  const rounds = bench.rounds ?? (bench.isQuick ? 1 : 5);
  const edits = { changed: users / 100, added: users / 1000, removed: users / 2000 };
  bench.say(`diff: ${users.toLocaleString("en")} users`);
  const pair = await makePair(bench, users, edits);
  const outcomes = await race(contestantsOf(pair), rounds, bench.say);
  pair.remove();
  const outcomeOf = (name: string) => outcomes.find((outcome) => outcome.name === name);
  const own = outcomeOf(DIFF);
  const kinds = Object.entries(edits).map(([kind, count]) => `${Math.floor(count).toLocaleString("en")} ${kind}`);
  return {
    tables: [
      {
        title: `Two releases of ${users.toLocaleString("en")} users: ${kinds.join(", ")}`,
        head: ["program", "time / rollcall", ...OUTCOME_HEAD],
        rows: outcomes.map((one) => [one.name, fixed(timesOf(one, own)), ...outcomeCells(one)]),
      },
    ],
    verdicts: [
      { what: "diff: seconds", atMost: 1, measured: secondsOf(own) },
      { what: "diff: memory, MB", atMost: 300, measured: memoryOf(own) / 1e6 },
      { what: "diff without an index: seconds", atMost: 12, measured: secondsOf(outcomeOf(WITHOUT)) },
      {
        what: "diff: times faster than sqldiff by id",
        atLeast: 3,
        measured: timesOf(outcomeOf(SQLDIFF), own),
      },
    ],
    missing: isInstalled("sqldiff") ? [] : ["sqldiff: install sqlite3-tools"],
    figures: outcomes,
  };
};

/** Sources and releases before and after the edits; `bare` ones are pages alone. */
interface Pair {
  sources: [string, string];
  releases: [string, string];
  bare: [string, string];
  remove(): void;
}

function contestantsOf({ sources, releases, bare }: Pair): Contestant[] {
  const [old] = releases;
  const diff = (...sides: string[]) => measure("sh", ["-c", NO_MATTER, process.execPath, CLI, "diff", ...sides]);
  const sqldiff = (name: string, ...flags: string[]) => {
    return { name, run: () => measure("sh", ["-c", NO_MATTER, "sqldiff", ...flags, ...sources]) };
  };
  // Row numbers say who is who only as long as nobody fills the table anew.
  const sqldiffs = [sqldiff(SQLDIFF, "--primarykey"), sqldiff(BY_ROWID)];
  return [
    { name: DIFF, run: () => diff(...releases) },
    { name: EQUAL, run: () => diff(old, old) },
    { name: WITHOUT, run: () => diff(...bare) },
    ...(isInstalled("sqldiff") ? sqldiffs : []),
    {
      name: MAPS,
      run: () =>
        measure("sh", ["-c", NO_MATTER, process.execPath, "--max-old-space-size=16384", TWO_MAPS, ...releases]),
    },
  ];
}

/** Runs its arguments; what differs is not printed, and is no failure. */
const NO_MATTER = '"$0" "$@" >/dev/null; test $? -le 1';

async function makePair(
  { folder, sources }: Bench,
  users: number,
  { changed, added, removed }: Record<"changed" | "added" | "removed", number>,
): Promise<Pair> {
  const [before, after] = [sources.take(users), join(folder, "edited.sqlite")];
  cpSync(before, after);
  const db = new Database(after);
  const columns = (db.pragma("table_info(users)") as { name: string }[]).map(({ name }) => name);
  const copied = columns.map((name) => (name === "id" ? "'00000000' || substr(id, 9)" : name));
  // Spread over the whole listing, and no user twice.
  const every = (count: number, from: number) => `rowid % ${Math.floor(users / count)} = ${from}`;
  db.exec(`UPDATE users SET bio = bio || '!', referrals_count = referrals_count + 1 WHERE ${every(changed, 3)};
    DELETE FROM users WHERE ${every(removed, 5)};
    INSERT INTO users (${columns}) SELECT ${copied} FROM users WHERE ${every(added, 7)}`);
  db.close();
  const dist = join(folder, "dist");
  const release = async (db: string): Promise<string> => {
    await rollcall(db, dist);
    return join(dist, readlinkSync(join(dist, "current")));
  };
  const releases: [string, string] = [await release(before), await release(after)];
  const bare = releases.map((path, at) => {
    const pages = join(folder, `pages-${at}`);
    cpSync(join(path, "api"), join(pages, "api"), { recursive: true });
    return pages;
  }) as [string, string];
  const remove = () => {
    for (const path of [dist, after, ...bare]) rmSync(path, { recursive: true, force: true });
  };
  return { sources: [before, after], releases, bare, remove };
}
