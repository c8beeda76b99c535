/** The committed sample: made again byte for byte, valid throughout, and with every trait that tests rely on. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HARD_TEXT } from "../../scripts/sample/hard-text.js";
import { CREATE_USERS, type UserRow } from "../../scripts/sample/schema.js";
import { sampleUsers } from "../../scripts/sample/users.js";
import { writeUsers } from "../../scripts/sample/write.js";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { recordCheck } from "../../src/contract/record/schema.js";
import { fieldObserver, type WarningCounts } from "../../src/contract/record/warnings.js";
import { USERS, type User } from "../../src/contract/users.js";
import { UserError } from "../../src/errors.js";
import type { Candidate } from "../../src/source/candidates.js";
import { openSource } from "../../src/source/open.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SAMPLE = join(ROOT, "data/users.sqlite");
const AVATAR = "https://media.example.com/default.png";

let folder: string;
let rows: UserRow[];
let candidates: Candidate[];
let users: User[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-sample-"));
  const db = new Database(SAMPLE, { readonly: true });
  rows = db.prepare<[], UserRow>("SELECT * FROM users ORDER BY rowid").all();
  db.close();
  const source = openSource({ db: SAMPLE, contract: USERS_CONTRACT, defaultAvatar: AVATAR });
  candidates = [...source.candidates()];
  source.close();
  users = candidates.map(({ record }) => record as User);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("the script", () => {
  test("makes the committed sample again, wherever and whenever it runs", async () => {
    const out = join(folder, "again.sqlite");
    const { stderr } = await sample(["--users", "1000", "--out", out], {
      TZ: "Asia/Kathmandu",
      LC_ALL: "tr_TR.UTF-8",
    });
    const hint =
      "after a new version of faker or better-sqlite3: npm run sample -- --users 1000 --out data/users.sqlite --force";
    expect(withoutVersion(out).equals(withoutVersion(SAMPLE)), hint).toBe(true);
    expect(stderr).toMatch(/again\.sqlite: 1000 users, \d+ bytes, \d+\.\d s\n$/);
    expect(readdirSync(folder).filter((name) => name.startsWith("again"))).toEqual(["again.sqlite"]);
  });

  test("makes other users from another seed, and the same from the same, past one transaction", () => {
    const [twoA, twoB, three] = [write(21_000, 2), write(21_000, 2), write(21_000, 3)];
    expect(readFileSync(twoA).equals(readFileSync(twoB))).toBe(true);
    expect(new Set([...idsOf(twoA), ...idsOf(three)]).size).toBe(42_000);
  });

  test.each([0, 1])("makes a file of %i users", (count) => {
    expect(idsOf(write(count, 1)).size).toBe(count);
  });

  test("replaces a file only with --force, and never one that is in use", async () => {
    const out = join(folder, "precious");
    writeFileSync(out, "mine");
    await expect(sample(["--users", "1", "--out", out])).rejects.toMatchObject({
      code: 1,
      stderr: `${out} exists; give another --out, or --force to replace it.\n`,
    });
    for (const log of [`${out}-wal`, `${out}-journal`]) {
      writeFileSync(log, "");
      expect(() => writeUsers(sampleUsers(1, 1), out, { force: true })).toThrow(`${log} exists`);
      rmSync(log);
    }
    expect(readFileSync(out, "utf8")).toBe("mine");
    await sample(["--users", "1", "--out", out, "--force"]);
    expect(idsOf(out).size).toBe(1);
  });

  test("leaves nothing behind when it fails", () => {
    const out = join(folder, "failed");
    const twice = function* () {
      const [user] = sampleUsers(1, 1);
      if (user) yield* [user, user];
    };
    expect(() => writeUsers(twice(), out, { force: false })).toThrow("UNIQUE");
    expect(readdirSync(folder).filter((name) => name.startsWith("failed"))).toEqual([]);
  });

  test.each([
    ["--users -1", ["--users", "-1", "--out", "x"]],
    ["--users 1e3", ["--users", "1e3", "--out", "x"]],
    ["--users 50000001", ["--users", "50000001", "--out", "x"]],
    ["an unknown flag", ["--users", "1", "--out", "x", "--sed", "2"]],
  ])("refuses %s as a usage error", async (_, args) => {
    await expect(sample(args)).rejects.toMatchObject({ code: 2 });
  });

  test("says so when the folder is not there", () => {
    const nowhere = join(folder, "nowhere");
    const failing = () => writeUsers([], join(nowhere, "users.sqlite"), { force: false });
    expect(failing).toThrow(new UserError(`There is no folder ${nowhere}; make it first.`));
  });
});

describe("the sample", () => {
  test("has 1,000 valid users and nothing to warn of", () => {
    const warnings: WarningCounts = {};
    const [check, observe] = [recordCheck(USERS_CONTRACT), fieldObserver(USERS_CONTRACT)];
    expect(candidates.flatMap(({ record, unmet }) => [...check(record), ...unmet])).toEqual([]);
    for (const user of users) observe(user, warnings);
    expect(users).toHaveLength(1000);
    expect(warnings).toEqual({});
    expect(new Set(users.map(({ id }) => id)).size).toBe(1000);
  });

  test("is a healthy file with the documented table and index, and no log beside it", () => {
    const db = new Database(SAMPLE, { readonly: true });
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.pragma("journal_mode", { simple: true })).toBe("delete");
    const schema = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck().all();
    expect(schema).toEqual([
      CREATE_USERS.replace(/;$/, ""),
      "CREATE INDEX users_in_order ON users (date_joined DESC, id)",
    ]);
    db.close();
  });

  test("stores each column as the type it declares", () => {
    for (const [column, type] of declaredTypes()) {
      const classes = new Set(rows.map((row) => typeof row[column]));
      expect([...classes].sort(), column).toEqual(
        ALLOWS_NULL.has(column) ? ["object", "string"] : [type === "INTEGER" ? "number" : "string"],
      );
    }
  });

  test("has NULL wherever NULL is allowed, and nowhere else", () => {
    for (const [column] of declaredTypes()) {
      const nulls = rows.filter((row) => row[column] === null).length;
      if (ALLOWS_NULL.has(column)) expect(nulls, column).toBeGreaterThan(20);
      else expect(nulls, column).toBe(0);
    }
  });

  test.each(USERS.properties.kyc_status.enum)("has kyc_status %s", (status) => {
    expect(rows.some(({ kyc_status }) => kyc_status === status)).toBe(true);
  });

  test.each([
    "Latin",
    "Greek",
    "Cyrillic",
    "Armenian",
    "Georgian",
    "Hebrew",
    "Arabic",
    "Devanagari",
    "Thai",
    "Han",
    "Hangul",
  ])("has names and bios in %s", (script) => {
    const written = new RegExp(`\\p{Script=${script}}`, "u");
    expect(rows.filter((row) => written.test(row.first_name + row.last_name)).length).toBeGreaterThan(5);
    expect(rows.filter((row) => written.test(row.bio) && !HARD_TEXT.includes(row.bio)).length).toBeGreaterThan(5);
  });

  test("has Japanese bios in kana", () => {
    expect(rows.filter(({ bio }) => /\p{Script=Hiragana}/u.test(bio)).length).toBeGreaterThan(5);
  });

  test.each(HARD_TEXT.map((text) => [JSON.stringify(text).slice(0, 40), text]))("has the bio %s", (_, text) => {
    expect(rows.some(({ bio }) => bio === text)).toBe(true);
    expect(users.some(({ bio }) => bio === text)).toBe(true);
  });

  test("has the hard kinds of text that it promises", () => {
    const all = HARD_TEXT.join("");
    for (const kind of [
      /\p{Mn}/u,
      /[\u{10000}-\u{10ffff}]/u,
      /\u200d/,
      /"/,
      /\n/,
      /\r/,
      /\u2028/,
      /<\/script>/,
      /\u202e/,
      /\p{Cc}/u,
    ])
      expect(all).toMatch(kind);
  });

  test("has users who never chose a name, and every mixture of empty names", () => {
    const some = (is: (row: UserRow) => boolean) => expect(rows.filter(is).length).toBeGreaterThan(1);
    some(({ username }) => username === null);
    some(({ username, id }) => username === id);
    some((row) => row.first_name !== "" && row.last_name === "");
    some((row) => row.first_name === "" && row.last_name !== "");
    some((row) => row.first_name === "" && row.last_name === "" && row.display_name === null);
    some((row) => row.first_name === "" && row.last_name === "" && row.display_name === row.id);
    some(({ bio }) => bio === "");
  });

  test("publishes the same display_name whether it is stored or left to the rule", () => {
    for (const { display_name, first_name, last_name, id } of users) {
      expect(display_name).toBe(`${first_name} ${last_name}`.trim() || id);
    }
  });

  test("has wallets in mixed and in lower case", () => {
    const wallets = rows.flatMap(({ default_wallet }) => default_wallet ?? []);
    expect(wallets.filter((wallet) => /[a-f]/.test(wallet) && /[A-F]/.test(wallet)).length).toBeGreaterThan(100);
    expect(wallets.filter((wallet) => wallet === wallet.toLowerCase()).length).toBeGreaterThan(20);
  });

  test("has no, one and several languages, and no circles", () => {
    const spoken = new Set(users.map(({ languages }) => languages.length));
    expect([0, 1, 2, 3].every((count) => spoken.has(count))).toBe(true);
    expect(new Set(rows.map(({ circles }) => circles))).toEqual(new Set(["[]"]));
    expect(users.some(({ country }) => country === "XX")).toBe(true);
  });

  test("has ties in date_joined, at page edges too, and whole seconds", () => {
    const dates = users.map(({ date_joined }) => date_joined);
    const ties = dates.flatMap((date, i) => (date === dates[i - 1] ? i : []));
    expect(ties.length).toBeGreaterThan(20);
    expect(ties).toEqual(expect.arrayContaining([100, 300, 500, 700, 900]));
    expect(dates.filter((date) => date.endsWith(".000000Z")).length).toBeGreaterThan(20);
    for (const i of ties) expect((users[i]?.id ?? "") > (users[i - 1]?.id ?? "")).toBe(true);
  });

  test("is not stored in the order in which it is published", () => {
    const risen = rows.filter((row, i) => row.date_joined > (rows[i - 1]?.date_joined ?? "9")).length;
    expect(risen).toBeGreaterThan(200);
    expect(rows.map(({ id }) => id)).not.toEqual(users.map(({ id }) => id));
  });

  test("has nobody do anything before joining or after the day of the sample", () => {
    for (const { date_joined, off_chain } of users) {
      expect(off_chain.created_at >= date_joined).toBe(true);
      expect((off_chain.last_withdrawn_at ?? date_joined) >= date_joined).toBe(true);
      expect(date_joined < "2026-01-31").toBe(true);
    }
  });
});

const ALLOWS_NULL: ReadonlySet<string> = new Set([
  "username",
  "display_name",
  "default_wallet",
  "image_url",
  "off_chain_next_mining_at",
  "off_chain_last_withdrawn_at",
]);

function declaredTypes(): [keyof UserRow, string][] {
  const db = new Database(":memory:");
  db.exec(CREATE_USERS);
  const columns = db.pragma("table_info(users)") as { name: keyof UserRow; type: string }[];
  db.close();
  return columns.map(({ name, type }) => [name, type]);
}

let written = 0;

function write(count: number, seed: number): string {
  const out = join(folder, `written-${++written}`);
  writeUsers(sampleUsers(count, seed), out, { force: false });
  return out;
}

/** The bytes of a file, without the number of the SQLite that wrote it: better-sqlite3 12 and 13 have two. */
function withoutVersion(file: string): Buffer {
  return readFileSync(file).fill(0, 96, 100);
}

function idsOf(file: string): Set<unknown> {
  const db = new Database(file, { readonly: true });
  const ids = db.prepare("SELECT id FROM users").pluck().all();
  db.close();
  return new Set(ids);
}

function sample(args: string[], env: NodeJS.ProcessEnv = {}) {
  const tsx = join(ROOT, "node_modules/tsx/dist/cli.mjs");
  const command = [tsx, join(ROOT, "scripts/sample.ts"), ...args];
  return promisify(execFile)(process.execPath, command, { cwd: folder, env: { ...process.env, ...env } });
}
