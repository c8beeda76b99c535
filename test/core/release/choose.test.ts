/** Which release an argument names, for every command. */
import { cpSync, lutimesSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRelease } from "../../../src/core/release/choose.js";
import { lockDist } from "../../../src/core/release/lock.js";
import { prune, switchCurrent } from "../../../src/core/release/switch.js";
import { useRelease } from "../../../src/core/release/use.js";
import { build } from "../../../src/index.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";

/** Three releases of one folder, built a minute apart; the last is current. */
async function threeReleases() {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(4));
  const dist = join(cwd, "dist");
  const make = (pageSize: number) => {
    const now = () => new Date(Date.UTC(2026, 10, 21, 3, 40 + pageSize));
    return build({ db, baseUrl: "https://example.com", dist: dist, pageSize }, { now });
  };
  const [first, second, third] = [await make(1), await make(2), await make(3)];
  const find = (word: string) => findRelease(word, dist, cwd).replace(`${cwd}/`, "");
  return { cwd, dist, first, second, third, find };
}

/** The shortest beginning of an id that no other one has. */
function beginningOf(id: string, others: readonly string[]): string {
  const length = [...id].findIndex((_, at) => !others.some((other) => other.startsWith(id.slice(0, at + 1))));
  return id.slice(0, length + 1);
}

test("finds ids, names and their beginnings, in any case", async () => {
  const { first, second, third, find } = await threeReleases();
  const ids = [second.id, third.id];
  const folder = `dist/releases/${first.name}`;
  for (const word of [first.id, beginningOf(first.id, ids), first.name, first.name.slice(0, 13)])
    expect(find(word), word).toBe(folder);
  expect(find(first.id.toUpperCase())).toBe(folder);
  expect(find(first.name.replace(first.id, first.id.toUpperCase()))).toBe(folder);
});

test("finds current, and previous", async () => {
  const { second, third, find } = await threeReleases();
  expect(find("current")).toBe(`dist/releases/${third.name}`);
  expect(find("previous")).toBe(`dist/releases/${second.name}`);
});

test("previous is the release that was current before, whatever the times of folders and links", async () => {
  const { dist, first, second, third, find } = await threeReleases();
  const skew = (seconds: number) => {
    for (const { folder } of [first, second, third]) utimesSync(folder, seconds, seconds);
    lutimesSync(join(dist, "current"), 1_000_000_000, 1_000_000_000);
  };
  skew(2_000_000_000);
  expect(find("previous")).toBe(`dist/releases/${second.name}`);
  await useRelease(dist, first.id);
  utimesSync(second.folder, 500_000_000, 500_000_000);
  expect(find("previous")).toBe(`dist/releases/${third.name}`);
  await useRelease(dist, "previous");
  expect(find("previous")).toBe(`dist/releases/${first.name}`);
});

test("a switch that was killed halfway does not change previous", async () => {
  const { dist, first, second, third, find } = await threeReleases();
  symlinkSync(`../releases/${third.name}`, join(dist, ".previous", first.name));
  expect(find("previous")).toBe(`dist/releases/${second.name}`);
  await useRelease(dist, third.id);
  expect(find("previous")).toBe(`dist/releases/${second.name}`);
  await useRelease(dist, second.id);
  expect(find("previous")).toBe(`dist/releases/${third.name}`);
});

test("refuses previous when it was removed, and when there was none", async () => {
  const { dist, second, find } = await threeReleases();
  rmSync(second.folder, { recursive: true });
  expect(() => find("previous")).toThrow(
    `The previous release, ${second.name}, was removed from ${dist}; "rollcall releases" lists`,
  );
  rmSync(join(dist, ".previous"), { recursive: true });
  expect(() => find("previous")).toThrow(`No release in ${dist} was current before; "rollcall releases"`);
  rmSync(join(dist, "releases"), { recursive: true });
  expect(() => find("previous")).toThrow(`There is no release in ${dist}; run "rollcall build" first.`);
});

test("accepts a release's folder, a folder of releases, or any other folder", async () => {
  const { cwd, first, find } = await threeReleases();
  cpSync(first.folder, join(cwd, "elsewhere"), { recursive: true });
  mkdirSync(join(cwd, "nothing"));
  expect(find("elsewhere")).toBe("elsewhere");
  expect(find(join(cwd, "elsewhere"))).toBe("elsewhere");
  expect(find(`dist/releases/${first.name}`)).toBe(`dist/releases/${first.name}`);
  expect(find("dist")).toBe("dist/current");
  expect(find("nothing")).toBe("nothing");
});

