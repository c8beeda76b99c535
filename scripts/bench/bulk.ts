/** `--bulk`: what a build that writes all records into a few files takes more, against gzip of the same bytes. */
import { createReadStream, createWriteStream, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { Part } from "./bench.js";
import { isInstalled } from "./machine.js";
import { measure } from "./measure.js";
import { rollcall } from "./programs.js";
import { memoryOf, OUTCOME_HEAD, type Outcome, outcomeCells, race, spread } from "./race.js";
import type { Verdict } from "./report.js";

const PLAIN = "rollcall build";
const BULK = "rollcall build --bulk";
const GZIP = "gzip -6 of the same bytes";

export const benchBulk: Part = async ({ isQuick, users, rounds, sources, folder, say }) => {
  const sizes = users ?? (isQuick ? [20_000] : [300_000, 1_000_000]);
  const missing = isInstalled("gzip") ? [] : ["gzip: install it to compare with"];
  const [dist, bytes] = [join(folder, "dist"), join(folder, "records.ndjson")];
  const clear = () => rmSync(dist, { recursive: true, force: true });
  const figures: { users: number; outcomes: Outcome[] }[] = [];
  for (const size of sizes) {
    say(`bulk: ${size.toLocaleString("en")} users`);
    const db = sources.take(size);
    await rollcall(db, dist, "--bulk");
    await unpack(join(dist, "current", "bulk"), bytes);
    const tool = { name: GZIP, run: () => measure("sh", ["-c", 'gzip -6 <"$0" >/dev/null', bytes]) };
    const contestants = [
      { name: PLAIN, prepare: clear, run: () => rollcall(db, dist) },
      { name: BULK, prepare: clear, run: () => rollcall(db, dist, "--bulk") },
      ...(missing.length === 0 ? [tool] : []),
    ];
    figures.push({ users: size, outcomes: await race(contestants, rounds ?? (isQuick ? 1 : 3), say) });
    clear();
    rmSync(bytes);
  }
  return {
    tables: figures.map(({ users, outcomes }) => ({
      title: `All records of ${users.toLocaleString("en")} users in a few files`,
      head: ["program", ...OUTCOME_HEAD],
      rows: outcomes.map((one) => [one.name, ...outcomeCells(one)]),
    })),
    verdicts: figures.flatMap(({ users, outcomes }) => judge(users, outcomes)),
    missing,
    figures,
  };
};

async function unpack(parts: string, to: string): Promise<void> {
  const names = readdirSync(parts).sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  for (const name of names)
    await pipeline(createReadStream(join(parts, name)), createGunzip(), createWriteStream(to, { flags: "a" }));
}

/** By CPU seconds, since a build has several threads, and gzip one. */
function judge(users: number, [plain, bulk, gzip]: readonly Outcome[]): Verdict[] {
  const cpu = (outcome: Outcome | undefined, round: number) => outcome?.rounds[round]?.cpu ?? Number.NaN;
  const ratios = plain?.rounds.map((_, round) => (cpu(bulk, round) - cpu(plain, round)) / cpu(gzip, round)) ?? [];
  const size = `${users.toLocaleString("en")} users`;
  return [
    { what: `${size}: --bulk takes more, of gzip's CPU seconds`, atMost: 1.25, measured: spread(ratios).median },
    {
      what: `${size}: memory with --bulk, times that without`,
      atMost: 1.1,
      measured: memoryOf(bulk) / memoryOf(plain),
    },
  ];
}
