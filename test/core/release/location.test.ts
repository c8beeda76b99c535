/** Which releases are of one listing, and builds, gates and diffs of another one. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isOtherListing } from "../../../src/core/release/location.js";
import { diff as compare } from "../../../src/index.js";
import { fakeIo, rollcall } from "../../cli/run.js";
import { readTree, scratch } from "../../support/files.js";
import { contractOfThings, publishThings, type Thing } from "../compare/things.js";

const PUBLIC = "https://data.example.com";
const LOCAL = "http://127.0.0.1:8080";
const THINGS: readonly Thing[] = [1, 2, 3].map((size) => ({ key: `k${size}`, size, note: "n", kind: "a" }));

test.each<[before: [string, string], after: [string, string], isOther: boolean]>([
  [[PUBLIC, "/a/"], [PUBLIC, "/a/"], false],
  [[PUBLIC, "/a/"], [PUBLIC, "/b/"], true],
  [[PUBLIC, "/a/"], ["https://other.example.com", "/a/"], true],
  [[`${PUBLIC}/x`, "/a/"], [PUBLIC, "/x/a/"], true],
  [[LOCAL, "/a/"], [PUBLIC, "/a/"], false],
  [["http://localhost", "/a/"], [LOCAL, "/a/"], false],
  [["http://[::1]:8080", "/a/"], [PUBLIC, "/a/"], false],
  [[LOCAL, "/a/"], [PUBLIC, "/b/"], true],
  [[PUBLIC, "/a/"], [LOCAL, "/a/"], true],
  [["http://192.168.0.2", "/a/"], [PUBLIC, "/a/"], true],
  [["no URL", "/a/"], [PUBLIC, "/a/"], true],
])("from %j to %j: %s", (before, after, isOther) => {
  const [one, other] = [before, after].map(([baseUrl, path]) => ({ baseUrl, path }));
  if (one && other) expect(isOtherListing(one, other)).toBe(isOther);
});

describe("a dist that holds a listing", () => {
  async function distOfThings(baseUrl = PUBLIC) {
    const folder = scratch();
    const release = await publishThings(folder, contractOfThings(), THINGS, { baseUrl });
    const next = (options: Parameters<typeof publishThings>[3], path = "/other/") =>
      publishThings(folder, contractOfThings({}, { path }), THINGS.slice(1), { baseUrl: PUBLIC, ...options });
    return { dist: join(folder, "dist"), release, next };
  }

  test("refuses another path and another base URL, with what would be replaced, unless forced", async () => {
    const { dist, release, next } = await distOfThings();
    const before = readTree(join(dist, "current/"));
    const held = `${dist} holds another listing, ${PUBLIC}/things/ (release ${release.id}, 3 records), and this one is `;
    const ways = ". Name another folder with --dist, or replace that listing with --force.";
    await expect(next({})).rejects.toThrow(`${held}${PUBLIC}/other/${ways}`);
    await expect(next({ baseUrl: "https://b.example" }, "/things/")).rejects.toThrow(
      `${held}https://b.example/things/${ways}`,
    );
    await expect(next({ baseUrl: LOCAL }, "/things/")).rejects.toThrow(held);
    expect(readTree(join(dist, "current/"))).toEqual(before);
    expect(await next({ force: true })).toMatchObject({ switched: true, notes: [] });
    expect(await next({}), "the same again").toMatchObject({ new: false });
  });

  test("refuses it although the current release is broken", async () => {
    const { dist, release, next } = await distOfThings();
    rmSync(join(release.folder, "things/pages/1.json"));
    await expect(next({})).rejects.toThrow(`${dist} holds another listing, `);
    writeFileSync(join(release.folder, "snapshot.json"), "{}");
    await expect(next({})).resolves.toMatchObject({ switched: true });
  });

  test("refuses it before the source is read", async () => {
    const { next } = await distOfThings();
    await expect(next({ db: "/no/such.sqlite" })).rejects.toThrow("holds another listing, ");
  });

  test("takes a public base URL after one on loopback, with a note, and compares its records", async () => {
    const { next } = await distOfThings(LOCAL);
    await expect(next({ maxRemoved: 0 }, "/things/")).rejects.toThrow("exceeds max-removed 0: 1 of 3");
    expect((await next({ maxRemoved: 1 }, "/things/")).notes).toEqual([
      `links led to ${LOCAL} until now; they lead to ${PUBLIC}`,
    ]);
    expect((await next({}, "/things/")).notes).toEqual([]);
  });

  test("gates do not compare it with another one that is forced", async () => {
    const { dist, release, next } = await distOfThings();
    const current = () => readFileSync(join(dist, "current/snapshot.json"), "utf8");
    const before = current();
    const maxRemoved = "100%";
    await expect(next({ force: true, maxRemoved })).rejects.toThrow(
      new RegExp(
        `was built, but current is unchanged, because gates do not compare it with another listing, ${PUBLIC}/things/\\. Accept it with "rollcall use [0-9a-f]{12}"\\.$`,
      ),
    );
    expect(current()).toBe(before);
    await expect(compare({ dist, old: release.id, new: "current", maxRemoved })).resolves.toMatchObject({
      exceeded: [],
    });
  });
});

test("a diff with gates refuses two listings, and compares them without", async () => {
  const folder = scratch();
  const dist = join(folder, "dist");
  const old = await publishThings(folder, contractOfThings(), THINGS, { baseUrl: PUBLIC });
  const other = contractOfThings({}, { path: "/other/" });
  await publishThings(folder, other, THINGS, { baseUrl: PUBLIC, force: true });
  const sides = { dist, old: old.id, new: "current" };
  const text = `Gates compare snapshots of one listing, but release ${old.name} is of ${PUBLIC}/things/, and release`;
  await expect(compare({ ...sides, maxAdded: 9 })).rejects.toThrow(text);
  const changes = await compare(sides);
  expect(changes).toMatchObject({ added: 0, removed: 0, changed: 0 });
  changes.close();
  const { code, stderr } = await rollcall(`diff ${old.id} current --max-removed 0`, fakeIo(folder));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${text}`)]);
});
