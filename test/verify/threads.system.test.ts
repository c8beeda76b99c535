/** What `rollcall verify` needs more than one thread of Node for: threads, pipes, and the judgement of sha256sum. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, verify } from "rollcall";
import { expect, test } from "vitest";
import { page, releases, reseal } from "../support/damage.js";
import { ENTRIES, entries, writeEntries } from "../support/entries.js";
import { checkSums, scratch } from "../support/files.js";

const release = releases();

test.each(["plain", "full", "entries", "steps"] as const)(
  "sha256sum finds nothing in a right release: %s",
  async (of) => {
    checkSums(await release(of));
  },
);

test("a pipe in place of a page is not read", async () => {
  const folder = await release("plain");
  rmSync(join(folder, page(1)));
  execFileSync("mkfifo", [join(folder, page(1))]);
  const { rows } = await verify({ what: folder });
  const differing = rows.filter(({ outcome }) => outcome === "differs");
  expect(differing.map(({ name }) => name)).toEqual(["files", "count"]);
  expect(differing[0]?.findings).toMatchObject([{ path: page(1), found: "no plain file" }]);
});

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
