/** Rows that are not read again must be as they were: builds that remember give what builds without memory do. */
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { type BuildOptions, build, InvalidUsersError } from "rollcall";
import { expect, onTestFinished, test } from "vitest";
import { findDamage } from "../../src/release/check.js";
import { openRelease } from "../../src/release/open.js";
import { COLUMNS } from "../../src/source/columns.js";
import { plainRows, userId, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";

const INDEX = "CREATE INDEX users_order ON users (date_joined DESC, id);";
const USERS = 400;

/** A source, a `dist` that is built into again and again, and what a build that remembers nothing makes of the source. */
function remembering({ before = "", after = INDEX, ...options }: Partial<BuildOptions> & Sql = {}) {
  const folder = scratch();
  const rows = plainRows(USERS).map((row, at) => ({ ...row, bio: `Number ${at}. `.repeat(8) }));
  const db = writeUsers(join(folder, "users.sqlite"), rows, after, before);
  const out = join(folder, "dist");
  const given = { db, out, baseUrl: "https://directory.example.com", pageSize: 7, ...options };
  const outcome = async (more: Partial<BuildOptions>) => {
    try {
      const result = await build({ ...given, ...more });
      expect(await findDamage(await openRelease(result.folder))).toBeUndefined();
      return result;
    } catch (error) {
      if (!(error instanceof InvalidUsersError)) throw error;
      return error.problems;
    }
  };
  return {
    db,
    out,
    imprint: join(out, ".imprint"),
    edit(sql: string) {
      const file = new Database(db);
      try {
        file.exec(sql);
      } finally {
        file.close();
      }
    },
    /** Both kinds of build agree: on the id, or on why not. */
    async build(more: Partial<BuildOptions> = {}) {
      const result = await outcome({ workers: 2, ...more });
      const plain = await outcome({ workers: 0, out: scratch(), ...more });
      if (!("id" in result) || !("id" in plain)) {
        expect(result).toEqual(plain);
        return { isRefused: true, reads: "all" };
      }
      expect(readTree(result.folder)).toEqual(readTree(plain.folder));
      // Pages are digested when they are made, and by nobody when they are taken over.
      const reads = result.timings.threads?.digest === 0 ? "nothing" : "some";
      return { isRefused: false, reads, id: result.id };
    },
  };
}

interface Sql {
  before?: string;
  after?: string;
}

test("unchanged rows are not read again", async () => {
  const { build, imprint } = remembering();
  expect(await build()).toMatchObject({ reads: "some" });
  expect(existsSync(imprint)).toBe(true);
  expect(await build()).toMatchObject({ reads: "nothing" });
  expect(await build()).toMatchObject({ reads: "nothing" });
});

test("nor their neighbours, which a change only moved nearer to the edge of their page", async () => {
  const { build, edit } = remembering();
  const first = await build();
  edit(`UPDATE users SET bio = 'New.' WHERE id = '${userId(100)}'`);
  const second = await build();
  expect(second.id).not.toBe(first.id);
  edit(`UPDATE users SET bio = bio || '' WHERE rowid % 40 = 0`);
  expect(await build()).toMatchObject({ reads: "nothing", id: second.id });
});

/** Edits of every kind that leaves valid users, and some that do not; `@n` is any number. */
const EDITS = [
  "UPDATE users SET referrals_count = referrals_count + 1 WHERE rowid = @n",
  "UPDATE users SET bio = 'Edited @n.' WHERE rowid % 97 = @n % 97",
  "UPDATE users SET bio = printf('%.*c', 100 * @n, 'x') WHERE rowid = @n",
  "UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE rowid IN (@n, @n + 1, @n + 90)",
  "UPDATE users SET date_joined = '2025-06-01T00:00:00.000000Z' WHERE rowid = @n",
  "UPDATE users SET username = NULL, kyc_status = 'PENDING' WHERE rowid = @n",
  "DELETE FROM users WHERE rowid = @n",
  "INSERT OR IGNORE INTO users (id, date_joined) VALUES ('00000000-0000-4000-8001-' || printf('%012d', @n), '2026-01-01T00:00:00.000000Z')",
  "UPDATE OR IGNORE users SET rowid = rowid + 10000 WHERE rowid = @n",
  "UPDATE users SET bio = (SELECT bio FROM users AS other WHERE other.rowid = @n + 1) WHERE rowid = @n AND EXISTS (SELECT 1 FROM users WHERE rowid = @n + 1)",
  // Other tables come and go, on pages that were the users'.
  "CREATE TABLE IF NOT EXISTS other (note TEXT); INSERT INTO other SELECT printf('%.*c', 300, 'y') FROM users LIMIT @n % 50",
  "DROP TABLE IF EXISTS other",
  "VACUUM",
  "REINDEX",
  // All gone, and all back as they were, maybe on the same pages.
  "CREATE TEMP TABLE kept AS SELECT * FROM users; DELETE FROM users; INSERT INTO users SELECT * FROM kept ORDER BY rowid",
  "CREATE TEMP TABLE kept AS SELECT * FROM users; DELETE FROM users; INSERT INTO users SELECT * FROM kept ORDER BY id DESC",
  // The same cells under other names.
  "ALTER TABLE users RENAME COLUMN first_name TO x; ALTER TABLE users RENAME COLUMN last_name TO first_name; ALTER TABLE users RENAME COLUMN x TO last_name",
  "ALTER TABLE users ADD COLUMN spare@n TEXT DEFAULT 'spare'",
];

async function buildAfterEach(before: string, edits: readonly { sql: string; n: number }[]) {
  const source = remembering({ before });
  await source.build();
  for (const { sql, n } of edits) {
    try {
      source.edit(sql.replaceAll("@n", String(n)));
    } catch (error) {
      // A column that is there already.
      if (!(error instanceof Database.SqliteError)) throw error;
    }
    await source.build();
  }
}

test.each([
  ["a file as SQLite makes it", ""],
  ["pages of 512 bytes", "PRAGMA page_size = 512"],
  ["pages of 65,536 bytes", "PRAGMA page_size = 65536"],
  ["auto_vacuum", "PRAGMA auto_vacuum = FULL"],
  ["a write-ahead log", "PRAGMA journal_mode = WAL"],
])("%s: every kind of edit, one after the other", { timeout: 120_000 }, async (_, before) => {
  await buildAfterEach(
    before,
    EDITS.map((sql, at) => ({ sql, n: 17 * (at + 1) })),
  );
});

test("any edits in any order", { timeout: 120_000 }, async () => {
  const edit = fc.record({ sql: fc.constantFrom(...EDITS), n: fc.integer({ min: 1, max: USERS }) });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => buildAfterEach("", edits)),
    { numRuns: 5 },
  );
});

