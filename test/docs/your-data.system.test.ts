/** docs/guides/your-data.md: its commands print what it shows, and its query publishes a Django database. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type BuildResult, build, type User } from "../../src/index.js";
import { runSql } from "../support/database.js";
import { docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { readTree, scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { eventually } from "../support/until.js";

const { block, blocks, expectShown } = docPage("docs/guides/your-data.md");
const BASE_URL = "https://directory.example.com";

let folder: string;
let dist: string;
let db: string;

beforeEach(() => {
  folder = scratch();
  dist = join(folder, "dist");
  db = join(folder, "users.sqlite");
});

test("every command prints what is shown", async () => {
  const env = readerEnvironment();
  const type = (command: string) => sh(command, folder, env);
  const people = join(folder, "people.sqlite");
  const [listing, work, checks] = ["From a table to a listing", "While you work", "What a build checks"];
  const [init = "", query = "", contract = "", make = "", serve = "", curl = "", ...others] = blocks(listing);
  expect(others).toEqual([]);

  runSql(people, block(listing, "sql"));
  const looked = type(init);
  expect([looked.status, looked.stdout]).toEqual([0, ""]);
  expectShown(listing, "text", 0, looked.stderr);
  expect(type("rollcall build")).toMatchObject({ status: 0 });
  for (const step of [query, contract, make]) expect(type(step), step).toMatchObject({ status: 0 });
  for (const [file, bytes] of readTree(join(dist, "releases")))
    expect(/password|x[1-4]'|@example\.com/.test(bytes.toString()), file).toBe(false);
  const server = await started(serve, "curl", folder, env);
  const url = /http:\/\/[\d.:]+/.exec(server.output())?.[0] ?? "";
  const page = type(curl.replace("curl", "curl --silent").replace("http://127.0.0.1:8080", url));
  expectShown(listing, "json", 0, page.stdout);

  const dev = await started(block(work), "ready", folder, env);
  const before = dev.output().length;
  runSql(people, "UPDATE people SET team = 'tools' WHERE id = 2");
  await eventually(() => expect(dev.output().slice(before)).toContain("data -> tools\n"));
  expectShown(work, "text", 0, dev.output().slice(before).trim().concat("\n"));

  runSql(people, block(checks, "sql"));
  const refused = type(block(checks));
  expect(refused.status).toBe(1);
  expectShown(checks, "text", 0, refused.stdout + refused.stderr);
  expectShown(checks, "json", 0, readFileSync(join(folder, "problems.ndjson"), "utf8"));

  expect(type(`${block("The explorer").trim()} --skip-invalid`)).toMatchObject({ status: 0 });
  expect(readdirSync(join(dist, "current"))).toEqual(expect.arrayContaining(["index.html", "lookup"]));
});

describe("the examples of files and databases", () => {
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    env = readerEnvironment();
  });

  /** Types a command that is shown with what it prints, in the block of text or JSON of this number. */
  const expectTyped = (heading: string, command: string | undefined, language: string, at = 0) => {
    const { status, stdout, stderr } = sh(command ?? "false", folder, env);
    expect(status, stderr).toBe(0);
    expectShown(heading, language, at, language === "json" ? stdout : stdout + stderr);
  };

  test("a CSV file from Excel, with numbers that may be read in two ways", () => {
    const title = "A CSV file from Excel";
    const [init, build, ...others] = blocks(title);
    expect(others).toEqual([]);
    expectTyped(title, init, "text");
    expectTyped(title, build, "json");
    sh("rm rollcall.*", folder, env);
    const { stderr } = sh("rollcall init --from towns.csv", folder, env);
    expectShown(title, "text", 1, `${/^publish +Einwohner.*/m.exec(stderr)?.[0]}\n`);
  });

  test("several CSV files", async () => {
    const title = "Several CSV files";
    const [files = "", look = "", init, build, ...others] = blocks(title);
    expect(others).toEqual([]);
    sh(files, folder, env);
    const dev = await started(look, "ready", folder, env);
    const url = /http:\/\/[\d.:]+/.exec(dev.output())?.[0] ?? "";
    expect(await (await fetch(`${url}/`)).text()).toContain("customer_id refers to");
    expectTyped(title, init, "text");
    expectTyped(title, build, "json");
  });

  test("a GTFS feed", () => {
    const title = "A GTFS feed";
    const [init, build, buildWithViews, ...others] = blocks(title);
    expect(others).toEqual([]);
    expectTyped(title, init, "text");
    expectShown(title, "sql", 0, readFileSync(join(folder, "contracts/stop_times.sql"), "utf8"));
    expectTyped(title, build, "json");
    writeFileSync(join(folder, "rollcall.config.json"), block(title, "json", 1));
    expectTyped(title, buildWithViews, "json", 2);
  });

  test.skipIf(isMissing("sqlite3"))("a database without keys", () => {
    const title = "A database without keys";
    const [init, build, ...others] = blocks(title);
    expect(others).toEqual([]);
    expectTyped(title, init, "text");
    expectTyped(title, build, "json");
  });
});

