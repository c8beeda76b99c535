/** Whole inputs with their expected releases: `UPDATE=1 npm test` writes what a build makes, for a person to review. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { pageUrl } from "../src/contract/links.js";
import { build, createServer, InvalidRecordsError, openRelease, type Page } from "../src/index.js";
import { readTree, scratch } from "./support/files.js";

const CASES = new URL("cases/", import.meta.url).pathname;
const names = readdirSync(CASES, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && !entry.name.endsWith(".actual"),
);
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
    // Left beside the case to look at. Git ignores it.
    replaceFolder(isSame ? undefined : actual, `${folder}.actual`);
    expect([...found.keys()]).toEqual([...wanted.keys()]);
    for (const [path, text] of wanted) expect(found.get(path), path).toBe(text);
  });
});

const published = names
  .map(({ name }) => name)
  .filter((name) => existsSync(join(CASES, name, "expected/snapshot.json")));

describe.each(published)("%s, through the real host", (name) => {
  test("every page is its file, and the links lead through all of them and back", async () => {
    const folder = join(CASES, name, "expected");
    const { snapshot } = await openRelease(folder);
    const host = await createServer({ folder });
    onTestFinished(() => host.close());
    const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
    const ask = async (link: string) => {
      const answer = await fetch(link.replace(snapshot.base_url, url));
      expect(answer.headers.get("Snapshot-Id")).toBe(snapshot.id);
      return { answer, text: await answer.text() };
    };

    let link: string | null = `${snapshot.base_url}/api/users/?format=api`;
    let previous: string | null = null;
    let users = 0;
    for (let page = 1; page <= snapshot.pages; page++) {
      expect(link, `page ${page}`).not.toBeNull();
      const { answer, text } = await ask(link ?? "");
      expect(answer.status).toBe(200);
      expect(text).toBe(readFileSync(join(folder, `api/users/pages/${page}.json`), "utf8"));
      const envelope: Page = JSON.parse(text);
      expect(envelope.previous).toBe(previous);
      expect(envelope.count).toBe(snapshot.count);
      users += envelope.results.length;
      previous =
        page === 1 ? pageUrl({ baseUrl: snapshot.base_url, path: "/api/users/", links: snapshot.links }, 1) : link;
      link = envelope.next;
    }
    expect(link).toBeNull();
    expect(users).toBe(snapshot.count);
    const beyond = await ask(`${snapshot.base_url}/api/users/?page=${snapshot.pages + 1}`);
    expect([beyond.answer.status, beyond.text]).toEqual([404, '{"detail":"Invalid page."}']);
  });
});

/** Builds the users of a case. @returns a folder with the release, and with the problems if there are any. */
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
    if (!(error instanceof InvalidRecordsError)) throw error;
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