test("a value of another type that reads the same is refused, not taken for the old one", async () => {
  const { build, edit } = remembering();
  // Columns without types, which turn no text into a number.
  edit(`ALTER TABLE users RENAME TO old; CREATE TABLE users (${COLUMNS}); DROP INDEX users_order;
    INSERT INTO users SELECT ${COLUMNS} FROM old; DROP TABLE old; ${INDEX}`);
  expect(await build()).toMatchObject({ isRefused: false });
  expect(await build()).toMatchObject({ reads: "nothing" });
  edit(`UPDATE users SET referrals_count = CAST(referrals_count AS TEXT) WHERE rowid = 5`);
  expect(await build()).toMatchObject({ isRefused: true });
});

test("rows that go on on other pages of the file are read, for the change may be there", async () => {
  const { build, edit } = remembering();
  const end = (text: string) =>
    `UPDATE users SET bio = printf('%.*c', 9000, 'x') || '${text}' WHERE rowid = 5`;
  edit(end("one"));
  const { id } = await build();
  expect(await build()).toMatchObject({ id, reads: "nothing" });
  edit(end("two"));
  expect((await build()).id).not.toBe(id);
});

test("rows in a write-ahead log are read", async () => {
  const { build, db } = remembering({ before: "PRAGMA journal_mode = WAL" });
  await build();
  expect(await build()).toMatchObject({ reads: "nothing" });
  const writer = new Database(db);
  onTestFinished(() => void writer.close());
  writer.exec("PRAGMA wal_autocheckpoint = 0; UPDATE users SET bio = 'Logged.' WHERE rowid = 3");
  const logged = await build();
  expect(logged).toMatchObject({ reads: "some" });
  writer.exec("UPDATE users SET bio = 'Again.' WHERE rowid = 3");
  expect((await build()).id).not.toBe(logged.id);
});

test.each<[string, (imprint: string, other: string) => void]>([
  ["is gone", (file) => rmSync(file)],
  ["is cut short", (file) => truncateSync(file, 300)],
  ["is empty", (file) => truncateSync(file, 0)],
  ["is something else", (file) => writeFileSync(file, "Something else. ".repeat(1000))],
  ["has lost its digests", (file) => writeFileSync(file, zeroed(readFileSync(file), 32))],
  ["is that of another release", (file, other) => copyFileSync(other, file)],
])("an imprint that %s says nothing wrong", async (_, spoil) => {
  const { build, edit, imprint } = remembering();
  await build();
  const other = join(scratch(), "imprint");
  copyFileSync(imprint, other);
  edit("UPDATE users SET bio = 'New.' WHERE rowid = 9");
  const { id } = await build();
  spoil(imprint, other);
  expect(await build()).toMatchObject({ reads: "some", id });
  expect(await build()).toMatchObject({ reads: "nothing", id });
});

function zeroed(bytes: Buffer, from: number): Buffer {
  return bytes.fill(0, from);
}

test.each<[string, Partial<BuildOptions>]>([
  ["base URL", { baseUrl: "https://other.example.com" }],
  ["page size", { pageSize: 11 }],
  ["links", { links: "path" }],
  ["default avatar", { defaultAvatar: "https://cdn.example.com/nobody.png" }],
])("another %s makes other pages", async (_, more) => {
  const { build } = remembering();
  const { id } = await build();
  expect((await build(more)).id).not.toBe(id);
  expect(await build()).toMatchObject({ id });
  expect(await build()).toMatchObject({ id, reads: "nothing" });
});

test("a file of the last release that was damaged is made anew, compressed or not", async () => {
  const { build, out } = remembering({ encodings: ["br", "gzip"] });
  const { id } = await build();
  const pages = join(out, "current/api/users/pages");
  expect(await build()).toMatchObject({ id, reads: "nothing" });
  for (const name of ["3.json", "4.json.br", "5.json.gz"]) {
    truncateSync(join(pages, name), 10);
    expect(await build(), name).toMatchObject({ id });
    expect(readFileSync(join(pages, name)).length, name).toBeGreaterThan(10);
  }
  rmSync(join(pages, "6.json.gz"));
  expect(await build()).toMatchObject({ id });
});

test("nothing of a failed build is remembered", async () => {
  const { build, edit, out } = remembering();
  await build();
  edit("UPDATE users SET country = 'nowhere' WHERE rowid = 9");
  expect(await build()).toMatchObject({ isRefused: true });
  expect(existsSync(join(out, ".imprint-next"))).toBe(false);
  expect(await build()).toMatchObject({ isRefused: true });
  edit("UPDATE users SET country = 'XX' WHERE rowid = 9");
  expect(await build()).toMatchObject({ isRefused: false });
});