describe("the query for Django", () => {
  beforeEach(() => {
    createDjango();
    writeFileSync(join(folder, "django.sql"), block("Django", "sql"));
  });

  test("publishes every active user in order, with valid times and ids", async () => {
    const result = await buildDjango();
    expect(result.warnings).toEqual({ "off_chain.liveness_config.require_head_movement": 1 });
    const users = publishedUsers(result);
    expect(users.map(({ id, date_joined }) => [id, date_joined])).toEqual([
      ["11111111-2222-4333-8444-555555555555", "2026-01-02T03:04:05.500000Z"],
      ["00000000-0000-4000-8000-000000000001", "2026-01-02T03:04:05.000000Z"],
      ["ffffffff-0000-4000-8000-0000000000aa", "2026-01-02T03:04:05.000000Z"],
      ["0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "2025-03-04T05:06:07.000089Z"],
    ]);
    expect(users.map(({ username }) => username)).toEqual(["noa", users[1]?.id, users[2]?.id, "ada"]);
    expect(users.map(({ display_name }) => display_name)).toEqual(["נועה", "ကျော်", users[2]?.id, "Ada Okafor"]);
    expect(users.map(({ languages }) => languages)).toEqual([["HE"], ["MY"], [], ["EN", "YO", "PT-BR"]]);
    expect(users.map(({ country }) => country)).toEqual(["IL", "MM", "XX", "NG"]);
    expect(users.map(({ image_url }) => image_url)).toEqual([
      "https://media.example.com/avatars/noa.png",
      `${BASE_URL}/avatar.svg`,
      `${BASE_URL}/avatar.svg`,
      "https://media.example.com/avatars/ada_x7Yz.jpg",
    ]);
    expect(users[0]?.off_chain.liveness_config.require_head_movement).toBe(true);
  });

  test("leaks no password, email, session or deactivated user", async () => {
    await buildDjango();
    expect(readFileSync(db).includes("SECRET")).toBe(true);
    // Everything that the build has written, not only served files.
    const files = readTree(join(dist, "releases"));
    expect([...files.keys()].some((file) => file.endsWith("pages/1.json"))).toBe(true);
    for (const [file, bytes] of files) {
      for (const secret of ["SECRET", "pbkdf2", "argon2", "@example.com", "deactivated", "password", "email"])
        expect(bytes.includes(secret), `${secret} in ${file}`).toBe(false);
    }
  });

  test("names users without an off-chain profile instead of dropping them", async () => {
    change("DELETE FROM accounts_offchainprofile WHERE id = 2");
    await expect(buildDjango()).rejects.toMatchObject({ problems: { records: 1 } });
  });

  function buildDjango(): Promise<BuildResult> {
    return build({ db, baseUrl: BASE_URL, dist, query: join(folder, "django.sql") });
  }

  function createDjango(): void {
    runSql(db, readFileSync(new URL("django.sql", import.meta.url), "utf8"));
  }
});

function change(sql: string): void {
  runSql(db, sql);
}

function publishedUsers({ folder: release, pages }: BuildResult): User[] {
  const files = Array.from({ length: pages }, (_, i) => join(release, `api/users/pages/${i + 1}.json`));
  return files.flatMap((file) => (JSON.parse(readFileSync(file, "utf8")) as { results: User[] }).results);
}
