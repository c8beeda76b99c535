/**
 * The lines of docs/guides/your-data.md for PostgreSQL and MariaDB keep every value, and docs/guides/postgresql.md publishes as it says.
 * Servers listen on sockets in scratch folders.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { until } from "../support/until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const [postgresJson = "", postgresCsv = "", mysql = ""] =
  docPage("docs/guides/your-data.md").blocks("Other databases and files");

const TEXTS = ["Jürgen 🌹", "tab\tnew\nline\r\n\"quotes\" 'single' \\ back", "NULL", "\\N", "null", "007", " ", ""];
const BIG = "9007199254740993";

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Runs a line of the docs once for init, then as it is. @returns the published records. */
function published(line: string, env: NodeJS.ProcessEnv): unknown[] {
  const cwd = scratch();
  const run = (command: string) => {
    const { status, stderr } = sh(`set -o pipefail; ${command}`, cwd, env);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
  };
  run(line.replace("build --db -", "init --from -"));
  run(line);
  const { "x-listing": listing } = JSON.parse(readFileSync(join(cwd, "rollcall.contract.json"), "utf8"));
  return JSON.parse(readFileSync(join(cwd, `dist/current${listing.path}pages/1.json`), "utf8")).results;
}

/** Ends a server when the test ends. */
function endLater(server: ChildProcess, signal: NodeJS.Signals): void {
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill(signal);
    await ended;
  });
}

const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
const bin = `/usr/lib/postgresql/${versions.at(-1)}/bin`;

/** Starts PostgreSQL, which refuses to run as root. */
async function startPostgres(): Promise<NodeJS.ProcessEnv> {
  const folder = scratch();
  const data = join(folder, "data");
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  if (isRoot) execFileSync("chown", ["65534:65534", folder, data]);
  chmodSync(folder, 0o755);
  const [setup = "", ...initdb] = [
    ...user,
    join(bin, "initdb"),
    "-D",
    data,
    "-U",
    "reader",
    "-A",
    "trust",
    "--no-sync",
  ];
  execFileSync(setup, [...initdb, "--encoding=UTF8", "--locale=C"], { stdio: "pipe" });
  const only = ["-c", "listen_addresses=", "-c", "fsync=off"];
  const [program = "", ...args] = [...user, join(bin, "postgres"), "-D", data, "-k", folder, ...only];
  endLater(spawn(program, args, { stdio: "ignore" }), "SIGINT");
  await until(() => existsSync(join(folder, ".s.PGSQL.5432")));
  const env = { ...readerEnvironment(), PGHOST: folder, PGUSER: "reader", PGDATABASE: "postgres", PGTZ: "UTC" };
  await until(() => sh("psql -Atc 'SELECT 1'", folder, env).status === 0);
  return env;
}

test.skipIf(isMissing(join(bin, "postgres"), "psql"))("PostgreSQL", { timeout: 120_000 }, async () => {
  const env = await startPostgres();
  const folder = scratch();
  const rows = TEXTS.map((text, at) => `(${at}, ${quoted(text)})`);
  writeFileSync(
    join(folder, "stations.sql"),
    `CREATE TABLE stations (id integer PRIMARY KEY, name text, big bigint, price numeric(6, 2), is_open boolean, at timestamptz,
       tags text[], extra jsonb);
     INSERT INTO stations (id, name) VALUES ${rows}, (99, NULL);
     UPDATE stations SET big = ${BIG}, price = 12.50, is_open = id = 0, at = '2026-01-31 10:00:00.5+02',
       tags = ARRAY['a', 'b, "c"'], extra = '{"b": [1, null], "a": "x"}' WHERE id < 2;`,
  );
  expect(sh("psql -q -v ON_ERROR_STOP=1 -f stations.sql", folder, env)).toMatchObject({ status: 0, stderr: "" });
  const names = [...TEXTS, null];
  const ids = names.map((name, at) => (name === null ? 99 : at));

  const filled = {
    big: BIG,
    price: 12.5,
    at: "2026-01-31T08:00:00.5+00:00",
    tags: ["a", 'b, "c"'],
    extra: { a: "x", b: [1, null] },
  };
  const empty = { big: null, price: null, at: null, tags: null, extra: null };
  expect(published(postgresJson, env)).toEqual(
    names.map((name, at) => {
      const others = at < 2 ? { ...filled, is_open: at === 0 } : { ...empty, is_open: null };
      return { id: ids[at], name, ...others };
    }),
  );
  // CSV does not tell an empty text from NULL.
  expect(published(postgresCsv, env)).toEqual(names.map((name, at) => ({ id: ids[at], name: name || null })));
});

const guide = docPage("docs/guides/postgresql.md");

