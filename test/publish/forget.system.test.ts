/** `rollcall forget`: kept releases go, and the URLs of what only they had are told. */
import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeIo, rollcall } from "../commands/run.js";
import { age, BASE, twoReleases } from "./forgetting.js";

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
