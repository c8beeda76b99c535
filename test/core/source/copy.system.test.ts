/** A source that changes while it is copied: replaced, overwritten, or written to by SQLite. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { copySource, copyTables } from "../../../src/core/source/copy.js";
import { copyColumn } from "../../../src/core/source/published.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";

const USERS = 2000;

let folder: string;
let db: string;
let newer: string;
let to: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
  newer = join(folder, "newer.sqlite");
  to = join(folder, "copy.sqlite");
});

function writeVersion(file: string, bio: string, mode = "delete"): void {
  const rows = plainRows(USERS).map((row) => ({ ...row, bio }));
  writeUsers(file, rows, `PRAGMA journal_mode = ${mode}`);
}

/** Copies a source. @param meanwhile is called after the transaction began, before a row is read. @returns the values of a column. */
function copyBeside(meanwhile: () => void, query?: string): unknown[] {
  const rowsOf = (rows: number) => {
    meanwhile();
    return { before: 0, rows };
  };
  const options = { db, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png", query, rowsOf };
  copySource(db, new Map([["", options]]), to);
  const copy = new Database(to, { readonly: true });
  try {
    return copy
      .prepare(`SELECT DISTINCT ${copyColumn("bio")} FROM ${copyTables(0).records}`)
      .pluck()
      .all();
  } finally {
    copy.close();
  }
}

const WAYS: [string, () => void][] = [
  ["copied over", () => copyFileSync(newer, db)],
  [
    "written over with as many bytes and the same time",
    () => {
      const { atime, mtime } = statSync(db);
      writeFileSync(db, readFileSync(newer), { flag: "r+" });
      utimesSync(db, atime, mtime);
    },
  ],
];

test.each(WAYS)("copies a file again that is %s once; refuses one that always is", (_, change) => {
  writeVersion(db, "old");
  writeVersion(newer, "new");
  let times = 0;
  const copied = copyBeside(() => {
    if (times++ === 0) change();
  });
  expect([copied, times]).toEqual([["new"], 2]);
  expect(() => copyBeside(change)).toThrow(
    `${db} changed while it was read, 3 times, so nothing was published; run this again`,
  );
});

test.each([
  ["cut", 100_000],
  ["emptied", 0],
])("refuses a file that is %s, and names it", (_, length) => {
  writeVersion(db, "old");
  expect(() => copyBeside(() => truncateSync(db, length))).toThrow(db);
});

test("refuses a file in WAL mode that is copied over while its log is empty", () => {
  writeVersion(db, "old", "wal");
  writeVersion(newer, "new");
  const writer = new Database(db);
  writer.pragma("wal_autocheckpoint = 0");
  expect(() => copyBeside(() => copyFileSync(newer, db))).toThrow(db);
  writer.close();
});

test("accepts what SQLite does to a file in WAL mode", () => {
  writeVersion(db, "old", "wal");
  const writer = new Database(db);
  writer.pragma("wal_autocheckpoint = 0");
  writer.exec("UPDATE users SET bio = 'later'");
  const before = statSync(db, { bigint: true }).mtimeNs;
  const copied = copyBeside(() => {
    writer.exec("UPDATE users SET bio = 'latest' WHERE rowid = 3");
    writer.pragma("wal_checkpoint(PASSIVE)");
  });
  expect(statSync(db, { bigint: true }).mtimeNs, "the log was copied to the file").not.toBe(before);
  expect(copied).toEqual(["later"]);
  writer.close();
});

test("accepts a new name, owner or place, or another file in its place", () => {
  writeVersion(db, "old");
  writeVersion(newer, "new");
  const change = () => {
    chmodSync(db, 0o600);
    linkSync(db, join(folder, "second name"));
    renameSync(newer, db);
  };
  expect(copyBeside(change)).toEqual(["old"]);
  expect(copyBeside(() => rmSync(db))).toEqual(["new"]);
});

test("a writer that uses SQLite's locks waits", () => {
  writeVersion(db, "old");
  copyBeside(() => expect(writeElsewhere).toThrow("database is locked"));
  writeElsewhere();
});

test("a copy keeps the locks of its process on the source", () => {
  writeVersion(db, "old");
  const own = new Database(db, { readonly: true });
  own.exec("BEGIN; SELECT 1 FROM users");
  copyBeside(() => {});
  expect(writeElsewhere).toThrow("database is locked");
  own.close();
  writeElsewhere();
});

test("does not mix the log of an earlier file into a new one", () => {
  writeVersion(db, "old", "wal");
  writeVersion(newer, "new");
  const writer = new Database(db);
  writer.exec("UPDATE users SET bio = 'later'");
  renameSync(newer, db);
  expect(() => copyBeside(() => {})).toThrow(
    `${db}-wal does not belong to ${db}, but to another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${db}-wal and its -shm, then run this again.`,
  );
  writer.close();
});

test("a query reads the source as main, and the log of a writer that has ended is neither moved nor removed", () => {
  writeVersion(db, "old", "wal");
  const script = `const db = new (require("better-sqlite3"))(process.argv[1]); db.pragma("wal_autocheckpoint = 0");
    db.exec("UPDATE users SET bio = 'later'"); process.kill(process.pid, "SIGKILL")`;
  expect(() => execFileSync(process.execPath, ["-e", script, db], { stdio: "pipe" })).toThrow();
  const [file, log] = [readFileSync(db), readFileSync(`${db}-wal`)];
  const query = join(folder, "query.sql");
  writeFileSync(query, "SELECT * FROM main.users");
  expect(copyBeside(() => {}, query)).toEqual(["later"]);
  expect([readFileSync(db).equals(file), readFileSync(`${db}-wal`).equals(log)]).toEqual([true, true]);
});

/** Writes from another process without waiting, since locks belong to a process. */
function writeElsewhere(): void {
  const script = `new (require("better-sqlite3"))(process.argv[1], { timeout: 0 }).exec("UPDATE users SET bio = 'later'")`;
  execFileSync(process.execPath, ["-e", script, db], { stdio: "pipe" });
}
