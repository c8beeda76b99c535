/** `rollcall releases` and `rollcall use` over real releases, and `rollcall init`. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { size } from "../../src/core/print/numbers.js";
import { build } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

/** A folder whose dist has two releases, a minute apart: of one user a page, then of two. */
async function twoReleases() {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(2));
  const make = (pageSize: number, minute: number) => {
    const now = () => new Date(Date.UTC(2026, 10, 21, 3, minute));
    return build({ db, baseUrl: "https://example.com", dist: join(cwd, "dist"), pageSize }, { now });
  };
  const older = await make(1, 40);
  const newer = await make(2, 41);
  const run = (line: string) => rollcall(line, fakeIo(cwd));
  return { cwd, older, newer, run };
}

test("lists releases newest first, with right-aligned numbers, or as JSON", async () => {
  const { older, newer, run } = await twoReleases();
  const bytesOf = (texts: Iterable<string>) => [...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const sizeOf = ({ folder, name }: { folder: string; name: string }) =>
    size(bytesOf([...readTree(folder).values(), `${name}\n`])).padStart(7);
  expect(await run("releases")).toEqual({
    code: 0,
    stdout: `\
id            time (UTC)           users  pages     size
${newer.id}  2026-11-21 03:41:00      2      1  ${sizeOf(newer)}  current
${older.id}  2026-11-21 03:40:00      2      2  ${sizeOf(older)}
`,
    stderr: "",
  });
  expect(JSON.parse((await run("releases dist --json")).stdout)).toMatchObject([
    { id: newer.id, name: newer.name, time: "2026-11-21T03:41:00.000Z", current: true, records: 2, pages: 1 },
    { id: older.id, current: false, pages: 2 },
  ]);
});

test("marks a broken release with the reason", async () => {
  const { older, newer, run } = await twoReleases();
  rmSync(join(older.folder, "SHA256SUMS"));
  const { code, stdout } = await run("releases");
  expect(code).toBe(0);
  const [, first, second] = stdout.split("\n");
  expect(first).toContain(`${newer.id}  2026-11-21 03:41:00      2      1`);
  expect(second).toMatch(new RegExp(`^${older.id}  2026-11-21 03:40:00 +- +- +- +Release .* is broken: .*SHA256SUMS`));
});

test("use prints both releases, or that the release is already current", async () => {
  const { cwd, older, newer, run } = await twoReleases();
  expect(await run(`use ${older.id.slice(0, 6)}`)).toEqual({
    code: 0,
    stdout: "",
    stderr: `use       ${newer.id} -> ${older.id}    2 users, built 2026-11-21 03:40:00 UTC\n`,
  });
  expect(readFileSync(join(cwd, "dist/current/snapshot.json"), "utf8")).toContain(older.id);
  expect((await run(`use ${older.id}`)).stderr).toContain(`${older.id} is current already`);
  const { stdout } = await run(`use ${newer.id} dist --json`);
  expect(JSON.parse(stdout)).toMatchObject({
    now: { id: newer.id, name: newer.name, current: true },
    before: { id: older.id, current: false },
  });
});

test.each([
  ["releases", 'There is no release in dist; run "rollcall build" first.'],
  ["use 1f", 'There is no release in dist; run "rollcall build" first.'],
])("refuses rollcall %s without releases", async (line, message) => {
  const result = await rollcall(line, fakeIo(scratch()));
  expect(result).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
});

test("init writes a config and a sample that build right away", async () => {
  const cwd = scratch();
  expect(await rollcall("init", fakeIo(cwd))).toEqual({
    code: 0,
    stdout: "",
    stderr: `\
write     rollcall.config.json    the settings; edit them
write     data/users.sqlite       sample users
next      rollcall build && rollcall serve
`,
  });
  expect([...readTree(cwd).keys()]).toEqual(["data/users.sqlite", "rollcall.config.json"]);
  const { code, stdout } = await rollcall("build --json", fakeIo(cwd));
  expect(code).toBe(0);
  // A first look is at a page, and not at JSON.
  expect(JSON.parse(stdout)).toMatchObject({ records: 1000, pages: 10, explorer: "http://127.0.0.1:8080/" });
});

test("init writes nothing if another sample exists", async () => {
  const cwd = scratch();
  const name = "data/users.sqlite";
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, name), "mine");
  const { code, stdout, stderr } = await rollcall("init", fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(
    `error: ${name} exists already, so nothing was written. Move it away, or run "rollcall build".\n`,
  );
  expect([...readTree(cwd)]).toEqual([[name, "mine"]]);
});

test("init keeps an existing sample, as in a clone", async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, "data"));
  copyFileSync("data/users.sqlite", join(cwd, "data/users.sqlite"));
  const { code, stderr } = await rollcall("init", fakeIo(cwd));
  expect(code).toBe(0);
  expect(stderr).toContain("\nkeep      data/users.sqlite       sample users");
  expect([...readTree(cwd).keys()]).toEqual(["data/users.sqlite", "rollcall.config.json"]);
});
