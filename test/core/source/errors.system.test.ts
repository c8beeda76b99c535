/** Errors of sources, with real files: each gives one line, and nothing is published. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { type BuildOptions, build, UserError } from "../../../src/index.js";
import { CLI } from "../../support/command.js";
import { plainRows, userId, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { needs } from "../../support/needs.js";
import { listCalls, runWith } from "../../support/strace.js";

let folder: string;
let db: string;
let dist: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "users.sqlite");
  dist = join(folder, "dist");
});

/** The error message, which must be one line. Checks that no release became current. */
async function refusal(options: Partial<BuildOptions> = {}): Promise<string> {
  const attempt = build({ db, dist: dist, baseUrl: "https://directory.example.com", ...options });
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UserError);
  const { message } = error as UserError;
  expect(message).not.toContain("\n");
  expect(existsSync(join(dist, "current"))).toBe(false);
  return message.replaceAll(folder, "F");
}

describe("the file", () => {
  const write = (bytes: string | Buffer) => writeFileSync(db, bytes);
  const whole = () => readFileSync(writeUsers(db, plainRows(2000)));
  const noise = Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 7919 + 31) % 251));
  const OTHER = "is not a SQLite database, or it is encrypted; name a plain SQLite file";

  test.each<[string, () => void, string]>([
    ["not there", () => {}, "There is no file F/users.sqlite; give a SQLite, CSV, TSV or NDJSON file."],
    [
      "not there, but one of nearly its name",
      () => writeFileSync(`${db.slice(0, -"users.sqlite".length)}user.sqlite`, "x"),
      "There is no file F/users.sqlite; did you mean F/user.sqlite?",
    ],
    [
      "a folder",
      () => mkdirSync(db),
      "F/users.sqlite has no table: no file in it is .csv, .tsv, .tab, .ndjson or .jsonl, or .gz of these.",
    ],
    ["empty", () => write(""), "F/users.sqlite is empty (0 bytes); give a SQLite, CSV, TSV or NDJSON file."],
    [
      "text",
      () => write("id,username\n1,ada\n".repeat(1000)),
      "is text, not a SQLite database; name it .csv, or pass --format csv",
    ],
    ["encrypted", () => write(noise), OTHER],
    [
      "without tables",
      () => new Database(db).exec("CREATE TABLE t (x); DROP TABLE t").close(),
      "has no tables; name the",
    ],
    ["damaged in the middle", () => write(whole().fill(0xa5, 100_000, 300_000)), "is damaged; check it with"],
    ["cut short", () => write(whole().subarray(0, 200_000)), "is damaged; check it with"],
    ["cut within the last page", () => write(whole().subarray(0, -100)), "is damaged; check it with"],
    ["a link that leads nowhere", () => symlinkSync("gone.sqlite", db), "There is no file F/users.sqlite"],
  ])("is %s", async (_, make, message) => {
    make();
    expect(await refusal()).toContain(message);
  });

  test("must not be read by this user", () => {
    writeUsers(db, plainRows(1));
    chmodSync(db, 0);
    chmodSync(folder, 0o755);
    const output = asNobody(`build --db "${db}" --dist "${folder}/dist" --base-url https://directory.example.com`);
    expect(output).toContain(
      `Cannot read ${db} (EACCES): give this user access to it and its folders, or run this as another user; give a SQLite, CSV, TSV or NDJSON file.`,
    );
  });

  test("is locked by another process", { timeout: 20_000 }, async () => {
    writeUsers(db, plainRows(1));
    const writer = new Database(db);
    writer.exec("BEGIN EXCLUSIVE");
    expect(await refusal()).toContain("is locked by another process (waited 5 s)");
    writer.exec("ROLLBACK");
    writer.close();
    await expect(build({ db, dist: dist, baseUrl: "https://directory.example.com" })).resolves.toMatchObject({
      records: 1,
    });
  });

  test("in WAL mode in a read-only folder is refused or read completely", async () => {
    writeUsers(db, plainRows(3), "PRAGMA journal_mode = WAL");
    const script = `
      mount -t tmpfs tmpfs "$1/ro" && cp "$1/users.sqlite" "$1/ro/" && mount -o remount,ro "$1/ro"
      exec node lib/cli/cli.js build --db "$1/ro/users.sqlite" --dist "$1/dist" --base-url https://directory.example.com`;
    mkdirSync(join(folder, "ro"));
    const output = runAsOwnRoot(script);
    expect(output).toContain("cannot be opened; its folder must be writable when it is in WAL mode");
    expect(existsSync(join(dist, "current"))).toBe(false);
  });
});

describe.skipIf(!needs("sqlite3"))("text in UTF-16", () => {
  test.each(["UTF-16le", "UTF-16be"])("is refused with the command that converts it: %s", async (encoding) => {
    const rows = plainRows(5).map((row) => ({ ...row, bio: "😀 שלום \uFFFD" }));
    const plain = writeUsers(join(folder, "utf8.sqlite"), rows);
    const named = join(folder, "old users.sqlite");
    writeUsers(named, rows, "", `PRAGMA encoding = '${encoding}'`);
    const message = await refusal({ db: named });
    expect(message).toBe(
      `F/old users.sqlite stores text in UTF-16; convert it with "sqlite3 'F/old users.sqlite' .dump | sqlite3 new.db", then use new.db.`,
    );
    const [, command = ""] = /"(.*)"/.exec(message) ?? [];
    execFileSync("sh", ["-c", command.replace("F/", `${folder}/`)], { cwd: folder });
    const baseUrl = "https://directory.example.com";
    const [one, other] = await Promise.all([
      build({ db: plain, dist: join(folder, "a"), baseUrl }),
      build({ db: join(folder, "new.db"), dist: join(folder, "b"), baseUrl }),
    ]);
    expect(one.id).toBe(other.id);
  });
});

