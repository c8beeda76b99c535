/** How reading handles SQLite's types. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import type { ContractFile } from "../../../src/core/contract/file/form.js";
import { build, InvalidRecordsError } from "../../../src/index.js";
import { initialize } from "../../../src/init/init.js";
import { readCandidates } from "../../support/candidates.js";
import { plainRows, type Row, runSql, userId, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { draws } from "../../support/random.js";
import { contractOfThings, publishThings } from "../compare/things.js";

let folder: string;
let db: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
});

const publish = () => build({ db, dist: join(folder, "dist"), baseUrl: "https://directory.example.com" });

async function problems() {
  const refused = await publish().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InvalidRecordsError);
  return (refused as InvalidRecordsError).problems.first.map(({ path, value }) => [path, value]);
}

test("text in an integer column becomes an integer only if SQLite converts it", async () => {
  writeUsers(db, [{ id: userId(1), referrals_count: "7" }]);
  await publish();
  const page = readFileSync(join(folder, "dist/current/api/users/pages/1.json"), "utf8");
  expect(JSON.parse(page).results[0].referrals_count).toBe(7);
});

test.each([
  ["9007199254740991", 9007199254740991n, undefined],
  ["2^53", 9007199254740992n, { integer: "9007199254740992" }],
  ["the largest", 9223372036854775807n, { integer: "9223372036854775807" }],
  ["the smallest", -9223372036854775808n, { integer: "-9223372036854775808" }],
])("an integer at or beyond 2^53: %s", async (_, value, refused) => {
  writeUsers(db, [{ id: userId(1), wac_status: value }]);
  if (refused === undefined) expect((await publish()).records).toBe(1);
  else expect(await problems()).toEqual([["wac_status", refused]]);
});

test("finds invalid UTF-8 anywhere, and accepts a real replacement character", async () => {
  const bad = ["c3", "c328", "a0", "eda080", "f0288cbc", "f8a1a1a1a1", "efbfbd80", "6180", "f09f98"];
  const rows: Row[] = plainRows(3000).map((row, number) => ({
    ...row,
    bio: number % 7 === 0 ? "was \uFFFD here" : "plain",
  }));
  const damage = bad.map(
    (hex, index) => `UPDATE users SET bio = CAST(x'${hex}' AS TEXT) WHERE id = '${userId(200 * index + 3)}'`,
  );
  writeUsers(db, rows, damage.join(";"));
  const found = await publish().catch((error: unknown) => error);
  expect(found).toBeInstanceOf(InvalidRecordsError);
  expect((found as InvalidRecordsError).problems.first.map(({ id, path }) => [id, path])).toEqual(
    bad.map((_, index) => [userId(200 * index + 3), "bio"]),
  );
});

test("order and conditions are by bytes of UTF-8", async () => {
  const fields = { size: undefined, kind: undefined, note: undefined, Note: { type: "string" } } as const;
  const things = contractOfThings(fields, { order: ["-Note", "key"] });
  const contract = contractOf({ ...things, "x-observed": [{ name: "late", sql: "Note >= 'Ω'" }] });
  const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom("a", "B", "c"));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 12 }), async (notes) => {
      const path = join(folder, "things.sqlite");
      rmSync(path, { force: true });
      const file = new Database(path);
      file.exec("PRAGMA synchronous = OFF; CREATE TABLE things (key TEXT, Note TEXT COLLATE NOCASE)");
      for (const [at, note] of notes.entries()) file.prepare("INSERT INTO things VALUES (?, ?)").run(`${at}`, note);
      file.close();
      const candidates = await readCandidates({ db: path, contract });
      const found = candidates.map(({ record, unmet }) => [(record as { Note: string }).Note, unmet]);
      const sorted = notes.toSorted((one, other) => compare(other, one));
      expect(found).toEqual(sorted.map((note) => [note, compare(note, "Ω") < 0 ? ["late"] : []]));
    }),
    { numRuns: draws(150) },
  );
});

test("columns of a collation that only their program has are read", async () => {
  const rows = ["('a', 'x')", "('B', '2026/01/31')", "('A', 'x')"];
  runSql(
    db,
    `CREATE TABLE things (id TEXT COLLATE NOCASE, note TEXT COLLATE NOCASE); INSERT INTO things VALUES ${rows}`,
  );
  const file = new Database(db).unsafeMode();
  file.pragma("writable_schema = ON");
  file.exec("UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'theirs')");
  file.close();
  const { found } = await initialize({ folder, from: db });
  expect(found?.key.field).toBe("id");
  const candidates = await readCandidates({
    db,
    contract: contractOf(found?.contract as ContractFile),
    table: "things",
  });
  expect(candidates.map(({ id }) => id)).toEqual(["A", "B", "a"]);
});

test("columns that differ only by the case of letters beyond ASCII are different, as in SQLite", async () => {
  const contract = contractOfThings({ "\u00c9": { type: "string" }, "\u00e9": { type: "string" } });
  const things = [{ key: "1", size: 1, note: "n", kind: "a", "\u00c9": "upper", "\u00e9": "lower" }];
  const { folder: release } = await publishThings(folder, contract, things);
  const page = JSON.parse(readFileSync(join(release, "things/pages/1.json"), "utf8"));
  expect(page.results).toMatchObject([{ "\u00c9": "upper", "\u00e9": "lower" }]);
});

describe("an INTEGER that JSON readers would round", () => {
  const contract = contractOfThings(
    { size: undefined, kind: { type: ["string", "null"] }, note: { type: "string" } },
    { order: ["-note", "key"] },
  );
  const things = [
    { key: 10n ** 18n, note: -(2n ** 53n), kind: null },
    { key: "1", note: 9007199254740993n, kind: 2n ** 62n },
    { key: "9", note: "9", kind: null },
  ];

  test("is its digits where the field is a string, also for the order", async () => {
    const { folder: release } = await publishThings(folder, contract, things);
    const page = JSON.parse(readFileSync(join(release, "things/pages/1.json"), "utf8"));
    expect(page.results).toEqual([
      { key: "1", kind: "4611686018427387904", note: "9007199254740993" },
      { key: "9", kind: null, note: "9" },
      { key: "1000000000000000000", kind: null, note: "-9007199254740992" },
    ]);
  });

  test("is the same key as the text of its digits", async () => {
    const more = [...things, { key: "1000000000000000000", note: "", kind: null }];
    await expect(publishThings(folder, contract, more)).rejects.toMatchObject({
      problems: { records: 2, first: [{ message: "must be unique" }, { message: "must be unique" }] },
    });
  });

  test("is a problem in any other field, and so are other numbers in a string", async () => {
    const bad = [
      { key: "a", note: 2n ** 53n - 1n, kind: null },
      { key: "b", note: 5n, kind: null },
      { key: "c", note: "", kind: 2n ** 53n },
    ];
    const other = contractOfThings({ size: undefined, kind: { type: ["integer", "null"] } }, { order: ["key"] });
    const refused = await publishThings(folder, other, bad).catch((error: unknown) => error);
    const { first } = (refused as InvalidRecordsError).problems;
    expect(first.map(({ id, path, value }) => [id, path, value])).toEqual([
      ["a", "note", Number.MAX_SAFE_INTEGER],
      ["b", "note", 5],
      ["c", "kind", { integer: "9007199254740992" }],
    ]);
  });

  test("is the same from a view over columns of any type", async () => {
    db = join(folder, "view.sqlite");
    const file = new Database(db);
    file.exec(`CREATE TABLE stored (key TEXT COLLATE NOCASE, note INT, kind BLOB);
      INSERT INTO stored VALUES ('1', 9007199254740993, 1e300), ('9', 10, NULL);
      CREATE VIEW things AS SELECT key, CASE WHEN note = 10 THEN '9' ELSE note END AS note, kind FROM stored`);
    file.close();
    const candidates = await readCandidates({ db, contract: contractOf(contract) });
    expect(candidates.map(({ record }) => record)).toEqual([
      { key: "1", kind: expect.objectContaining({ storage: "REAL" }), note: "9007199254740993" },
      { key: "9", kind: null, note: "9" },
    ]);
  });
});

test("reads only the contract's columns", async () => {
  writeUsers(
    db,
    plainRows(5).map((row) => ({ ...row, password: "pbkdf2$secret" })),
  );
  await publish();
  for (const [path, text] of readTree(join(folder, "dist"))) expect(text, path).not.toContain("secret");
  // Beside the releases, dist lists the names of the source's columns.
  for (const [path, text] of readTree(join(folder, "dist/releases"))) expect(text, path).not.toContain("password");
});

test("changes no byte of the source, and no file beside it", async () => {
  writeUsers(db, plainRows(5));
  const before = readFileSync(db);
  await publish();
  expect(readFileSync(db).equals(before)).toBe(true);
  expect([...readTree(folder).keys()].filter((path) => !path.startsWith("dist/"))).toEqual(["users.sqlite"]);
});

test("refuses a BLOB that SQLite would read as JSON", async () => {
  const rows = plainRows(3).map((row, at) => ({ ...row, bio: at === 1 ? Buffer.from("37616263", "hex") : "abc" }));
  writeUsers(db, rows);
  expect(await problems()).toEqual([["bio", { blob: "37616263" }]]);
});
