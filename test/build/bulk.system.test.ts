/** `build --bulk`: all records in a few files, beside the pages. */
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { type BuildOptions, build, useRelease, verify } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, type Row, userId, writeUsers } from "../support/database.js";
import { checkSums, openFiles, scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { STATIONS, stations, stationText, writeStations } from "../support/stations.js";

const MAX_PART = 24_000_000;
const baseUrl = "https://directory.example.com";

interface Part {
  file: string;
  count: number;
  bytes: number;
  sha256: string;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** All that a release's bulk.json says is held against its files. */
function readBulk(release: string) {
  const text = readFileSync(join(release, "bulk.json"), "utf8");
  const bulk: { count: number; sha256: string; parts: Part[] } = JSON.parse(text);
  const files = bulk.parts.map(({ file }) => readFileSync(join(release, file)));
  const plain = gunzipSync(Buffer.concat(files));
  expect(Object.keys(bulk)).toEqual(["count", "parts", "sha256"]);
  expect(bulk.sha256).toBe(sha256(plain));
  expect(bulk.count).toBe(plain.toString().split("\n").length - 1);
  expect(readdirSync(join(release, "bulk")).sort()).toEqual(bulk.parts.map(({ file }) => file.slice(5)).sort());
  for (const [at, { file, ...part }] of bulk.parts.entries()) {
    const bytes = files[at] ?? Buffer.alloc(0);
    const own = gunzipSync(bytes);
    expect(file).toBe(`bulk/${at + 1}.ndjson.gz`);
    expect(part).toEqual({ count: own.toString().split("\n").length - 1, bytes: bytes.length, sha256: sha256(own) });
    expect(bytes.length).toBeLessThanOrEqual(MAX_PART);
  }
  checkSums(release);
  return { text, files, lines: plain.toString() };
}

/** The records of all pages, one a line. */
function linesOfPages(release: string, path = "api/users"): string {
  const folder = join(release, path, "pages");
  const pages = readdirSync(folder).length;
  return Array.from({ length: pages }, (_, at) => readFileSync(join(folder, `${at + 1}.json`), "utf8"))
    .flatMap((page) => page.split("\n").slice(1, -2))
    .map((line) => `${line.replace(/,$/, "")}\n`)
    .join("");
}

const outcomeOf = async (options: Omit<BuildOptions, "out" | "baseUrl">) => {
  const { folder } = await build({ ...options, baseUrl, out: scratch(), bulk: true });
  return { folder, ...readBulk(folder) };
};

test("records of another contract, with numbers and any JSON", async () => {
  const made = stations(250);
  const db = writeStations(
    join(scratch(), "stations.sqlite"),
    made.map(({ row }) => row),
  );
  const { lines } = await outcomeOf({ db, contract: STATIONS, workers: 0 });
  expect(lines).toBe(made.map((station) => `${stationText(station)}\n`).join(""));
});

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

/** Text that gzip cannot shorten by more than a quarter. */
function noise(seed: number, length: number): string {
  const random = seeded(seed);
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random.below(2 ** 32));
  return Buffer.from(words.buffer).toString("base64url").slice(0, length);
}

test("large records: parts end before the limit, and unchanged ones are links", async () => {
  const bios = Array.from({ length: 34 }, (_, at) => noise(at + 1, 1_000_000));
  const rows = plainRows(34).map((row, at): Row => ({ ...row, bio: bios[at] ?? "" }));
  const db = writeUsers(join(scratch(), "u.sqlite"), rows);
  const options = { db, baseUrl, pageSize: 3, bulk: true, out: scratch() };
  const first = await build({ ...options, workers: 0 });
  expect(readBulk(first.folder).files).toHaveLength(2);
  expect(readBulk(first.folder).lines).toBe(linesOfPages(first.folder));
  const file = new Database(db);
  file.exec(`UPDATE users SET username = 'other' WHERE id = '${userId(33)}'`);
  const second = await build(options);
  const inode = (release: string, part: number) => statSync(join(release, `bulk/${part}.ndjson.gz`)).ino;
  expect(inode(second.folder, 1)).toBe(inode(first.folder, 1));
  expect(inode(second.folder, 2)).not.toBe(inode(first.folder, 2));
  readBulk(second.folder);

  // A part that was damaged since is not carried on.
  const damaged = join(second.folder, "bulk/1.ndjson.gz");
  const bytes = readFileSync(damaged);
  bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1;
  writeFileSync(damaged, bytes);
  file.exec(`UPDATE users SET username = 'another' WHERE id = '${userId(33)}'`);
  file.close();
  const third = await build(options);
  expect(inode(third.folder, 1)).not.toBe(inode(second.folder, 1));
  readBulk(third.folder);
});

test("a record that is larger than a part is refused in words", async () => {
  const rows = plainRows(4).map((row, at) => (at === 2 ? { ...row, bio: noise(3, 34_000_000) } : row));
  const db = writeUsers(join(scratch(), "u.sqlite"), rows);
  const options = { db, baseUrl, out: scratch(), pageSize: 2, workers: 2 };
  await expect(build({ ...options, bulk: true })).rejects.toThrow(
    /^Record 3 takes 2\d{7} bytes when compressed, and a part of --bulk holds at most 24000000; build without --bulk\.$/,
  );
  expect(readdirSync(options.out).filter((name) => name.startsWith("current"))).toEqual([]);
  expect(openFiles(options.out)).toEqual([]);
  expect(await build(options)).toMatchObject({ isNew: true });
});

test("an unchanged source is left as before, and a release without what is asked for now is not", async () => {
  const db = writeUsers(join(scratch(), "u.sqlite"), plainRows(20));
  const options = { db, baseUrl, out: scratch(), pageSize: 3 };
  const plain = await build(options);
  const bulk = await build({ ...options, bulk: true });
  expect(bulk).toMatchObject({ isNew: true, isRead: true });
  readBulk(bulk.folder);
  expect(await build({ ...options, bulk: true })).toMatchObject({ isNew: false, isRead: false, name: bulk.name });
  expect(await build({ ...options, bulk: true, workers: 0 })).toMatchObject({ isNew: false, name: bulk.name });
  // The first release has all that these settings ask for.
  expect(await build(options)).toMatchObject({ isNew: false, isSwitched: true, name: plain.name });
  expect(await build({ ...options, bulk: true })).toMatchObject({ isNew: false, isSwitched: true, name: bulk.name });
});

test("releases of one id whose parts came of two compressors are one to whoever names the id", async () => {
  const db = writeUsers(join(scratch(), "u.sqlite"), plainRows(20));
  const out = scratch();
  const { folder, id } = await build({ db, baseUrl, out, bulk: true });
  const other = join(out, "releases", `20200101T000000Z-${id}`);
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
  checkSums(other);
  expect(await useRelease(out, id)).toMatchObject({ now: { id } });
  expect(await verify({ what: other })).toMatchObject({ passed: true });
});

test("records that only the exact road can tell to be valid are in it as they are on pages", async () => {
  const rows = plainRows(40).map((row, at) => ({ ...row, bio: at % 3 ? `{"id":"${userId(at)}"},\n{` : "😀 \u2028" }));
  const { folder, lines } = await outcomeOf({ db: writeUsers(join(scratch(), "u.sqlite"), rows), pageSize: 7 });
  expect(lines).toBe(linesOfPages(folder));
});
