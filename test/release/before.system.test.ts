/** A release that was built before there were other contracts than that of users, as it was written then. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { build, createServer, diff, openRelease, publish, useRelease, verify } from "../../src/index.js";
import { folderName } from "../../src/release/name.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";

const BEFORE = new URL("before/", import.meta.url).pathname;
const SNAPSHOT = JSON.parse(readFileSync(join(BEFORE, "snapshot.json"), "utf8"));

let dist: string;
let folder: string;

/** A `dist` whose current release is that one. */
beforeEach(() => {
  dist = scratch();
  const name = folderName(new Date("2026-01-01T00:00:00Z"), SNAPSHOT.id);
  folder = join(dist, "releases", name);
  mkdirSync(join(dist, "releases"));
  cpSync(BEFORE, folder, { recursive: true });
  symlinkSync(`releases/${name}`, join(dist, "current"));
});

/** Builds a release with the same users, of whom each has changed, and one more than it has on top of it. */
const buildAnother = () => {
  const db = writeUsers(join(dist, "users.sqlite"), plainRows(4));
  return build({ db, out: dist, baseUrl: SNAPSHOT.base_url, pageSize: SNAPSHOT.page_size });
};

test("it has neither a contract nor the new list of records", () => {
  const names = [...readTree(BEFORE).keys()];
  expect(names).toContain("users.sha256");
  expect(names).not.toContain("contract.json");
  expect(names).not.toContain("records.sha256");
});

test("it opens as one of users, and is whole", async () => {
  const { contract, paths, snapshot } = await openRelease(folder);
  expect(contract).toBe(USERS_CONTRACT);
  expect(paths.folder).toBe("api/users/pages");
  expect(snapshot.id).toBe(SNAPSHOT.id);
  const { rows } = await verify({ dist });
  expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
});

test("it is served", async () => {
  const host = await createServer({ folder: dist });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  const page = await fetch(`${url}/api/users/?page=2`);
  expect(await page.text()).toBe(readFileSync(join(BEFORE, "api/users/pages/2.json"), "utf8"));
  expect((await fetch(`${url}/contract.json`)).status).toBe(404);
  expect((await fetch(`${url}/users.sha256`)).status).toBe(404);
});

test("it is compared with a release of now, on disk and by URL", async () => {
  const host = await createServer({ folder });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  await buildAnother();
  for (const old of [basename(folder), folder, url]) {
    const { old: before, added, removed, close } = await diff({ old, new: "current", dist });
    close();
    expect([before.count, added, removed], old).toEqual([3, 1, 0]);
  }
});

test("a release of now replaces it, and it becomes current again", async () => {
  const built = await buildAnother();
  expect(built.isSwitched).toBe(true);
  const used = await useRelease(dist, "previous");
  expect(used.now.id).toBe(SNAPSHOT.id);
});

test("it is published, also over a release of now", async () => {
  const target = join(scratch(), "site");
  await publish({ dist, target });
  const { before: _none, ...first } = await publish({ dist, target });
  expect(first).toMatchObject({ added: 0, changed: 0, removed: 0 });
  await buildAnother();
  await publish({ dist, target });
  expect(readTree(target).has("contract.json")).toBe(true);
  await publish({ dist, target, release: SNAPSHOT.id });
  const files = readTree(target);
  files.delete(".rollcall-published.json");
  expect(files).toEqual(readTree(BEFORE));
});
