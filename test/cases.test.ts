/** Whole inputs with their expected releases: `UPDATE=1 npm test` writes what a build makes, for a person to review. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { build } from "../src/build/build.js";
import { InvalidUsersError } from "../src/build/problems.js";
import { readTree, scratch } from "./support/files.js";

const CASES = new URL("cases/", import.meta.url).pathname;
const names = readdirSync(CASES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const isUpdate = process.env["UPDATE"] === "1";

test("expected releases are not rewritten where nobody reviews them", () => {
  expect(isUpdate && process.env["CI"]).toBeFalsy();
});

describe.each(names.map(({ name }) => name))("%s", (name) => {
  test("gives its expected release, file for file and byte for byte", async () => {
    const folder = join(CASES, name);
    const actual = await runCase(folder);
    const expected = join(folder, "expected");
    if (isUpdate) replaceFolder(actual, expected);
    expect(existsSync(expected), "run UPDATE=1 npm test, then review what it wrote").toBe(true);

    const [found, wanted] = [readTree(actual), readTree(expected)];
    const isSame = [...found].join() === [...wanted].join();
    // Left beside the case for a look; ignored by git.
    replaceFolder(isSame ? undefined : actual, `${folder}.actual`);
    expect([...found.keys()]).toEqual([...wanted.keys()]);
    for (const [path, text] of wanted) expect(found.get(path), path).toBe(text);
  });
});

/** Builds the case's users; a folder with the release, and with the problems where there were any. */
async function runCase(folder: string): Promise<string> {
  const work = scratch();
  const db = new Database(join(work, "users.sqlite"));
  db.exec(readFileSync(join(CASES, "schema.sql"), "utf8"));
  db.exec(readFileSync(join(folder, "users.sql"), "utf8"));
  db.close();
  const result = join(work, "result");
  mkdirSync(result);
  const problemsFile = join(result, "problems.ndjson");
  const options = JSON.parse(readFileSync(join(folder, "options.json"), "utf8"));
  try {
    const release = await build({
      db: join(work, "users.sqlite"),
      baseUrl: "https://directory.example.com",
      out: join(work, "dist"),
      problemsFile,
      ...options,
    });
    cpSync(release.folder, result, { recursive: true });
  } catch (error) {
    if (!(error instanceof InvalidUsersError)) throw error;
    writeFileSync(join(result, "refusal.txt"), `${error.message}\n`);
    expect(existsSync(join(work, "dist", "current"))).toBe(false);
  }
  if (readFileSync(problemsFile, "utf8") === "") rmSync(problemsFile);
  return result;
}

function replaceFolder(from: string | undefined, to: string): void {
  rmSync(to, { recursive: true, force: true });
  if (from) cpSync(from, to, { recursive: true });
}