test("prefers a release's folder to an id, and an id to any other folder", async () => {
  const { cwd, first, second, third, find } = await threeReleases();
  const word = beginningOf(first.id, [second.id, third.id]);
  mkdirSync(join(cwd, word));
  expect(find(word)).toBe(`dist/releases/${first.name}`);
  expect(find(`./${word}`)).toBe(word);
  cpSync(second.folder, join(cwd, word), { recursive: true });
  expect(find(word)).toBe(word);
});

test("folders named current and previous do not hide the releases", async () => {
  const { cwd, first, second, third, find } = await threeReleases();
  for (const name of ["current", "previous"]) cpSync(first.folder, join(cwd, name), { recursive: true });
  expect(find("current")).toBe(`dist/releases/${third.name}`);
  expect(find("previous")).toBe(`dist/releases/${second.name}`);
  expect(find("./current")).toBe("current");
  expect(find("./previous")).toBe("previous");
});

test("finds the current release if an archive turned the link into a folder", async () => {
  const { dist, third, find } = await threeReleases();
  rmSync(join(dist, "current"));
  expect(() => find("current")).toThrow(
    /^No release in .* is current; to make the newest one current, run "rollcall use /,
  );
  cpSync(third.folder, join(dist, "current"), { recursive: true });
  expect(find("current")).toBe("dist/current");
});

test("lists all releases that an ambiguous beginning matches", async () => {
  const { dist, first, second, third, find } = await threeReleases();
  const names = [third.name, second.name, first.name];
  expect(() => find("20261121T034")).toThrow(
    `"20261121T034" is the beginning of 3 releases, by name or by the id at its end: ${names.join(", ")}; type more of it.`,
  );
  const rename = (name: string, id: string) =>
    renameSync(join(dist, "releases", name), join(dist, "releases", name.replace(/[0-9a-f]{12}$/, id)));
  rename(first.name, "aaaaaaaaaaa1");
  rename(second.name, "aaaaaaaaaaa2");
  expect(() => find("aaa")).toThrow(
    /^"aaa" is the beginning of 2 releases, .*-aaaaaaaaaaa2, .*-aaaaaaaaaaa1; type more of it\.$/,
  );
  rename(third.name, "202611210000");
  // An id and all names begin with this, so it is ambiguous.
  expect(() => find("2026")).toThrow(/^"2026" is the beginning of 3 releases, .*-202611210000, /);
  expect(find("202611210")).toMatch(/-202611210000$/);
});

test("prefers the newest of several releases with one id", async () => {
  const { dist, first, find } = await threeReleases();
  const newer = `20261122T000000Z-${first.id}`;
  cpSync(first.folder, join(dist, "releases", newer), { recursive: true });
  expect(find(first.id)).toBe(`dist/releases/${newer}`);
  expect(find(first.name)).toBe(`dist/releases/${first.name}`);
});

test("prunes releases dated in the future first, and the previous one last", () => {
  const dist = scratch();
  const name = (year: number) => `${year}0101T000000Z-00000000${year}`;
  const years = [2020, 2024, 2025, 2026, 2098, 2099];
  for (const year of years) {
    mkdirSync(join(dist, "releases", name(year)), { recursive: true });
    utimesSync(join(dist, "releases", name(year)), 0, 0);
  }
  const now = new Date("2026-11-21T00:00:00Z");
  switchCurrent(dist, name(2020), new Date(0), []);
  switchCurrent(dist, name(2026), new Date(0), []);
  const untidied: string[] = [];
  expect(prune(dist, 3, now, untidied)).toEqual([name(2099), name(2098)]);
  expect(prune(dist, 1, now, untidied)).toEqual([name(2025), name(2024)]);
  expect(readdirSync(join(dist, "releases"))).toEqual([name(2020), name(2026)]);
  expect(untidied).toEqual([]);
});

test("does not prune a release that was current less than a minute ago", () => {
  const dist = scratch();
  const names = ["20250101T000000Z-000000002025", "20260101T000000Z-000000002026"] as const;
  for (const name of names) mkdirSync(join(dist, "releases", name), { recursive: true });
  const switched = Date.UTC(2026, 10, 21);
  for (const name of names) switchCurrent(dist, name, new Date(switched), []);
  expect(prune(dist, 0, new Date(switched + 59_000), [])).toEqual([]);
  expect(prune(dist, 0, new Date(switched + 61_000), [])).toEqual([names[0]]);
});

test("switches current while the folder is locked", async () => {
  const { dist, second } = await threeReleases();
  const locks: string[] = [];
  const now = () => {
    try {
      lockDist(dist, new Date())();
      locks.push("free");
    } catch (error) {
      locks.push(`${error}`);
    }
    return new Date();
  };
  expect((await useRelease(dist, "previous", { now })).now.id).toBe(second.id);
  // Called before it locks, and when it switches.
  expect(locks).toEqual(["free", expect.stringMatching(/is being written by process/)]);
});
