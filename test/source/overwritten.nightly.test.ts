/** A source that is overwritten in place, or has the log of another file: this is noticed, and not confused with SQLite's own writes. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type BuildOptions, build } from "rollcall";
import { beforeEach, describe, expect, test } from "vitest";
import { plainRows, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

const INDEX = "CREATE INDEX users_in_order ON users (date_joined DESC, id)";
const USERS = 5000;

let folder: string;
let db: string;
let newer: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
  newer = join(folder, "newer.sqlite");
});

function writeVersion(file: string, bio: string, mode = "delete"): void {
  const rows = plainRows(USERS).map((row) => ({ ...row, bio }));
  writeUsers(file, rows, `${INDEX}; PRAGMA journal_mode = ${mode}`);
}

/** Builds. `meanwhile` is called once, when some users have been read, or as many as are given. */
async function buildBeside(meanwhile: () => void, options: Partial<BuildOptions> = {}, after = 1) {
  let isDone = false;
  const onProgress = ({ records }: { records: number }) => {
    if (isDone || records < after) return;
    isDone = true;
    meanwhile();
  };
  return build({ db, out: join(folder, "dist"), baseUrl: "https://a.example", ...options }, { onProgress });
}

/** A build that must refuse and leave the current release as it is. */
async function expectRefused(meanwhile: () => void, options: Partial<BuildOptions> = {}): Promise<void> {
  await expect(buildBeside(meanwhile, options)).rejects.toMatchObject({
    name: "UserError",
    exitCode: 1,
    message: `${db} was written over while it was read, by something other than SQLite, so nothing was published; put the new file beside it first and rename it ("mv new.sqlite ${db}"), then run this again.`,
  });
  expect(existsSync(join(folder, "dist/current"))).toBe(false);
}

const WAYS: [string, () => void][] = [
  ["copied over", () => copyFileSync(newer, db)],
  ["cut", () => truncateSync(db, 100_000)],
  ["emptied", () => truncateSync(db, 0)],
  [
    "written over with as many bytes and the same time",
    () => {
      const { atime, mtime } = statSync(db);
      writeFileSync(db, readFileSync(newer), { flag: "r+" });
      utimesSync(db, atime, mtime);
    },
  ],
];

describe.each([0, 2])("%s workers", (workers) => {
  test.each(WAYS)("the file is %s while it is read: one line, and nothing is published", async (_, change) => {
    writeVersion(db, "old");
    writeVersion(newer, "new");
    await expectRefused(change, { workers });
  });

  test.each(["empty", "in use"])("a file in WAL mode, whose log is %s, is copied over", async (log) => {
    writeVersion(db, "old", "wal");
    writeVersion(newer, "new");
    const writer = new Database(db);
    writer.pragma("wal_autocheckpoint = 0");
    if (log === "in use") writer.exec("UPDATE users SET bio = 'later' WHERE rowid % 2");
    await expectRefused(() => copyFileSync(newer, db), { workers });
    writer.close();
  });

  test("what SQLite does to a file in WAL mode is no reason to refuse", async () => {
    writeVersion(db, "old", "wal");
    const writer = new Database(db);
    writer.pragma("wal_autocheckpoint = 0");
    writer.exec("UPDATE users SET bio = 'later'");
    const before = statSync(db, { bigint: true }).mtimeNs;
    const { folder: release } = await buildBeside(
      () => {
        writer.exec(`UPDATE users SET bio = 'latest' WHERE id = '${userId(0)}'`);
        writer.pragma("wal_checkpoint(PASSIVE)");
      },
      { workers },
    );
    expect(statSync(db, { bigint: true }).mtimeNs, "the log was copied to the file").not.toBe(before);
    expect(readFileSync(join(release, "api/users/pages/50.json"), "utf8")).toContain('"bio":"later"');
    writer.close();
  });

  test("nor is a new name, owner or place, or another file in its place", async () => {
    writeVersion(db, "old");
    writeVersion(newer, "new");
    const change = () => {
      chmodSync(db, 0o600);
      linkSync(db, join(folder, "second name"));
      renameSync(newer, db);
    };
    const { folder: release } = await buildBeside(change, { workers });
    expect(readFileSync(join(release, "api/users/pages/50.json"), "utf8")).toContain('"bio":"old"');
  });

  test("a writer that keeps to SQLite's locks waits", async () => {
    writeVersion(db, "old");
    await buildBeside(() => expect(writeElsewhere).toThrow("database is locked"), { workers });
    writeElsewhere();
  });
});

test("a file that is copied over before threads have opened it", async () => {
  writeVersion(db, "old");
  writeVersion(newer, "new");
  const { folder: release } = await buildBeside(() => copyFileSync(newer, db), { workers: 2 }, 0);
  expect(readFileSync(join(release, "api/users/pages/50.json"), "utf8")).toContain('"bio":"new"');
});

test("invalid users of a file that was written over are not told: the file is", async () => {
  writeVersion(db, "old");
  writeVersion(newer, "new");
  const other = new Database(newer);
  other.exec(`UPDATE users SET country = 'nowhere' WHERE id = '${userId(USERS - 1)}'`);
  other.close();
  await expectRefused(() => copyFileSync(newer, db), { workers: 2 });
});

test("the log of another file that had the name is not mixed into a new one", async () => {
  writeVersion(db, "old", "wal");
  writeVersion(newer, "new");
  const writer = new Database(db);
  writer.exec("UPDATE users SET bio = 'later'");
  renameSync(newer, db);
  await expect(buildBeside(() => {})).rejects.toMatchObject({
    name: "UserError",
    message: `${db}-wal is no log of ${db}, but of another file that had its name, and SQLite would mix the two; end the programs that have that file open, remove ${db}-wal and its -shm, then run this again.`,
  });
  writer.close();
});

/** Writes from another process, which does not wait, since locks belong to a process. */
function writeElsewhere(): void {
  const script = `new (require("better-sqlite3"))(process.argv[1], { timeout: 0 }).exec("UPDATE users SET bio = 'later'")`;
  execFileSync(process.execPath, ["-e", script, db], { stdio: "pipe" });
}
