/** Links, pipes and other obstacles in a dist: no command follows them, blocks or breaks. */
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { build } from "../../../src/index.js";
import { run } from "../../support/command.js";
import { plainRows, runSql, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";

const DONE = { code: 0, stdout: "", stderr: "" };

/** A dist with a release, a file outside of it, and a source that has changed since. */
async function published() {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(25));
  const [dist, other] = [join(folder, "dist"), join(folder, "other")];
  writeFileSync(other, "another's");
  const args = ["build", "--db", db, "--dist", dist, "--base-url", "https://a.example", "--quiet"];
  await build({ db, dist, baseUrl: "https://a.example", workers: 0 });
  runSql(db, "UPDATE users SET bio = 'changed'");
  return { folder, dist, other, args };
}

const PLACES = [
  ".lock-holder.json",
  ".lock-holder.json.rollcall-new",
  ".newest-time",
  ".source-columns.json",
  ".current-next",
  ".staging",
  ".trash-1",
];

test.each(PLACES)("replaces a link at %s, and keeps its target", async (place) => {
  const { dist, other, args } = await published();
  rmSync(join(dist, place), { force: true });
  symlinkSync(other, join(dist, place));
  expect(await run(args)).toEqual(DONE);
  expect(readFileSync(other, "utf8")).toBe("another's");
  expect(lstatSync(join(dist, ".lock-holder.json")).isFile()).toBe(true);
  expect(readdirSync(dist).sort()).toEqual([
    ".lock",
    ".lock-holder.json",
    ".newest-time",
    ".previous",
    ".source-columns.json",
    "current",
    "releases",
  ]);
});

test.each(["a link", "a pipe", "a database"])("refuses %s in place of the lock, without touching it", async (what) => {
  const { dist, folder, other, args } = await published();
  const lock = join(dist, ".lock");
  rmSync(lock);
  if (what === "a link") symlinkSync(other, lock);
  else if (what === "a pipe") execFileSync("mkfifo", [lock]);
  else renameSync(join(folder, "users.sqlite"), lock);
  if (what === "a database") writeUsers(join(folder, "users.sqlite"), plainRows(3));
  expect(await run(args)).toMatchObject({
    code: 1,
    stderr: `error: ${lock} is not a lock file of Rollcall, which is empty; move it away.\n`,
  });
  expect(readFileSync(other, "utf8")).toBe("another's");
});

test("refuses a link in place of the folder of releases, and writes nothing to its target", async () => {
  const { dist, folder, args } = await published();
  mkdirSync(join(folder, "elsewhere"));
  renameSync(join(dist, "releases"), join(folder, "kept"));
  symlinkSync(join(folder, "elsewhere"), join(dist, "releases"));
  expect(await run(args)).toMatchObject({
    code: 1,
    stderr: `error: ${join(dist, "releases")} is a link or a file, where a folder belongs; move it away.\n`,
  });
  expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
});

test.each(["[]", "{", '{"pid":"x"}', "a pipe"])("a holder file with %s names no process", async (text) => {
  const { dist, args } = await published();
  const path = join(dist, ".lock-holder.json");
  const holder = new Database(join(dist, ".lock"));
  holder.exec("BEGIN EXCLUSIVE");
  rmSync(path);
  if (text === "a pipe") execFileSync("mkfifo", [path]);
  else writeFileSync(path, text);
  expect(await run(args)).toMatchObject({
    code: 1,
    stderr: `error: ${dist} is being written by another process; wait until it has ended, then run this again.\n`,
  });
  holder.close();
  expect(await run(args)).toEqual(DONE);
});

const FILES = ["snapshot.json", "SHA256SUMS", "api/users/pages/1.json"];

test.each(FILES)("a pipe at %s of a release blocks no command, and a build repairs it", async (path) => {
  const { dist, args } = await published();
  const [name = ""] = readdirSync(join(dist, "releases"));
  const pipe = join(dist, "releases", name, path);
  rmSync(pipe);
  execFileSync("mkfifo", [pipe]);
  const ended = async (line: string) => {
    const { code, stderr } = await run([...line.split(" "), dist]);
    return `${code} ${stderr}`;
  };
  expect(await ended("releases")).toMatch(/^0 $/);
  expect(await ended("verify")).toMatch(/^1 /);
  expect(await ended("use current")).toMatch(/^1 error: Release \S+ is (broken|damaged)/);
  const target = join(dist, "..", "site");
  expect(await ended(`publish ${target}`)).toMatch(/^1 error: Release \S+ is (broken|damaged)/);
  if (path === "snapshot.json" || path === "SHA256SUMS")
    expect(await ended("serve --port 0")).toMatch(/^[12] error: Release \S+ is broken/);
  expect(await run(args)).toEqual(DONE);
  expect(await ended("verify")).toMatch(/^0 /);
});