test.skipIf(isMissing(join(bin, "postgres"), "psql"))("a table every night", { timeout: 120_000 }, async () => {
  const env = await startPostgres();
  const cwd = scratch();
  const ask = (sql: string) =>
    expect(sh(`psql -q -v ON_ERROR_STOP=1 -c "${sql}"`, cwd, env)).toMatchObject({ status: 0 });
  ask("CREATE TABLE stations (code text PRIMARY KEY, name text NOT NULL, country text, opened date, height integer)");
  const csv = join(ROOT, "data/stations.csv");
  expect(sh(`psql -qc "\\copy stations FROM '${csv}' CSV HEADER"`, cwd, env)).toMatchObject({ status: 0 });
  const once = sh(guide.block("Once"), cwd, env);
  expect(once.status).toBe(0);
  guide.expectShown("Once", "text", 0, once.stderr);

  const script = join(cwd, "publish.sh");
  writeFileSync(script, guide.block("Every night", "bash"));
  chmodSync(script, 0o755);
  const [, line = ""] = /^[\d* ]+ stations (\S+)$/m.exec(guide.block("Every night", "crontab")) ?? [];
  expect(line).toBe("/srv/stations/publish.sh");
  // cron starts in another folder.
  const night = () => sh(script, scratch(), env);
  const names = () =>
    JSON.parse(readFileSync(join(cwd, "dist/current/stations/pages/1.json"), "utf8")).results.map(
      ({ name }: { name: string }) => name,
    );
  const four = ["Fichtelberg", "Jungfraujoch", "Sonnblick", "Zugspitze"];
  expect(night()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(names()).toEqual(four);
  ask("INSERT INTO stations VALUES ('BR01', 'Brocken', 'DE', '1895-10-01', 1134)");
  expect(night()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(names()).toEqual(["Brocken", ...four]);

  // Too much is gone.
  ask("DELETE FROM stations WHERE country = 'DE'");
  expect(night()).toMatchObject({ status: 3, stderr: expect.stringContaining("max-removed 5%") });
  expect(names()).toEqual(["Brocken", ...four]);

  // The query fails at the last of many rows, after psql has written most.
  ask("INSERT INTO stations SELECT 'X' || n, 'x', 'XX', '2000-01-01', 4000 + n FROM generate_series(1, 20000) n");
  ask("ALTER TABLE stations RENAME TO base");
  ask("CREATE VIEW stations AS SELECT code, name, country, opened, height + 0 / (height - 24000) AS height FROM base");
  expect(night()).toMatchObject({ status: 1, stderr: expect.stringContaining("division by zero") });
  expect(readFileSync(join(cwd, "new.ndjson"), "utf8")).toContain('"X9000"');
  expect(readFileSync(join(cwd, "stations.ndjson"), "utf8")).not.toContain('"X9000"');
  expect(names()).toEqual(["Brocken", ...four]);
});

/** Starts MariaDB. */
async function startMariaDb(): Promise<NodeJS.ProcessEnv> {
  const folder = scratch();
  const data = join(folder, "data");
  const socket = join(folder, "socket");
  const as = process.getuid?.() === 0 ? ["--user=root"] : [];
  const setup = [`--datadir=${data}`, "--auth-root-authentication-method=normal", "--skip-test-db"];
  execFileSync("mariadb-install-db", ["--no-defaults", ...as, ...setup], { stdio: "pipe" });
  const options = [`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, "pid")}`, "--skip-networking"];
  endLater(spawn("mariadbd", ["--no-defaults", ...as, ...options], { stdio: "ignore" }), "SIGTERM");
  writeFileSync(join(folder, ".my.cnf"), `[client]\nuser=root\nsocket=${socket}\n`);
  const env = { ...readerEnvironment(), HOME: folder };
  await until(() => sh("mysql -e 'SELECT 1'", folder, env).status === 0);
  return env;
}

test.skipIf(isMissing("mariadbd", "mariadb-install-db", "mysql"))("MariaDB", { timeout: 120_000 }, async () => {
  const env = await startMariaDb();
  const folder = scratch();
  // The client reads CRLF in its input as LF.
  const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\r", "\\r");
  const rows = TEXTS.map((text, at) => `(${at}, ${quoted(escaped(text))})`);
  writeFileSync(
    join(folder, "stations.sql"),
    `CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop;
     CREATE TABLE stations (id BIGINT PRIMARY KEY, name TEXT);
     INSERT INTO stations VALUES ${rows}, (99, NULL);`,
  );
  expect(sh("mysql --default-character-set=utf8mb4 < stations.sql", folder, env)).toMatchObject({ status: 0 });
  const names = [...TEXTS, null];
  const records = names.map((name, at) => ({ id: name === null ? 99 : at, name }));
  expect(published(mysql, env)).toEqual(records);
  // Values that JSON holds as such, and one that it does not.
  const all = `SELECT JSON_OBJECT('id', id, 'big', ${BIG}, 'price', 12.50, 'bit', b'1' + 0, 'hex', hex(x'00ff'), 'day', DATE '2026-01-31',
    'json', JSON_COMPACT('{"a": [1, null]}')) FROM stations WHERE id = 1`;
  const line = mysql.replace(/SELECT [^"]*/, all.replaceAll('"', '\\"'));
  const found = { id: 1, big: BIG, price: 12.5, bit: 1, hex: "00FF", day: "2026-01-31", json: { a: [1, null] } };
  expect(published(line, env)).toEqual([found]);
});
