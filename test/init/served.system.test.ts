/** Databases of other programs, from `init --from` to a verified listing. */
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run, start } from "../support/command.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { database } from "./found.js";

/** Runs init, build and serve in a folder, and verifies what is served. @returns page 1, as a client gets it. */
async function published(cwd: string, init: readonly string[], path: string) {
  const port = await freePort();
  const env = { ...process.env, ROLLCALL_BASE_URL: `http://127.0.0.1:${port}` };
  const rollcall = async (...args: string[]) => {
    const { code, stderr, stdout } = await run(args, { cwd, env });
    expect(code, stderr + stdout).toBe(0);
    return stderr;
  };
  const said = await rollcall("init", ...init);
  const built = await rollcall("build");
  await rollcall("verify");
  const { child, ended } = start(["serve", "--port", String(port)], { cwd, env });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  if (child.stderr) await once(child.stderr, "data");
  await rollcall("verify", env.ROLLCALL_BASE_URL);
  const answer = await fetch(`${env.ROLLCALL_BASE_URL}${path}?format=api&page=1`);
  expect(answer.status).toBe(200);
  checkSums(join(cwd, "dist/current"));
  for (const [name, text] of readTree(join(cwd, "dist"))) expect(text, name).not.toContain("SECRET");
  return { said, built, page: (await answer.json()) as { count: number; results: Record<string, unknown>[] } };
}

test("a view of Django's users, a profile and a one-to-one table of it", async () => {
  const cwd = scratch();
  database("django.sql", join(cwd, "site.sqlite"));
  const { page, said } = await published(
    cwd,
    ["--from", "site.sqlite", "--table", "members", "--convert"],
    "/members/",
  );
  expect(page.count).toBe(45);
  expect(page.results[0]).toEqual({
    bio: expect.stringContaining("🍰"),
    country: expect.stringMatching(/^[A-Z]{2}$/),
    date_joined: expect.stringMatching(/^2025-03-..T05:06:07\.\d{6}Z$/),
    first_name: expect.any(String),
    has_badge: expect.any(Boolean),
    id: "035e2982-0000-4000-8000-000000000022",
    is_staff: expect.any(Boolean),
    languages: expect.any(Array),
    last_login: "2026-01-30T08:00:00.000001Z",
    last_name: expect.any(String),
    points: expect.any(Number),
    settings: { size: expect.any(Number), theme: "dark" },
    share: expect.any(Number),
    username: expect.stringMatching(/^user\d+$/),
  });
  expect(said).toMatch(/^omit {6}email /m);
  expect(said).toMatch(/^omit {6}password /m);
  expect(said).not.toContain("SECRET");
});

test("reads many rows with little memory", async () => {
  const cwd = scratch();
  database(
    `CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, joined TEXT, active BOOLEAN);
     WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300000)
     INSERT INTO people SELECT n, 'Person ' || n, '2026-01-31T23:59:59Z', n % 2 FROM numbers`,
    join(cwd, "people.sqlite"),
  );
  // Node ends a process that needs more.
  const env = { ...process.env, NODE_OPTIONS: "--max-old-space-size=40" };
  const { code, stdout } = await run(["init", "--from", "people.sqlite", "--json"], { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).found.rows).toBe(300_000);
});
