/** Threads gather what look-ups are made of, as one does: several files of each family are proved. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, verify } from "rollcall";
import { expect, test } from "vitest";
import { reseal } from "../support/damage.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";

const WORDS = "lookup/words/2.txt";
const KEYS = "lookup/keys/1.txt";

test("25,000 users in two threads and in none: nothing differs, and then two files", async () => {
  const random = seeded(20_261_125);
  const name = () => Array.from({ length: 12 }, () => String.fromCodePoint(0x61 + random.below(26))).join("");
  const rows = plainRows(25_000).map((row) => ({
    ...row,
    display_name: `${name()} ${name()}`,
    first_name: random.of(["Anna", "Anne", "Zoë"]),
  }));
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), rows);
  const built = await build({
    db,
    out: join(folder, "dist"),
    baseUrl: "https://directory.example.com",
    explorer: true,
  });
  const check = async (workers: number) => {
    const { rows } = await verify({ what: built.folder, workers });
    return rows.filter(({ name, outcome }) => ["lookup", "explorer"].includes(name) && outcome !== "passed");
  };
  for (const workers of [0, 2]) expect(await check(workers)).toEqual([]);

  const lines = readFileSync(join(built.folder, WORDS), "utf8").split("\n");
  writeFileSync(join(built.folder, WORDS), lines.toSpliced(5, 1).join("\n"));
  rmSync(join(built.folder, KEYS));
  reseal(built.folder);
  for (const workers of [0, 2]) {
    const [row, ...others] = await check(workers);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ name: "lookup", count: 2 });
    expect(row?.findings.map(({ path }) => path).sort()).toEqual([KEYS, WORDS]);
  }
});
