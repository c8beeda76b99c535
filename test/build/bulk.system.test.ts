import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type BuildOptions, build, useRelease, verify } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, userId, writeUsers } from "../support/database.js";
import { checkSums, scratch } from "../support/files.js";
import { linesOfPages, readBulk, sha256 } from "./bulk-files.js";

const baseUrl = "https://directory.example.com";

const outcomeOf = async (options: Omit<BuildOptions, "dist" | "baseUrl">) => {
  const { folder } = await build({ ...options, baseUrl, dist: scratch(), bulk: true });
  return { folder, ...readBulk(folder) };
};

test("nothing of the gzip tells of the machine or the time", async () => {
  const { files } = await outcomeOf({ db: writeUsers(join(scratch(), "u.sqlite"), plainRows(5)) });
  expect(files[0]?.subarray(0, 10)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]));
});

test("an empty collection has one empty part", async () => {
  const { folder, text, lines } = await outcomeOf({ db: writeUsers(join(scratch(), "u.sqlite"), []) });
  expect(lines).toBe("");
  expect(JSON.parse(text)).toMatchObject({ count: 0, parts: [{ file: "bulk/1.ndjson.gz", count: 0 }] });
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
});

test("invalid records that are left out are left out of it, too", async () => {
  const rows = plainRows(300).map((row, at) => (at % 100 === 7 ? { ...row, country: "nowhere" } : row));
  const db = writeUsers(join(scratch(), "u.sqlite"), rows);
  const { folder, lines } = await outcomeOf({ db, skipInvalid: true, pageSize: 50 });
  expect(lines).toBe(linesOfPages(folder));
  expect(lines.split("\n")).toHaveLength(298);
});

test("an unchanged source is left as before, and a release without what is asked for now is not", async () => {
  const db = writeUsers(join(scratch(), "u.sqlite"), plainRows(20));
  const options = { db, baseUrl, dist: scratch(), pageSize: 3 };
  const plain = await build(options);
  const bulk = await build({ ...options, bulk: true });
  expect(bulk).toMatchObject({ isNew: true });
  readBulk(bulk.folder);
  expect(await build({ ...options, bulk: true })).toMatchObject({ isNew: false, name: bulk.name });
  expect(await build({ ...options, bulk: true, workers: 0 })).toMatchObject({ isNew: false, name: bulk.name });
  // The first release has all that these settings ask for.
  expect(await build(options)).toMatchObject({ isNew: false, isSwitched: true, name: plain.name });
  expect(await build({ ...options, bulk: true })).toMatchObject({ isNew: false, isSwitched: true, name: bulk.name });
});

test("releases of one id whose parts came of two compressors are one to whoever names the id", async () => {
  const db = writeUsers(join(scratch(), "u.sqlite"), plainRows(20));
  const dist = scratch();
  const { folder, id } = await build({ db, baseUrl, dist, bulk: true });
  const other = join(dist, "releases", `20200101T000000Z-${id}`);
  cpSync(folder, other, { recursive: true });
  const part = join(other, "bulk/1.ndjson.gz");
  const bytes = gzipSync(gunzipSync(readFileSync(part)), { level: 1 });
  const replace = (name: string, change: (text: string) => string) =>
    writeFileSync(join(other, name), change(readFileSync(join(other, name), "utf8")));
  const before = ["bulk.json", "bulk/1.ndjson.gz"].map((name) => sha256(readFileSync(join(other, name))));
  writeFileSync(part, bytes);
  replace("bulk.json", (text) => text.replace(/"bytes":\d+/, `"bytes":${bytes.length}`));
  const after = ["bulk.json", "bulk/1.ndjson.gz"].map((name) => sha256(readFileSync(join(other, name))));
  replace("SHA256SUMS", (text) => before.reduce((sums, digest, at) => sums.replace(digest, after[at] ?? ""), text));
  replace(".release", () => `20200101T000000Z-${id}\n`);
  checkSums(other);
  expect(await useRelease(dist, id)).toMatchObject({ now: { id } });
  expect(await verify({ what: other })).toMatchObject({ passed: true });
});

test("records that only the exact road can tell to be valid are in it as they are on pages", async () => {
  const rows = plainRows(40).map((row, at) => ({ ...row, bio: at % 3 ? `{"id":"${userId(at)}"},\n{` : "😀 \u2028" }));
  const { folder, lines } = await outcomeOf({ db: writeUsers(join(scratch(), "u.sqlite"), rows), pageSize: 7 });
  expect(lines).toBe(linesOfPages(folder));
});
