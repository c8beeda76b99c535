/** `rollcall forget`: kept releases go, and the URLs of what only they had are told. */
import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/build/build.js";
import { findDamage, openRelease } from "../../src/release/open.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { start } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { drawSeed, seeded } from "../support/random.js";

const BASE = "https://example.com";

/** Two releases of so many users, a page each 2; the second has `without` users fewer. Both are older than a minute. */
async function twoReleases(users = 6, without = 1) {
  const cwd = scratch();
  const make = async (count: number) => {
    const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(count));
    return build({ db, baseUrl: BASE, out: join(cwd, "dist"), pageSize: 2, keep: 9 });
  };
  const [old, current] = [await make(users), await make(users - without)];
  age(old.folder);
  return { cwd, dist: join(cwd, "dist"), old, current, make };
}

function age(folder: string): void {
  utimesSync(folder, new Date(0), new Date(0));
}

test("a kept release goes; stdout has the URLs of what current has not", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  const { code, stdout, stderr } = await rollcall(`forget ${old.id.slice(0, 6)}`, fakeIo(cwd));
  expect(stderr).toMatch(new RegExp(`^forget +${old.id} +1 release\npurge +\\d+ URLs, on stdout\nleft `));
  expect(code).toBe(0);
  const urls = stdout.trimEnd().split("\n");
  expect(urls).toContain(`${BASE}/api/users/`);
  expect(urls).toContain(`${BASE}/api/users/?format=api&page=1`);
  expect(urls).toContain(`${BASE}/api/users/pages/3.json`);
  expect(urls).toContain(`${BASE}/snapshot.json`);
  expect(urls).toContain(`${BASE}/SHA256SUMS`);
  expect(urls).not.toContain(`${BASE}/contract.json`);
  expect(new Set(urls).size).toBe(urls.length);
  expect(readdirSync(join(dist, "releases"))).toEqual([current.name]);
  expect(readdirSync(dist).filter((name) => name.startsWith(".trash"))).toEqual([]);
});

test("several at once, as JSON; a page that current has with the same bytes need not be purged", async () => {
  const { cwd, dist, old, current, make } = await twoReleases(40, 38);
  const middle = await make(40);
  expect(middle.id, "as before").toBe(old.id);
  const last = await make(1);
  for (const { folder } of [old, current]) age(folder);
  const { code, stdout } = await rollcall(`forget --json ${old.id} ${current.name}`, fakeIo(cwd));
  expect(code).toBe(0);
  const { removed, urls, unknown, untidied } = JSON.parse(stdout);
  expect({ unknown, untidied }).toEqual({ unknown: [], untidied: [] });
  expect(removed).toEqual([
    { id: old.id, name: old.name },
    { id: current.id, name: current.name },
  ]);
  expect(urls).toContain(`${BASE}/api/users/pages/20.json`);
  expect(urls).not.toContain(`${BASE}/avatar.svg`);
  expect(readdirSync(join(dist, "releases"))).toEqual([last.name]);
});

test("the current one is refused with what to do, and nothing goes", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  const { code, stdout, stderr } = await rollcall(`forget ${old.id} ${current.id}`, fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe(
    `error: Release ${current.id} is current; build without what is to be forgotten first, or "rollcall use" another one, then run this again.\n`,
  );
  expect(readdirSync(join(dist, "releases"))).toHaveLength(2);
});

test("one that was current a moment ago, an unknown one, and a folder elsewhere are refused", async () => {
  const { cwd, old, make } = await twoReleases();
  const io = fakeIo(cwd);
  utimesSync(old.folder, io.date(), io.date());
  expect(await rollcall(`forget ${old.id}`, io)).toMatchObject({
    code: 1,
    stderr: `error: Release ${old.id} was current or built less than a minute ago, and may still be read; run this again in 60 seconds.\n`,
  });
  expect(await rollcall("forget ffff", fakeIo(cwd))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"ffff" is neither the beginning of a release\'s id'),
  });
  const { folder } = await make(9);
  const elsewhere = await twoReleases();
  expect(await rollcall(`forget ${folder} --out ${elsewhere.dist}`, fakeIo(cwd))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not one of the releases in"),
  });
});

test("one that is not whole goes, and its URLs are said to be unknown", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  rmSync(join(old.folder, "SHA256SUMS"));
  const { code, stdout, stderr } = await rollcall(`forget ${old.name}`, fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain(`Not whole, so that nobody knows their URLs: ${old.name}; purge all of the listing.\n`);
  expect(readdirSync(join(dist, "releases"))).toEqual([current.name]);
});

test("killed at any moment, it leaves the whole release or none of it", async () => {
  const random = seeded(drawSeed());
  const outcomes = new Set<boolean>();
  const { cwd, dist, old, make } = await twoReleases(600);
  // From before it looks until after it has ended.
  for (let turn = 0; turn < 6; turn++) {
    if (!existsSync(old.folder)) {
      const again = await make(600);
      await make(599);
      age(again.folder);
    }
    const [name = ""] = readdirSync(join(dist, "releases")).filter((each) => each.endsWith(old.id));
    const { child, ended } = start(["forget", old.id], { cwd });
    const timer = setTimeout(() => child.kill("SIGKILL"), 100 + random.below(700));
    await ended;
    clearTimeout(timer);
    const folder = join(dist, "releases", name);
    outcomes.add(existsSync(folder));
    if (existsSync(folder)) expect(await findDamage(await openRelease(folder))).toBeUndefined();
    old.folder = folder;
  }
  expect(outcomes.has(true)).toBe(true);
  await make(600);
  expect(readdirSync(dist).filter((name) => name.startsWith(".trash"))).toEqual([]);
});
