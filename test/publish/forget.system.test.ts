/** `rollcall forget`: removes kept releases, and lists the URLs of content that only they had. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdReleases } from "../../src/core/release/lock.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { age, BASE, twoReleases } from "./forgetting.js";

test("removes a kept release; stdout has the URLs that the current one does not have", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  const { code, stdout, stderr } = await rollcall(`forget ${old.id.slice(0, 6)}`, fakeIo(cwd));
  expect(stderr).toMatch(
    new RegExp(
      `^forget +${old.id} +1 release\npurge +\\d+ URLs, on stdout\nkept +0 other old releases, which may hold the same records\nleft `,
    ),
  );
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

test("removes several, with JSON; omits URLs that the current release has with the same bytes", async () => {
  const { cwd, dist, old, current, make } = await twoReleases(40, 38);
  const middle = await make(40);
  expect(middle.id, "as before").toBe(old.id);
  const last = await make(1);
  for (const { folder } of [old, current]) age(folder);
  const { code, stdout } = await rollcall(`forget --json ${old.id} ${current.name}`, fakeIo(cwd));
  expect(code).toBe(0);
  const { removed, urls, unknown, kept } = JSON.parse(stdout);
  expect({ unknown, kept }).toEqual({ unknown: [], kept: [] });
  expect(removed).toEqual([
    { id: old.id, name: old.name },
    { id: current.id, name: current.name },
  ]);
  expect(urls).toContain(`${BASE}/api/users/pages/20.json`);
  expect(urls).not.toContain(`${BASE}/avatar.svg`);
  expect(readdirSync(join(dist, "releases"))).toEqual([last.name]);
});

test("refuses the current release with advice, and removes nothing", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  const { code, stdout, stderr } = await rollcall(`forget ${old.id} ${current.id}`, fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe(
    `error: Release ${current.id} is current; build without the records to forget first, or switch to another release with "rollcall use", then run this again.\n`,
  );
  expect(readdirSync(join(dist, "releases"))).toHaveLength(2);
});

test("refuses a release that was just current, an unknown one, and a folder elsewhere", async () => {
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
  expect(await rollcall(`forget ${folder} --dist ${elsewhere.dist}`, fakeIo(cwd))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not one of the releases in"),
  });
});

test("removes an incomplete release, and says that its URLs are unknown", async () => {
  const { cwd, dist, old, current } = await twoReleases();
  rmSync(join(old.folder, "SHA256SUMS"));
  const { code, stdout, stderr } = await rollcall(`forget ${old.name}`, fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toContain(`Incomplete releases, whose URLs are unknown: ${old.name}. Purge all of the listing.\n`);
  expect(readdirSync(join(dist, "releases"))).toEqual([current.name]);
});

test.each(["forget previous", "forget --json previous"])(
  "%s removes nothing when stdout cannot be written",
  async (line) => {
    const { cwd, dist } = await twoReleases();
    const io = fakeIo(cwd);
    io.stdout.on("error", () => {});
    io.stdout._write = (_chunk, _encoding, done: (error?: Error) => void) =>
      done(Object.assign(new Error("no space left on device"), { code: "ENOSPC", syscall: "write" }));
    expect(await rollcall(line, io)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "error: The URLs cannot be written to stdout (ENOSPC), so nothing was removed. Free some space, then run this again.\n",
    });
    expect(readdirSync(join(dist, "releases"))).toHaveLength(2);
  },
);

test("previous means all releases of its id, and others means all but the current one", async () => {
  const { cwd, dist, old, current, make } = await twoReleases();
  const twin = join(dist, "releases", `20200101T000000Z-${old.id}`);
  cpSync(old.folder, twin, { recursive: true });
  const oldest = await make(9);
  const last = await make(3);
  await rollcall(`use ${old.name}`, fakeIo(cwd));
  await rollcall(`use ${last.name}`, fakeIo(cwd));
  for (const folder of [old.folder, twin, current.folder, oldest.folder]) age(folder);
  const { stderr } = await rollcall("forget previous", fakeIo(cwd));
  expect(stderr).toMatch(new RegExp(`^forget +${old.id} +2 releases\n`));
  expect(stderr).toMatch(/^kept +2 other old releases, which may hold the same records$/m);
  expect(readdirSync(join(dist, "releases")).sort()).toEqual([current.name, oldest.name, last.name].sort());
  expect((await rollcall("forget others", fakeIo(cwd))).stderr).toMatch(
    / 2 releases\n[\s\S]*^kept +0 other old releases/m,
  );
  expect(readdirSync(join(dist, "releases"))).toEqual([last.name]);
});

test("removes and names what a killed run has left, even if the run is refused", async () => {
  const { cwd, dist } = await twoReleases();
  mkdirSync(join(dist, ".trash-1/api"), { recursive: true });
  const { code, stderr } = await rollcall("forget ffff", fakeIo(cwd));
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Removed leftovers of killed runs: \.trash-1\.\nerror: "ffff" is neither/);
  expect(readdirSync(dist)).not.toContain(".trash-1");
});

test("removes nothing while a release is published", async () => {
  const { cwd, dist, old } = await twoReleases();
  const release = holdReleases(dist);
  expect(await rollcall("forget previous", fakeIo(cwd))).toMatchObject({
    code: 1,
    stderr:
      "error: A release is being published, so nothing was removed. Wait until that has ended, then run this again.\n",
  });
  expect(existsSync(old.folder)).toBe(true);
  release();
  expect(await rollcall("forget previous", fakeIo(cwd))).toMatchObject({ code: 0 });
});