test("reports a failing disk as such, never as a bug", {
  timeout: 600_000,
}, async () => {
  writeUsers(db, plainRows(50), "CREATE INDEX users_in_order ON users (date_joined DESC, id)");
  const args = ["build", "--db", db, "--dist", dist, "--base-url", "https://a.example", "--workers", "2", "--quiet"];
  const [ended, calls] = await listCalls(args, folder);
  expect(ended.code).toBe(0);
  rmSync(dist, { recursive: true });
  const ofSource = calls.filter(({ path, when }) => path === db && when <= 4);
  const different = new Map(ofSource.map((call) => [`${call.name} ${call.when}`, call]));
  expect(different.size).toBeGreaterThan(5);
  for (const call of different.values()) {
    const { code, stderr } = await runWith("error=EIO", call, args, folder);
    // Some calls only check whether a file exists, and may fail.
    if (code === 0) rmSync(dist, { recursive: true });
    else {
      expect(stderr, call.text).toMatch(/^error: [^\n]*users\.sqlite[^\n]*\n$/);
      expect(code, call.text).toBe(1);
      expect(existsSync(join(dist, "current"))).toBe(false);
    }
  }
});

/** Runs a script in a separate mount namespace. @returns its stderr. */
function runAsOwnRoot(script: string): string {
  const run = `(${script}) 2>&1 || true`;
  return execFileSync("unshare", ["-rm", "sh", "-c", run, "sh", folder], { encoding: "utf8" });
}

/** Runs the command as user `nobody`. @returns its stderr. */
function asNobody(command: string): string {
  const run = `${process.execPath} "${CLI}" ${command} 2>&1 || true`;
  return execFileSync("setpriv", ["--reuid=65534", "--clear-groups", "sh", "-c", run], { encoding: "utf8" });
}

describe("the table", () => {
  test("does not exist: names those that do, and the nearest", async () => {
    writeUsers(db, [], "CREATE TABLE members (x)");
    expect(await refusal({ table: "member" })).toBe(
      'F/users.sqlite has no table or view "member"; it has members, users. Did you mean --table members?',
    );
    expect(await refusal({ table: "customer_accounts" })).toContain(
      "it has members, users. Name one with --table, or make a contract",
    );
  });

  test("lacks a column: names it, the nearest, and the existing ones", async () => {
    writeUsers(db, [], "ALTER TABLE users RENAME COLUMN off_chain_tokens TO offchain_tokens");
    const message = await refusal();
    expect(message).toContain(
      "Table users in F/users.sqlite lacks the column off_chain_tokens (nearest: offchain_tokens). It has id, username,",
    );
  });

  test("has a name in other case, or one that needs quoting", async () => {
    writeUsers(db, [{ id: userId(1) }], `ALTER TABLE users RENAME TO "Weird "" name; --"`);
    const release = await build({ db, dist: dist, baseUrl: "https://a.example", table: 'weird " NAME; --' });
    expect(release.records).toBe(1);
  });

  test("is a view over missing tables", async () => {
    writeUsers(db, [], "CREATE TABLE t (id); CREATE VIEW v AS SELECT * FROM t; DROP TABLE t");
    expect(await refusal({ table: "v" })).toContain(
      "has a table or view that SQLite cannot read, or a query fails; correct it",
    );
  });
});

describe("the query", () => {
  const query = () => join(folder, "query.sql");

  test("may end in semicolons and comments, and need not know of columns that are not published", async () => {
    writeUsers(db, plainRows(3));
    writeFileSync(
      query(),
      "-- Users.\nWITH u AS (SELECT * FROM users WHERE username <> 'user1')\nSELECT * FROM u; -- all\n/* end */",
    );
    const release = await build({ db, dist: dist, baseUrl: "https://a.example", query: query() });
    expect(release.records).toBe(2);
  });

  test.each([
    ["", "incomplete input"],
    ["SELEKT 1", "syntax error"],
    ["SELECT * FROM nowhere", "no such table: nowhere; the source has users"],
    ["SELECT missing FROM users", "no such column: missing"],
    ["SELECT * FROM users WHERE id = ?", "parameters are not allowed"],
    ["SELECT * FROM users; DELETE FROM users", "more than one statement"],
    ["DELETE FROM users", "syntax error"],
    ["ATTACH 'x' AS y", "syntax error"],
  ])("%j is refused: %s", async (sql, why) => {
    writeUsers(db, plainRows(1));
    writeFileSync(query(), sql);
    expect(await refusal({ query: query() })).toMatch(/^Query F\/query.sql cannot be run: .* It must be one SELECT/);
    expect(await refusal({ query: query() })).toContain(why);
  });

  test("yields a column twice, or has a NUL character in it", async () => {
    writeUsers(db, plainRows(1));
    writeFileSync(query(), "SELECT *, 'x' AS bio FROM users");
    expect(await refusal({ query: query() })).toContain("Query F/query.sql yields bio more than once");
    writeFileSync(query(), "SELECT * FROM users\0 WHERE 0");
    expect(await refusal({ query: query() })).toContain("has a NUL character");
  });

  test("lacks a column, does not exist, or comes with a table", async () => {
    writeUsers(db, plainRows(1));
    writeFileSync(query(), "SELECT *, id AS password FROM (SELECT id FROM users)");
    expect(await refusal({ query: query() })).toMatch(
      /^Query F\/query\.sql lacks 27 columns: .*It has id, password\. Name them so in it, with AS; or make a contract /,
    );
    expect(await refusal({ query: join(folder, "gone.sql") })).toContain("There is no file F/gone.sql; --query names");
    expect(await refusal({ query: query(), table: "users" })).toContain("table and query exclude each other");
  });
});
