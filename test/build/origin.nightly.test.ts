/** A build from what the current release was made from reads no row. Any other build gives what a fresh build gives. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, type BuildResult, build, InvalidRecordsError } from "rollcall";
import { expect, onTestFinished, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { plainRows, writeUsers } from "../support/database.js";
import { checkSums, readTree, scratch } from "../support/files.js";

const INDEX = "CREATE INDEX users_order ON users (date_joined DESC, id);";
const USERS = 120;

/** A source, a `dist` that is built into again and again, and a build into an empty folder to compare with. */
function remembering({ before = "", after = INDEX, ...options }: Partial<BuildOptions> & Sql = {}) {
  const folder = scratch();
  const rows = plainRows(USERS).map((row, at) => ({ ...row, bio: `Number ${at}. `.repeat(8) }));
  const db = writeUsers(join(folder, "users.sqlite"), rows, after, before);
  const out = join(folder, "dist");
  const given = { db, out, baseUrl: "https://directory.example.com", pageSize: 7, ...options };
  const outcome = async (more: Partial<BuildOptions>) => {
    try {
      const result = await build({ ...given, ...more });
      checkSums(result.folder);
      return result;
    } catch (error) {
      if (!(error instanceof InvalidRecordsError)) throw error;
      return error.problems;
    }
  };
  return {
    folder,
    db,
    out,
    origin: join(out, ".origin.json"),
    edit: (sql: string) => edit(db, sql),
    /** Fails unless both builds give the same release, or the same refusal. */
    async build(more: Partial<BuildOptions> = {}): Promise<Partial<BuildResult> & { isRefused: boolean }> {
      const result = await outcome({ workers: 2, ...more });
      const plain = await outcome({ workers: 0, out: scratch(), ...more });
      if (!("id" in result) || !("id" in plain)) {
        expect(result).toEqual(plain);
        return { isRefused: true };
      }
      const { bytes, records, pages, skipped, warnings, problems } = plain;
      expect(result).toMatchObject({ bytes, records, pages, skipped, warnings, problems });
      expect(readTree(result.folder)).toEqual(readTree(plain.folder));
      return { ...result, isRefused: false };
    },
  };
}

interface Sql {
  before?: string;
  after?: string;
}

function columnsOf(db: string): unknown[] {
  const file = new Database(db, { readonly: true });
  try {
    return file.prepare("SELECT name FROM pragma_table_info('users')").pluck().all();
  } finally {
    file.close();
  }
}

function edit(db: string, sql: string): void {
  const file = new Database(db);
  try {
    file.exec(sql);
  } finally {
    file.close();
  }
}

test("the same bytes are not read again, by however many threads, nor when they were delivered anew", async () => {
  const { build, db } = remembering({ encodings: ["gzip"] });
  const first = await build();
  expect(first).toMatchObject({ isRead: true, isNew: true });
  expect(await build()).toMatchObject({ isRead: false, isNew: false, name: first.name, linked: 36 });
  expect(await build({ workers: undefined })).toMatchObject({ isRead: false, isSwitched: false });
  copyFileSync(db, `${db}.new`);
  renameSync(`${db}.new`, db);
  utimesSync(db, 0, 0);
  expect(await build({ workers: 1 })).toMatchObject({ isRead: false, name: first.name });
});

test("without workers everything is read, and what was remembered stays", async () => {
  const { build, origin } = remembering();
  await build({ workers: 0 });
  expect(existsSync(origin)).toBe(false);
  await build();
  expect(await build({ workers: 0 })).toMatchObject({ isRead: true, isNew: false });
  expect(await build()).toMatchObject({ isRead: false });
});

/** Edits of every kind, most of which leave valid users; `@n` is any number. */
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
  // Other tables come and go, on pages that held users.
  "CREATE TABLE IF NOT EXISTS other (note TEXT); INSERT INTO other SELECT printf('%.*c', 300, 'y') FROM users LIMIT @n % 50",
  "DROP TABLE IF EXISTS other",
  "VACUUM",
  "REINDEX",
  // All users are removed and come back as they were, maybe on the same pages.
  "CREATE TEMP TABLE kept AS SELECT * FROM users; DELETE FROM users; INSERT INTO users SELECT * FROM kept ORDER BY rowid",
  "CREATE TEMP TABLE kept AS SELECT * FROM users; DELETE FROM users; INSERT INTO users SELECT * FROM kept ORDER BY id DESC",
  // The values stay, under other column names.
  "ALTER TABLE users RENAME COLUMN first_name TO x; ALTER TABLE users RENAME COLUMN last_name TO first_name; ALTER TABLE users RENAME COLUMN x TO last_name",
  "ALTER TABLE users ADD COLUMN spare@n TEXT DEFAULT 'spare'",
];

