/**
 * Releases of one id whose content differs, as whoever may write a bio can make them in some 2^24 tries: here every
 * release has the same id, and nothing may take one for another.
 */
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { diff } from "../../src/diff/diff.js";
import { openReleaseSide } from "../../src/diff/side.js";
import { build, createServer, openRelease, publish, useRelease } from "../../src/index.js";
import { findRelease } from "../../src/release/choose.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

const ID = "0123456789ab";
vi.mock("../../src/release/snapshot.js", async (original) => ({
  ...(await original<object>()),
  snapshotId: () => "0123456789ab",
}));

/** A dist whose builds publish 25 users, all with the bio that is given. */
function publisher() {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(25));
  const dist = join(folder, "dist");
  let minute = 0;
  const make = (bio: string) => {
    const source = new Database(db);
    source.prepare("UPDATE users SET bio = ?").run(bio);
    source.close();
    const now = () => new Date(Date.UTC(2026, 10, 21, 3, minute++));
    return build({ db, out: dist, baseUrl: "https://a.example", pageSize: 10 }, { now });
  };
  const bioIn = (place: string) =>
    JSON.parse(readFileSync(join(place, "api/users/pages/3.json"), "utf8")).results[0].bio;
  return { folder, dist, make, bioIn, current: () => readlinkSync(join(dist, "current")) };
}

test("a build takes none for another: neither for the current one nor for one to go back to", async () => {
  const { dist, make, bioIn } = publisher();
  const one = await make("one");
  const other = await make("other");
  expect(other).toMatchObject({ id: one.id, isNew: true, isSwitched: true });
  expect(bioIn(join(dist, "current"))).toBe("other");
  expect(await make("other")).toMatchObject({ name: other.name, isNew: false, isSwitched: false });
  expect(await make("one")).toMatchObject({ name: one.name, isNew: false, isSwitched: true });
  expect(bioIn(join(dist, "current"))).toBe("one");
  expect(await make("third")).toMatchObject({ isNew: true, isSwitched: true });
  expect(bioIn(join(dist, "current"))).toBe("third");
});

test("the id means none of them, and a damaged one is not replaced by another", async () => {
  const { dist, make, current } = publisher();
  const [one, other] = [await make("one"), await make("other")];
  const both = `"${ID}" means 2 releases of one id that differ in their content: ${other.name}, ${one.name}; give the whole name of one.`;
  expect(() => findRelease(ID, dist)).toThrow(both);
  await expect(useRelease(dist, ID)).rejects.toThrow(both);
  await expect(useRelease(dist, one.name)).resolves.toMatchObject({ now: { name: one.name } });
  writeFileSync(join(other.folder, "api/users/pages/2.json"), "damaged");
  await expect(useRelease(dist, other.name)).rejects.toThrow(`${other.name} is damaged`);
  expect(current()).toBe(`releases/${one.name}`);
});

test("a diff, a folder that is published to, and the server tell them apart", async () => {
  const { dist, folder, make, bioIn } = publisher();
  const one = await make("one");
  const host = await createServer({ folder: dist });
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  const site = join(folder, "site");
  try {
    await publish({ dist, target: site });
    const other = await make("other");
    const [old, now] = await Promise.all(
      [one, other].map(async (release) => {
        return openReleaseSide(await openRelease(release.folder), release.name, folder);
      }),
    );
    if (!old || !now) throw new Error("no sides");
    const found = await diff(old, now);
    expect(found.changed).toBe(25);
    found.close();

    expect(await publish({ dist, target: site })).toMatchObject({ changed: 6 });
    expect(bioIn(site)).toBe("other");
    await host.reload();
    const page = await (await fetch(`${url}/api/users/?page=3`)).json();
    expect(page.results[0].bio).toBe("other");
  } finally {
    await host.close();
  }
});
