/** Threads check the records of any contract as one does. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, verify } from "rollcall";
import { expect, test } from "vitest";
import { reseal } from "../support/damage.js";
import { ENTRIES, entries, writeEntries } from "../support/entries.js";
import { scratch } from "../support/files.js";

test("25,000 entries in two threads: none differs, and then one", async () => {
  const folder = scratch();
  const db = writeEntries(join(folder, "log.sqlite"), entries(25_000));
  const options = { db, out: join(folder, "dist"), baseUrl: "https://log.example.com", contract: ENTRIES };
  const built = await build({ ...options, table: "entries" });
  const seen: number[] = [];
  const check = () =>
    verify(
      { what: built.folder, workers: 2 },
      { onProgress: (done) => seen.push("records" in done ? done.records : Number.NaN) },
    );
  const whole = await check();
  expect(whole).toMatchObject({ passed: true, words: ["entry", "entries"] });
  expect(seen.at(-1)).toBe(25_000);

  const page = join(built.folder, "log/entries/pages/200.json");
  writeFileSync(page, readFileSync(page, "utf8").replace('"is_open":true', '"is_open":"yes"'));
  reseal(built.folder);
  const { passed, rows } = await check();
  expect(passed).toBe(false);
  expect(rows.find(({ name }) => name === "records")).toMatchObject({
    request: "25,000 entries",
    count: 1,
    findings: [{ page: 200, found: 'is_open "yes"' }],
  });
});
