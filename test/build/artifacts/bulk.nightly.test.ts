/** `build --bulk` of records so large that parts end at their limit. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, type Row, userId, usersFile } from "../../support/database.js";
import { openFiles, scratch } from "../../support/files.js";
import { seeded } from "../../support/random.js";
import { linesOfPages, readBulk } from "./bulk-files.js";

const baseUrl = "https://directory.example.com";

/** Text that gzip cannot shorten by more than a quarter. */
function noise(seed: number, length: number): string {
  const random = seeded(seed);
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random.below(2 ** 32));
  return Buffer.from(words.buffer).toString("base64url").slice(0, length);
}

test("large records: parts end before the limit, and unchanged ones are links", async () => {
  const bios = Array.from({ length: 34 }, (_, at) => noise(at + 1, 1_000_000));
  const rows = plainRows(34).map((row, at): Row => ({ ...row, bio: bios[at] ?? "" }));
  const db = usersFile(rows);
  const options = { db, baseUrl, pageSize: 3, bulk: true, dist: scratch() };
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
  const db = usersFile(rows);
  const options = { db, baseUrl, dist: scratch(), pageSize: 2, workers: 2 };
  await expect(build({ ...options, bulk: true })).rejects.toThrow(
    /^Record 3 has 2\d{7} compressed bytes, and a part of --bulk has at most 24000000; build without --bulk\.$/,
  );
  expect(readdirSync(options.dist).filter((name) => name.startsWith("current"))).toEqual([]);
  expect(openFiles(options.dist)).toEqual([]);
  expect(await build(options)).toMatchObject({ new: true });
});
