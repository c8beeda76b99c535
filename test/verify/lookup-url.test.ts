/** `rollcall verify URL` proves the look-up of a host against its pages, whatever its own digests say of it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { build, createServer } from "../../src/index.js";
import type { Row } from "../../src/verify/verdict.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { reseal } from "../support/damage.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";

const WORDS = "lookup/words/1.txt";
const INDEX = "lookup/index.json";

interface Host {
  records?: number;
  lookup?: boolean;
  explorer?: boolean;
  /** Of the base URL. */
  path?: string;
  /** What it has instead of what was built; SHA256SUMS fits to that. */
  files?: Record<string, (text: string) => string | undefined>;
}

/** Serves a release with other files, and verifies it. @returns the row, and the names of others that differ. */
async function verified({ records = 25, lookup = true, explorer = false, path = "", files = {} }: Host, flags = "") {
  const [cwd, port] = [scratch(), await freePort()];
  const db = writeUsers(
    join(cwd, "users.sqlite"),
    plainRows(records).map((row, at) => ({ ...row, display_name: `Anna ${at}` })),
  );
  const baseUrl = `http://127.0.0.1:${port}${path}`;
  const { folder } = await build({ db, out: join(cwd, "dist"), baseUrl, pageSize: 10, lookup, explorer });
  for (const [name, change] of Object.entries(files)) {
    const file = join(folder, name);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const changed = change(text);
    expect(changed).not.toBe(text);
    if (changed === undefined) rmSync(file);
    else writeFileSync(file, changed);
  }
  if (Object.keys(files).length > 0) reseal(folder);
  const server = await createServer({ folder });
  onTestFinished(() => server.close());
  await server.listen({ port, host: "127.0.0.1" });
  const { stdout } = await rollcall(`verify ${baseUrl} --against none --json ${flags}`, fakeIo(cwd));
  const { rows }: { rows: Row[] } = JSON.parse(stdout);
  const row = rows.find(({ name }) => name === "lookup");
  const others = rows.filter(({ name, outcome }) => name !== "lookup" && outcome === "differs").map(({ name }) => name);
  const explorers = Object.fromEntries(
    rows.filter(({ name }) => name.startsWith("explorer")).map(({ name, outcome }) => [name, outcome]),
  );
  return { row, others, explorers, rows, baseUrl };
}

test.each([0, 1, 20, 25])("the look-up of %i users is what the pages make", async (records) => {
  expect(await verified({ records })).toMatchObject({ row: { outcome: "passed" }, others: [] });
});

test("without one, there is nothing to prove", async () => {
  expect((await verified({ lookup: false })).row).toMatchObject({
    outcome: "skipped",
    note: `the release has no ${INDEX}`,
  });
});

test.each<[string, string, (text: string) => string | undefined, object]>([
  ["a missing word", WORDS, (text) => text.replace(/^anna\t.*\n/m, ""), { expected: '"anna" before it' }],
  ["a word that no record has", WORDS, (text) => `${text}evil\tg\n`, { expected: "an end before it" }],
  ["a record too few", WORDS, (text) => text.replace(/(?<=^anna\t.*)[^\t]$/m, ""), { expected: "record 25" }],
  ["a file that is cut", WORDS, (text) => text.slice(0, 40), {}],
  ["a file that is not there", WORDS, () => undefined, { found: "no such file", expected: "a sorted file" }],
  ["a file too many", "lookup/words/2.txt", () => "zz\tg\n", { found: "a file" }],
  ["an index of other files", INDEX, (text) => text.replace('"words":[', '"words":["",'), { found: 'words.0 ""' }],
])("%s is found", async (_name, path, change, finding) => {
  const { row, others, baseUrl } = await verified({ files: { [path]: change } });
  expect(row).toMatchObject({ outcome: "differs", count: 1, findings: [{ url: `${baseUrl}/${path}`, ...finding }] });
  expect(others).toEqual([]);
});

test("a sample of the pages proves nothing of what all of them make, and the row says so", async () => {
  const change = (text: string) => `${text}evil\tg\n`;
  expect((await verified({ files: { [WORDS]: change } }, "--sample 2")).row).toMatchObject({
    outcome: "skipped",
    note: "some of the pages do not tell what all of them make; ask for all, without --sample",
  });
  expect((await verified({ files: { [WORDS]: change } }, "--sample 3")).row).toMatchObject({ outcome: "differs" });
});

describe("a page for people", () => {
  const ALL = { "explorer-page": "passed", "explorer-slash": "passed", "explorer-headers": "passed" };
  const page = { explorer: true, path: "/people" };

  test("what it shows is what the pages make, and it is there by the base URL", async () => {
    expect(await verified(page)).toMatchObject({ explorers: { explorer: "passed", ...ALL }, others: [] });
    const atRoot = { explorers: { explorer: "passed", ...ALL, "explorer-slash": "skipped" }, others: [] };
    expect(await verified({ explorer: true })).toMatchObject(atRoot);
    const explorers = { explorer: "skipped", "explorer-page": "skipped", "explorer-slash": "skipped" };
    expect(await verified({})).toMatchObject({ explorers });
  });

  test("a count that is wrong, and a page that leads elsewhere, are found", async () => {
    const miscounted = await verified({
      ...page,
      files: { "explorer/summary.json": (text) => text.replace('"count":25', '"count":26') },
    });
    expect(miscounted).toMatchObject({ explorers: { explorer: "differs", ...ALL }, others: ["explorer"] });
    const away = (text: string) => text.replace("<main ", '<a href="https://evil.example/">x</a><main ');
    for (const flags of ["", "--sample 1"])
      expect(await verified({ ...page, files: { "index.html": away } }, flags)).toMatchObject({
        explorers: { explorer: "differs", ...ALL },
        others: ["explorer"],
      });
  });

  test("a page of another version is noted", async () => {
    const { rows, explorers } = await verified({ ...page, files: { "explorer/style.css": (text) => `${text}\n` } });
    expect(explorers).toMatchObject({ explorer: "noted", ...ALL });
    expect(rows.find(({ name }) => name === "explorer")?.note).toBe(
      "not as this version of Rollcall writes it: explorer/style.css",
    );
  });
});