test("every kind of edit, one after the other", async () => {
  const source = remembering();
  await source.build();
  for (const [at, sql] of EDITS.entries()) {
    source.edit(sql.replaceAll("@n", String(5 * (at + 1))));
    const { isRefused } = await source.build();
    if (!isRefused) expect(await source.build(), sql).toMatchObject({ isRead: false });
  }
});

test("an id that only overflow pages of an index hold", async () => {
  const { build, edit } = remembering({ before: "PRAGMA page_size = 512", after: "" });
  // Ids with one long prefix, ten for each moment: the rest of an index entry lies on another page of the file.
  edit(`DELETE FROM users WHERE rowid > 40;
    UPDATE users SET username = NULL, bio = printf('%0130d', rowid),
      id = printf('aaaaaaaa-0000-4000-8000-0000000000%02d', rowid),
      date_joined = iif(rowid BETWEEN 5 AND 14, '2020-01-01T00:00:00.000074Z', date_joined);
    CREATE INDEX users_order ON users (date_joined DESC, id, bio); VACUUM`);
  const { id } = await build({ pageSize: 10 });
  edit("UPDATE users SET id = 'aaaaaaaa-0000-4000-8000-000000000099' WHERE rowid = 5");
  edit("VACUUM");
  const second = await build({ pageSize: 10 });
  expect(second).toMatchObject({ isRead: true });
  expect(second).not.toMatchObject({ id });
});

test("a value of another type that reads the same is refused", async () => {
  const { build, db, edit } = remembering();
  // Columns without types, which convert no text to a number.
  const columns = columnsOf(db).join(", ");
  edit(`ALTER TABLE users RENAME TO old; CREATE TABLE users (${columns}); DROP INDEX users_order;
    INSERT INTO users SELECT ${columns} FROM old; DROP TABLE old; ${INDEX}`);
  expect(await build()).toMatchObject({ isRefused: false });
  edit(`UPDATE users SET referrals_count = CAST(referrals_count AS TEXT) WHERE rowid = 5`);
  expect(await build()).toMatchObject({ isRefused: true });
});

test("a write-ahead log belongs to the bytes", async () => {
  const { build, db } = remembering({ before: "PRAGMA journal_mode = WAL" });
  const { id } = await build();
  expect(await build()).toMatchObject({ isRead: false });
  const writer = new Database(db);
  onTestFinished(() => void writer.close());
  writer.exec("PRAGMA wal_autocheckpoint = 0; UPDATE users SET bio = 'Logged.' WHERE rowid = 3");
  expect(await build()).toMatchObject({ isRead: true });
  expect(await build()).toMatchObject({ isRead: false });
  for (const bio of ["Other.", "Third.", "Other."]) {
    writer.prepare("UPDATE users SET bio = ? WHERE rowid = 3").run(bio);
    expect(await build()).toMatchObject({ isRead: true });
    expect(await build()).toMatchObject({ isRead: false });
  }
  // SQLite overwrites the log from its beginning, and its size stays.
  writer.exec("PRAGMA wal_checkpoint(RESTART); UPDATE users SET bio = 'Anew.' WHERE rowid = 4");
  expect(await build()).toMatchObject({ isRead: true });
  expect(await build()).toMatchObject({ isRead: false });
  writer.exec("UPDATE users SET bio = 'Again.' WHERE rowid = 3; PRAGMA wal_checkpoint(TRUNCATE)");
  const logged = await build();
  expect(logged).toMatchObject({ isRead: true });
  expect(logged).not.toMatchObject({ id });
  expect(await build()).toMatchObject({ isRead: false });
});

test("views and queries, which may ask the clock, are read each time", async () => {
  const { build, folder, edit } = remembering();
  edit("CREATE VIEW seen AS SELECT * FROM users WHERE date_joined < strftime('%Y', 'now')");
  const query = join(folder, "query.sql");
  writeFileSync(query, "SELECT * FROM users WHERE date_joined < strftime('%Y', 'now')");
  for (const more of [{ table: "seen" }, { query }, { table: "seen" }, { table: "seen" }, { query }, { query }])
    expect(await build(more)).toMatchObject({ isRead: true });
});

