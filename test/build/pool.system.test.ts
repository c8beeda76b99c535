/** Several threads give the results of one thread: the same bytes for valid users, the same problems for others. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { type BuildOptions, build, InvalidRecordsError } from "rollcall";
import { describe, expect, test } from "vitest";
import { plainRows, userId, writeUsers } from "../support/database.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { anyUser, toRow } from "../support/users.js";

const ORDER_INDEX = "CREATE INDEX users_order ON users (date_joined DESC, id)";
const BASE = { baseUrl: "https://directory.example.com", pageSize: 3 };

/** The result of a build: the files of its release, or its problems. */
async function outcome(db: string, options: Partial<BuildOptions>) {
  try {
    const { folder, warnings, skipped } = await build({ db, out: scratch(), ...BASE, ...options });
    return { files: readTree(folder), warnings, skipped };
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    return { problems: error.problems };
  }
}

async function expectSame(db: string, options: Partial<BuildOptions> = {}) {
  const alone = await outcome(db, { ...options, workers: 0 });
  for (const workers of [undefined, 1, 3]) expect(await outcome(db, { ...options, workers })).toEqual(alone);
  return alone;
}

describe.each([
  ["by an index", ORDER_INDEX],
  ["without one", ""],
])("rows found %s", (_, sql) => {
  test("any valid users", { timeout: 120_000 }, async () => {
    const users = fc.uniqueArray(anyUser, { minLength: 1, maxLength: 20, selector: ({ id }) => id });
    await fc.assert(
      fc.asyncProperty(users, async (made) => {
        const db = writeUsers(join(scratch(), "users.sqlite"), made.map(toRow), sql);
        expect(await expectSame(db)).toHaveProperty("files");
      }),
      { numRuns: 25 },
    );
  });

  test("users that all joined in one moment, more of them than a page holds", async () => {
    const rows = plainRows(20).map((row, at) => ({
      ...row,
      ...(at < 15 && { date_joined: "2026-01-01T00:00:00.000000Z" }),
    }));
    const { files } = await expectSame(writeUsers(join(scratch(), "users.sqlite"), rows, sql));
    expect(files?.size).toBe(7 + 6);
  });

  test("names made of names: every white space that trim knows, and those that it does not", async () => {
    const blanks = [
      9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x180e, 0x200b, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
    ];
    const codes = [...blanks, ...Array.from({ length: 11 }, (_, at) => 0x2000 + at)];
    const rows = codes.map((code, at) => {
      const blank = String.fromCodePoint(code);
      return {
        ...plainRows(100)[at],
        display_name: null,
        first_name: `${blank}Ada${blank}`,
        last_name: `Lovelace${blank}`,
      };
    });
    await expectSame(
      writeUsers(
        join(scratch(), "users.sqlite"),
        [...rows, { id: userId(999), display_name: null, first_name: "", last_name: "" }],
        sql,
      ),
    );
  });
});

test("an invalid user anywhere: the same problems, in the same order", async () => {
  const rows = plainRows(60).map((row, at) => ({ ...row, ...(at % 17 === 5 && { country: `x${at}` }) }));
  const folder = scratch();
  const invalid = writeUsers(join(folder, "invalid.sqlite"), rows, ORDER_INDEX);
  expect(await expectSame(invalid)).toMatchObject({ problems: { records: 4 } });
  expect(await expectSame(invalid, { skipInvalid: true })).toMatchObject({ skipped: 4 });
  const repeated = writeUsers(join(folder, "repeated.sqlite"), [...plainRows(60), { id: userId(30) }], ORDER_INDEX);
  expect(await expectSame(repeated)).toMatchObject({ problems: { records: 2 } });
});

test("warnings are counted, also on pages that the last release has already", async () => {
  const rows = plainRows(30).map((row, at) => ({
    ...row,
    wac_status: at % 4,
    off_chain_tokens: at === 7 ? 5 : 4,
  }));
  const db = writeUsers(join(scratch(), "users.sqlite"), rows, ORDER_INDEX);
  const out = scratch();
  const first = await build({ db, out, ...BASE, workers: 2 });
  expect(first.warnings).toEqual({ wac_status: 22, tokens_do_not_add_up: 1 });
  expect(await build({ db, out, ...BASE, workers: 2 })).toMatchObject({
    isNew: false,
    warnings: first.warnings,
  });
  expect(await build({ db, out, ...BASE, workers: 0 })).toMatchObject({
    isNew: false,
    warnings: first.warnings,
  });
});

test("unchanged pages are linked, changed ones written, damaged ones mended, compressed or not", async () => {
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(30), ORDER_INDEX);
  const out = scratch();
  const options = { db, out, ...BASE, encodings: ["gzip", "br"] as const };
  const first = await build({ ...options, workers: 2 });
  expect(first).toMatchObject({ isNew: true, linked: 0, pages: 10 });
  const file = new Database(db);
  file.exec(`UPDATE users SET bio = 'changed' WHERE id = '${userId(4)}'`);
  file.close();
  writeFileSync(join(first.folder, "api/users/pages/7.json.gz"), "damaged");
  const index = readFileSync(join(first.folder, "records.sha256"), "utf8");
  writeFileSync(join(first.folder, "records.sha256"), index.replaceAll(/[0-9a-f]{32} {2}/g, `${"0".repeat(32)}  `));
  const second = await build({ ...options, workers: 2 });
  expect(second).toMatchObject({ isNew: true, linked: 30 - 3 - 1 });
  expect(await build({ ...options, workers: 3 })).toMatchObject({ isNew: false, id: second.id });
  expect(await build({ ...options, out: scratch(), workers: 0 })).toMatchObject({ id: second.id });
  checkSums(second.folder);
});

test("a query, a view, a table without row ids: read by one thread, with the same result", async () => {
  const sql = `CREATE VIEW everyone AS SELECT * FROM users; CREATE TABLE bare (${columnNames()}, PRIMARY KEY (id)) WITHOUT ROWID;
    INSERT INTO bare SELECT * FROM users`;
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(10), sql);
  const users = await expectSame(db);
  expect(await expectSame(db, { table: "everyone" })).toEqual(users);
  expect(await expectSame(db, { table: "bare" })).toEqual(users);
});

function columnNames(): string {
  const db = new Database(writeUsers(join(scratch(), "columns.sqlite"), []));
  return db.prepare("SELECT name FROM pragma_table_info('users')").pluck().all().join(", ");
}

test("a source that is damaged in the middle: one line to act on, as from one thread", async () => {
  const db = writeUsers(join(scratch(), "users.sqlite"), plainRows(2000), ORDER_INDEX);
  const bytes = readFileSync(db);
  bytes.fill(0xa5, 150_000, 350_000);
  writeFileSync(db, bytes);
  for (const workers of [0, 2]) {
    await expect(build({ db, out: scratch(), ...BASE, workers })).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("is damaged; check it with"),
    });
  }
});
