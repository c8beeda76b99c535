/** The file of a source: the same for all connections of a build, with locks that stay when one of them closes. */
import { execFileSync } from "node:child_process";
import { copyFileSync, linkSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { connect, SourceFile } from "../../src/source/file.js";
import { openSource } from "../../src/source/open.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

let folder: string;
let db: string;
/** Another file, which replaces the first. */
let newer: string;

beforeEach(() => {
  folder = scratch();
  db = writeUsers(join(folder, "users.sqlite"), plainRows(40));
  newer = writeUsers(join(folder, "newer.sqlite"), plainRows(41));
});

describe("one file for all connections", () => {
  test("a connection that was opened while the path led elsewhere for a moment is noticed", () => {
    const kept = join(folder, "kept.sqlite");
    linkSync(db, kept);
    const file = new SourceFile(db);
    file.note();
    renameSync(newer, db);
    const other = connect(db, 0);
    renameSync(kept, db);
    expect(file.isOne(0)).toBe(true);
    expect(file.isOne(1)).toBe(false);
    const right = connect(db, 0);
    expect(file.isOne(1)).toBe(true);
    expect(file.isOne(2)).toBe(false);
    for (const connection of [other, right]) connection.close();
    file.close();
  });

  test("a file that takes the place of one that was removed is another, though it may get its inode", () => {
    const file = new SourceFile(db);
    file.note();
    rmSync(db);
    copyFileSync(newer, db);
    expect(file.isOne(0)).toBe(false);
    file.close();
  });

  test("a commit, or a new file, between two looks", () => {
    const file = new SourceFile(db);
    file.note();
    expect(file.isAsNoted(0)).toBe(true);
    const writer = writeUsers(join(folder, "other.sqlite"), plainRows(1));
    renameSync(writer, db);
    expect(file.isAsNoted(0)).toBe(false);
    file.close();
  });
});

test("two readers of one source in one process: the first to end leaves the other its locks", () => {
  const options = { db, contract: USERS_CONTRACT, defaultAvatar: "https://a.example/a.png" };
  const [first, second] = [openSource(options), openSource(options)];
  first.close();
  expect(writeElsewhere).toThrow("database is locked");
  second.close();
  writeElsewhere();
});

/** Writes from another process, which does not wait, since locks belong to a process. */
function writeElsewhere(): void {
  const script = `new (require("better-sqlite3"))(process.argv[1], { timeout: 0 }).exec("UPDATE users SET bio = 'later'")`;
  execFileSync(process.execPath, ["-e", script, db], { stdio: "pipe" });
}