test.each<[string, Partial<BuildOptions>]>([
  ["base URL", { baseUrl: "https://other.example.com" }],
  ["page size", { pageSize: 11 }],
  ["encodings", { encodings: ["br"] }],
  ["further file", { extraFiles: [{ path: "_headers", text: "/*" }] }],
  ["text of the contract", { contract: { ...USERS_CONTRACT.file, title: "Person" } }],
])("another %s is another release", async (_, more) => {
  const { build } = remembering();
  const { name } = await build({ workers: 1 });
  const other = await build(more);
  expect(other).toMatchObject({ isRead: true, isNew: true });
  expect(other).not.toMatchObject({ name });
  expect(await build(more)).toMatchObject({ isRead: false });
  expect(await build()).toMatchObject({ isRead: true, isNew: false, name });
  expect(await build()).toMatchObject({ isRead: false });
});

test("a file of the current release that was damaged is made anew, whatever it is", async () => {
  const { build, out } = remembering({ encodings: ["gzip"] });
  await build();
  for (const path of [
    "api/users/pages/3.json",
    "api/users/pages/5.json.gz",
    "avatar.svg",
    "contract.json",
    "records.sha256",
    "snapshot.json",
    "SHA256SUMS",
  ]) {
    const file = join(out, "current", path);
    truncateSync(file, 10);
    expect(await build(), path).toMatchObject({ isRead: true, isNew: true });
    expect(await build(), path).toMatchObject({ isRead: false });
  }
});

test("problems are told each time, and none when there are none", async () => {
  const { build, edit, folder, origin } = remembering({ skipInvalid: true });
  const problemsFile = join(folder, "problems.ndjson");
  edit("UPDATE users SET country = 'nowhere' WHERE rowid = 9");
  for (let turn = 0; turn < 2; turn++) {
    expect(await build({ problemsFile })).toMatchObject({ isRead: true, skipped: 1 });
    expect(readFileSync(problemsFile, "utf8")).toContain("nowhere");
  }
  expect(existsSync(origin)).toBe(false);
  edit("UPDATE users SET country = 'XX' WHERE rowid = 9");
  await build({ problemsFile: undefined });
  expect(await build({ problemsFile })).toMatchObject({ isRead: false, skipped: 0 });
  expect(readFileSync(problemsFile, "utf8")).toBe("");
});

test("nothing of a build is remembered that was refused, by the contract or by a gate", async () => {
  const { build, edit } = remembering();
  await build();
  edit("UPDATE users SET country = 'nowhere' WHERE rowid = 9");
  expect(await build()).toMatchObject({ isRefused: true });
  expect(await build()).toMatchObject({ isRefused: true });
  edit("DELETE FROM users WHERE rowid = 9");
  await expect(build({ gates: { maxRemoved: "0" } })).rejects.toThrow("1 of 120 users removed");
  expect(await build()).toMatchObject({ isRead: true, isSwitched: true });
});

test.each<[string, (file: string) => void]>([
  ["gone", (file) => rmSync(file)],
  ["cut short", (file) => truncateSync(file, 100)],
  ["empty", (file) => truncateSync(file, 0)],
  ["null", (file) => writeFileSync(file, "null")],
  ["of another release", (file) => writeFileSync(file, readFileSync(file, "utf8").replace(/(?<="release":")./, "x"))],
  [
    "a pipe",
    (file) => {
      rmSync(file);
      execFileSync("mkfifo", [file]);
    },
  ],
])("what is remembered and is %s says nothing", async (_, spoil) => {
  const { build, origin } = remembering();
  const { name } = await build();
  spoil(origin);
  expect(await build()).toMatchObject({ isRead: true, name });
  expect(await build()).toMatchObject({ isRead: false, name });
});

test("nothing is read or written through a link in its place", async () => {
  const { build, origin, folder } = remembering();
  await build();
  const elsewhere = join(folder, "elsewhere");
  renameSync(origin, elsewhere);
  symlinkSync(elsewhere, origin);
  writeFileSync(`${elsewhere}.mine`, "mine");
  symlinkSync(`${elsewhere}.mine`, `${origin}.new`);
  expect(await build()).toMatchObject({ isRead: true });
  expect(readFileSync(`${elsewhere}.mine`, "utf8")).toBe("mine");
  expect(await build()).toMatchObject({ isRead: false });
});

test("a lock that the same process has on the source outlasts a build", async () => {
  const { build, db } = remembering();
  const reader = new Database(db, { readonly: true });
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  await build();
  await build();
  const write = `const db = new (require("better-sqlite3"))(process.argv[1], { timeout: 0 });
    try { db.exec("UPDATE users SET bio = 'Written.'"); console.log("written"); } catch (error) { console.log(error.code); }`;
  expect(execFileSync(process.execPath, ["-e", write, db], { encoding: "utf8" }).trim()).toBe("SQLITE_BUSY");
});
