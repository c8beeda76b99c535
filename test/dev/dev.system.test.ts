/** `rollcall dev` with real writers: it notices, builds, serves and reports every change of an input file. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build, init } from "../../src/index.js";
import { plainRows, userId, usersFile } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { takenPort } from "../support/ports.js";
import { writeShop } from "../support/shop.js";
import { STATIONS, stations, writeStations } from "../support/stations.js";
import { eventually, repeat } from "../support/until.js";
import { develop, type Event, workplace } from "./run.js";

/** Another program writes to the file, waiting while a build reads it. */
const sql = (db: string, text: string) =>
  execFileSync("sqlite3", ["-cmd", ".timeout 60000", db, text], { stdio: "pipe" });

const list = async (url: string) => (await fetch(`${url}api/users/`)).json();

test("shows changes made by sqlite3 as a diff, serves them at once, and leaves nothing", async () => {
  const place = workplace();
  const { cwd, temporary, db } = place;
  const run = develop(place, "users.sqlite");
  await run.shown("ready");
  sql(db, `UPDATE users SET country = 'DE' WHERE id = '${userId(1)}'; DELETE FROM users WHERE id = '${userId(4)}'`);
  await run.shown("removed");
  await run.shown("-> DE");
  sql(db, `UPDATE users SET bio = 'a' || id`);
  await run.shown("bio");
  expect(await run.stop()).toBe(0);
  expect(run.text()).toBe(`\
dev   http://HOST/   5 users on 1 page, from users.sqlite
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
json   http://HOST/api/users/   the first page
TIME  users.sqlite changed: 1 user removed, 1 changed, in SECONDS
removed (1)
  - ${userId(4)}  joined 2025-12-31  VERIFIED  "Ada Lovelace"

changed (1)
  ~ ${userId(1)}  "Ada Lovelace"
   country: GB -> DE

TIME  users.sqlite changed: 4 users changed, in SECONDS
changed (4)
${[0, 1, 2].map((number) => `  ~ ${userId(number)}  "Ada Lovelace"\n   bio: "Notes." -> "a${userId(number)}"\n`).join("")}\
  ... 1 not shown

`);
  expect([readdirSync(cwd), run.releases(), readdirSync(temporary)]).toEqual([["users.sqlite"], [], []]);
});

test("notices commits that are only in another process's log", async () => {
  const place = workplace();
  sql(place.db, "PRAGMA journal_mode = WAL");
  const run = develop(place, "--json users.sqlite");
  await run.next();
  const { url } = await run.next();
  const writer = spawn("sqlite3", [place.db], { stdio: ["pipe", "ignore", "inherit"] });
  onTestFinished(() => void writer.kill());
  const before = statSync(place.db, { bigint: true }).mtimeNs;
  writer.stdin.write(`UPDATE users SET country = 'FR' WHERE id = '${userId(0)}';\n`);
  expect(await run.next()).toMatchObject({ event: "built", files: ["users.sqlite"], diff: { changed: 1 } });
  expect(statSync(place.db, { bigint: true }).mtimeNs, "the file itself has not changed").toBe(before);
  expect((await list(url)).results[0].country).toBe("FR");
  // A second commit, while the log already exists.
  writer.stdin.write(`UPDATE users SET country = 'IT' WHERE id = '${userId(0)}';\n`);
  // A build without changes may come first: SQLite can change a file without a commit.
  let built = await run.next();
  while (built.diff === null) built = await run.next();
  expect(built).toMatchObject({ event: "built", diff: { changed: 1 } });
  writer.stdin.end();
  await once(writer, "close");
  expect(await run.stop("SIGTERM")).toBe(0);
});

test("notices a replaced file, and reports a missing one until it is back", async () => {
  const place = workplace();
  const run = develop(place, "--json users.sqlite");
  await run.next();
  const { url } = await run.next();
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain('src="explorer/app.js"');
  const next = usersFile(plainRows(7));
  renameSync(next, place.db);
  expect(await run.next()).toMatchObject({ event: "built", records: 7, diff: { added: 2, removed: 0, changed: 0 } });
  const aside = join(scratch(), "aside.sqlite");
  renameSync(place.db, aside);
  expect(await run.next()).toMatchObject({
    ...{ event: "trouble", files: ["users.sqlite"], problems: null, serving: true },
    error: expect.stringMatching(/^There is no file users\.sqlite; /),
  });
  expect((await list(url)).count, "the last release is still there").toBe(7);
  renameSync(aside, place.db);
  expect(await run.next()).toMatchObject({ event: "built", records: 7, diff: null });
  expect(await run.stop()).toBe(0);
});

test("reports invalid records like build, and serves the last release until they are fixed", async () => {
  const place = workplace();
  const run = develop(place, "users.sqlite");
  await run.shown("ready");
  sql(place.db, `UPDATE users SET country = 'Dx' WHERE id = '${userId(2)}'`);
  await run.shown("still serves");
  sql(place.db, `UPDATE users SET country = 'Ex' WHERE id = '${userId(2)}'`);
  await run.shown('"Ex"');
  sql(place.db, "UPDATE users SET bio = 'x' WHERE 0; VACUUM");
  await run.shown("the same");
  sql(place.db, `UPDATE users SET country = 'GB' WHERE id = '${userId(2)}'`);
  await run.shown("corrected");
  expect(await run.stop()).toBe(0);
  const told = (value: string) => `\
TIME  users.sqlite changed
users  field   rule   example
   1  country  pattern  ${userId(2)}: "${value}" must match ^[A-Z]{2}$, like DE

user ${userId(2)}: country "${value}" must match ^[A-Z]{2}$, like DE
error: 1 of 5 users is invalid, with 1 problem: nothing was built. Correct it in the source, or leave it out with --skip-invalid. "rollcall build --problems FILE" writes every problem.
dev   http://HOST   still serves the last good build
`;
  expect(run.text().split("\n").slice(3).join("\n")).toBe(`\
${told("Dx")}${told("Ex")}\
TIME  users.sqlite changed; the error is the same
TIME  users.sqlite changed: the error is corrected, no user differs, in SECONDS
`);
});

test("follows a contract that is broken, fixed and changed", async () => {
  const [cwd, temporary] = [scratch(), scratch()];
  const all = stations(12);
  writeStations(
    join(cwd, "stations.sqlite"),
    all.map(({ row }) => row),
  );
  const file = join(cwd, "rollcall.contract.json");
  const write = (contract: object) => writeFileSync(file, JSON.stringify(contract));
  const run = develop({ cwd, temporary }, "--json stations.sqlite");
  await run.next();
  expect(await run.next(), "as long as there is no contract").toMatchObject({
    event: "built",
    made: { listings: [{ table: "stations" }] },
  });
  write(STATIONS);
  const built = await run.next();
  expect(built).toMatchObject({ event: "built", files: ["rollcall.contract.json"], records: 12, made: null });
  writeFileSync(file, JSON.stringify(STATIONS).slice(0, -10));
  const broken = await run.next();
  expect(broken).toMatchObject({ event: "trouble", serving: true });
  expect(broken.error).toMatch(/^rollcall\.contract\.json is not a valid contract. It has 1 mistake:\n/);
  expect((await (await fetch(`${built.url}v1/stations/`)).json()).count).toBe(12);
  write({ ...STATIONS, "x-listing": { ...STATIONS["x-listing"], path: "/v2/stations/", version: 2 } });
  expect(await run.next()).toMatchObject({ event: "built", records: 12, diff: { contract: true, changed: 0 } });
  expect((await (await fetch(`${built.url}v2/stations/`)).json()).count, "at its new path").toBe(12);
  rmSync(file);
  expect(await run.next()).toMatchObject({ event: "built", made: { listings: [{ table: "stations" }] } });
  expect(await run.stop()).toBe(0);
});

test("follows a config file that appears, is broken, and changes; keeps the path of its base URL", async () => {
  const place = workplace();
  const file = join(place.cwd, "rollcall.config.json");
  const write = (config: object) => writeFileSync(file, JSON.stringify(config));
  const run = develop(place, "--json users.sqlite");
  await run.next();
  const first = await run.next();
  write({ pageSize: 2, baseUrl: "https://directory.example.com/people" });
  const second = await run.next();
  expect(second).toMatchObject({ event: "built", files: ["rollcall.config.json"], pages: 3, diff: { changed: 0 } });
  expect(second.url).toBe(`${first.url}people/`);
  const page = await list(second.url);
  expect(page.next).toBe(`${second.url}api/users/?format=api&page=2`);
  expect(await (await fetch(page.next)).json()).toMatchObject({ count: 5 });
  write({ pageSze: 2 });
  expect(await run.next()).toMatchObject({
    event: "trouble",
    error: expect.stringContaining("did you mean pageSize?"),
  });
  writeFileSync(file, "{");
  expect(await run.next()).toMatchObject({ event: "trouble", error: expect.stringContaining("is not JSON") });
  write({ pageSize: 5 });
  expect(await run.next()).toMatchObject({ event: "built", url: first.url, pages: 1 });
  expect(await run.stop()).toBe(0);
});

test("uses settings of the config file from the start, watches a query, and does not change dist", async () => {
  const place = workplace();
  const dist = join(place.cwd, "dist");
  const build = ["build", "--db", place.db, "--base-url", "https://directory.example.com", "--dist", dist, "--quiet"];
  execFileSync(process.execPath, ["lib/cli/cli.js", ...build]);
  const before = readTree(dist);
  const file = join(place.cwd, "users.sql");
  writeFileSync(file, `SELECT * FROM users WHERE id < '${userId(3)}'`);
  writeFileSync(
    join(place.cwd, "rollcall.config.json"),
    JSON.stringify({ db: "users.sqlite", query: "users.sql", dist: "dist", port: 1, bulk: true, changes: 2 }),
  );
  const run = develop(place, "--json");
  const { url: origin } = await run.next();
  expect(await run.next()).toMatchObject({ event: "built", url: `${origin}/`, records: 3 });
  writeFileSync(file, `SELECT * FROM users WHERE id < '${userId(2)}'`);
  expect(await run.next()).toMatchObject({ event: "built", files: ["users.sql"], records: 2, diff: { removed: 1 } });
  expect(await (await fetch(`${origin}/bulk.json`)).json()).toMatchObject({ count: 2 });
  expect((await (await fetch(`${origin}/changes.json`)).json()).steps).toHaveLength(1);
  expect(await run.stop()).toBe(0);
  expect(readTree(dist)).toEqual(before);
});

test("builds changes made during a build next", { timeout: 180_000 }, async () => {
  const place = workplace(plainRows(20_000));
  const run = develop(place, "--json --workers 1 users.sqlite");
  await run.next();
  const { url } = await run.next();
  const staging = () => join(place.temporary, run.releases()[0] ?? "", "dist/.staging");
  sql(place.db, `UPDATE users SET bio = 'one' WHERE id = '${userId(0)}'`);
  await eventually(() => expect(existsSync(staging())).toBe(true));
  sql(place.db, `UPDATE users SET bio = 'two' WHERE id = '${userId(0)}'`);
  sql(place.db, `UPDATE users SET bio = 'three' WHERE id = '${userId(0)}'`);
  for (;;) {
    // A build may see any of the commits, and builds do not block each other.
    expect((await run.next()).event).toBe("built");
    if ((await list(url)).results[0].bio === "three") break;
  }
  expect(await run.stop()).toBe(0);
});

test("does not wait forever for a writer that never pauses", async () => {
  const place = workplace();
  const run = develop(place, "--json users.sqlite");
  await run.next();
  await run.next();
  let writes = 0;
  const writer = repeat(() => sql(place.db, `UPDATE users SET bio = '${writes++}' WHERE id = '${userId(0)}'`));
  onTestFinished(() => writer.stop());
  expect(await run.next()).toMatchObject({ event: "built" });
  writer.stop();
  expect(await run.stop()).toBe(0);
});

test("refuses a given port in use; without one, finds a free port", async () => {
  const place = workplace();
  const port = await takenPort();
  const refused = develop(place, "users.sqlite", `--port ${port}`);
  expect(await refused.ended).toBe(1);
  expect(refused.text()).toBe(
    `error: Port ${port} on 127.0.0.1 is in use; stop the process that listens there, or choose another --port.\n`,
  );
  // This test or another one has the port.
  const usual = createServer().listen(8080, "127.0.0.1");
  await new Promise((resolve) => usual.once("listening", resolve).once("error", resolve));
  onTestFinished(() => void usual.close());
  const run = develop(place, "--json users.sqlite", "");
  const { url } = await run.next();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(url).not.toBe("http://127.0.0.1:8080");
  await run.next();
  expect(await run.stop()).toBe(0);
  expect(run.releases()).toEqual([]);
});

test("refuses a missing --db, and waits for a database that does not exist yet", async () => {
  const place = workplace();
  const none = develop(place, "");
  expect(await none.ended).toBe(2);
  expect(none.text()).toMatch(/^error: db is not set: give --db <file>, /);
  const run = develop(place, "later.sqlite");
  await run.shown("serves nothing until the error is corrected");
  const [, host = ""] = /(127[\d.]+:\d+)/.exec(run.said()) ?? [];
  const answer = await fetch(`http://${host}/`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("no release yet")]);
  renameSync(place.db, join(place.cwd, "later.sqlite"));
  await run.shown("ready");
  expect((await fetch(`http://${host}/snapshot.json`)).status).toBe(200);
  expect(await run.stop()).toBe(0);
  expect(run.text()).toBe(`\
error: There is no file later.sqlite; give a SQLite, CSV, TSV or NDJSON file.
dev   http://HOST   serves nothing until the error is corrected
TIME  later.sqlite changed: the error is corrected, no user differs, in SECONDS
dev   http://HOST/   5 users on 1 page, from later.sqlite
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
json   http://HOST/api/users/   the first page
`);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s during a build ends the run, too", async (signal) => {
  const place = workplace(plainRows(20_000));
  const run = develop(place, "--json users.sqlite");
  await run.next();
  expect(await run.stop(signal)).toBe(0);
  expect(readdirSync(place.temporary)).toEqual([]);
});

test("shows the only table of any file, with the command that keeps its contract", async () => {
  const place = workplace();
  sql(
    place.db,
    "CREATE TABLE small (id INTEGER PRIMARY KEY); DROP TABLE users; CREATE TABLE big (id INTEGER PRIMARY KEY, password TEXT); INSERT INTO big VALUES (1, 'x'), (2, 'y')",
  );
  const run = develop(place, "users.sqlite --table big");
  await run.shown("omit");
  expect(await run.stop()).toBe(0);
  expect(run.text()).toBe(`\
dev   http://HOST/   2 bigs on 1 page, from users.sqlite
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
json   http://HOST/big/   the first page
contract  made from the table big   to write and edit it: rollcall init --from users.sqlite --table big
omit   password   seems private, or cannot be published; rollcall init says why
`);
  writeFileSync(join(place.cwd, "team.csv"), "id;name;size\n1;Ann;2\n2;Ann;n/a\n2;a@x.org;3\n");
  const csv = develop(place, "--json team.csv --separator ;");
  await csv.next();
  const { url, ...built } = await csv.next();
  const made = {
    listings: [{ name: "", kind: "file", table: "team", omitted: [] }],
    command: "rollcall init --from team.csv --separator ';'",
    left: [],
    notes: [
      "key: made of (id, name), unique together in 3 rows",
      "name: published with e-mail addresses in 1 of 3, such as in line 4",
      'size: "n/a" becomes null, in 1 of 3 rows',
    ],
  };
  expect(built).toMatchObject({ records: 3, made });
  expect(await (await fetch(`${url}team/`)).json()).toMatchObject({ count: 3 });
  expect(await csv.stop("SIGTERM")).toBe(0);
});

test("leaves out empty rows, and reads numbers by --decimal", async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, "towns.csv"), "town;people\nA;1.234\n;\nB;56.789\n");
  const run = develop(place, "towns.csv --decimal people=,");
  await run.shown("note");
  expect(await run.stop()).toBe(0);
  expect(run.text()).toBe(`\
dev   http://HOST/   2 towns on 1 page, from towns.csv
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
json   http://HOST/towns/   the first page
contract  made from the file towns   to write and edit it: rollcall init --from towns.csv --decimal people=,
note   left out 1 empty row, line 3
`);
  const plain = develop(place, "--json towns.csv");
  await plain.next();
  const { made, sourceNotes } = (await plain.next()) as Event & { made: { notes: string[] }; sourceNotes: string[] };
  expect(sourceNotes).toEqual(["left out 1 empty row, line 3"]);
  expect(made.notes).toEqual(['people: "1.234" may be 1234 or 1.234: --decimal people=, or --decimal people=.']);
  expect(await plain.stop("SIGTERM")).toBe(0);
});

test("says what init --convert would convert", async () => {
  const place = workplace();
  writeFileSync(join(place.cwd, "trees.csv"), "tree;planted;height\nA;31.01.2026;2,5\nB;28.02.2026;13,25\n");
  const run = develop(place, "--json trees.csv");
  await run.next();
  const { made } = (await run.next()) as Event & { made: { notes: string[] } };
  expect(made.notes).toEqual([
    'planted: with init --convert, a date: "31.01.2026" becomes "2026-01-31"',
    'height: with init --convert, a number: "2,5" becomes 2.5',
  ]);
  expect(await run.stop("SIGTERM")).toBe(0);
});

test("names columns that are new since the last release in dist", async () => {
  const place = { cwd: scratch(), temporary: scratch() };
  const db = join(place.cwd, "towns.csv");
  const contract = join(place.cwd, "rollcall.contract.json");
  writeFileSync(db, "id,name\n1,A\n");
  await init({ folder: place.cwd, from: db });
  await build({ db, contract, dist: join(place.cwd, "dist"), baseUrl: "https://example.com" });
  writeFileSync(db, "id,name,status\n1,A,open\n");
  const run = develop(place, "--json towns.csv");
  await run.next();
  const built = (await run.next()) as Event & { sourceNotes: string[] };
  expect(built.sourceNotes).toEqual(["towns.csv has new columns that are not published: status"]);
  expect(await run.stop("SIGTERM")).toBe(0);
});

test("shows each text file of a folder, also one that comes later", async () => {
  const place = workplace();
  const folder = join(place.cwd, "data");
  mkdirSync(folder);
  writeFileSync(join(folder, "people.csv"), "id,name\n1,Jo\n");
  writeFileSync(join(folder, "towns.csv"), "id;name\n1;Ulm\n");
  writeFileSync(join(folder, "notes.md"), "# Notes\n");
  const run = develop(place, "data/");
  await run.shown("notes.md   not shown. notes.md is not CSV, TSV or NDJSON by its name.");
  expect(run.text()).toContain("rollcall init --from data/ --all");
  writeFileSync(join(folder, "people.csv"), "id,name\n1,Jon\n");
  await run.shown('"Jo" -> "Jon"');
  writeFileSync(join(folder, "stops.csv"), "id,name\n1,A\n");
  await run.shown("data/ changed: stops is a new listing: 1 stop on 1 page, in ");
  const url = /http:\S+/.exec(run.said())?.[0] ?? "";
  expect(await (await fetch(`${url}stops/`)).json()).toMatchObject({ count: 1 });
  expect(await run.stop()).toBe(0);
});

/** A shop with a table that has no key. */
function shopPlace() {
  const place = { cwd: scratch(), temporary: scratch() };
  const db = writeShop(
    place.cwd,
    "ALTER TABLE categories ADD COLUMN password TEXT; CREATE TABLE audit_log (line TEXT); INSERT INTO audit_log VALUES ('x'), ('x')",
  );
  return { ...place, db };
}

test("shows every table that has a key, says why not the others, and what changes in each", async () => {
  const place = shopPlace();
  const run = develop(place, "shop.db");
  await run.shown("leave");
  const [, host = ""] = /(127[\d.]+:\d+)/.exec(run.said()) ?? [];
  expect(await (await fetch(`http://${host}/orders/?page=3`)).json()).toMatchObject({ count: 250 });
  expect((await fetch(`http://${host}/customers/index.html`)).status).toBe(200);
  expect((await fetch(`http://${host}/audit_log/`)).status).toBe(404);
  const contract = await (await fetch(`http://${host}/orders/contract.json`)).json();
  expect(contract.properties.customer_id["x-references"]).toBe("customers");
  sql(place.db, "INSERT INTO customers VALUES (7, 'Customer 7'); DELETE FROM orders WHERE id = 3");
  await run.shown("removed (1)");
  sql(place.db, "UPDATE orders SET customer_id = 99 WHERE id = 1");
  await run.shown("note   orders.customer_id is not a reference to customers: 1 value of it is not there");
  expect(await run.stop()).toBe(0);
  expect(run.text()).toContain(`\
dev   http://HOST/   4 listings, from shop.db
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
   http://HOST/categories/index.html   4 categories on 1 page, as JSON: http://HOST/categories/
   http://HOST/customers/index.html   6 customers on 1 page, as JSON: http://HOST/customers/
   http://HOST/orders/index.html   250 orders on 3 pages, as JSON: http://HOST/orders/
   http://HOST/products/index.html   10 products on 1 page, as JSON: http://HOST/products/
contract  made for 4 listings   to write and edit them: rollcall init --from shop.db --all
omit   categories   password: seems private, or cannot be published; rollcall init says why
leave   audit_log   not shown. The table audit_log has no key: no publishable column was found that is unique and never NULL, alone or with one or two others; add a unique column to the table. Or write a SELECT that yields one, and name its file in the config: listings.audit_log.query, beside a contract.
TIME  shop.db changed: customers: 1 customer added; orders: 1 order removed, in SECONDS
customers
added (1)
  + 7  "Customer 7"

orders
removed (1)
  - 3
`);
  expect(readdirSync(place.temporary)).toEqual([]);
});

test("builds the listings of a config, and watches the contract and the query of each", async () => {
  const place = shopPlace();
  const init = ["lib/cli/cli.js", "init", "--from", place.db, "--all", "--quiet"].map((word, at) =>
    at ? word : resolve(word),
  );
  execFileSync(process.execPath, init, { cwd: place.cwd });
  const config = join(place.cwd, "rollcall.config.json");
  const given = JSON.parse(readFileSync(config, "utf8"));
  const query = join(place.cwd, "few.sql");
  writeFileSync(query, "SELECT * FROM products WHERE id < 4");
  given.listings.products.query = "few.sql";
  // Gates are of builds and comparisons.
  given.listings.products.maxRemoved = 0;
  writeFileSync(config, JSON.stringify(given));
  const run = develop(place, "--json");
  const { url: origin } = await run.next();
  expect(await run.next()).toMatchObject({ event: "built", url: `${origin}/`, records: 263, made: null, diff: null });
  writeFileSync(query, "SELECT * FROM products WHERE id < 3");
  expect(await run.next()).toMatchObject({ files: ["few.sql"], diff: { products: { removed: 1 } }, records: 262 });
  const file = join(place.cwd, "contracts/orders.json");
  const contract = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...contract, title: "Another" }));
  const changed = await run.next();
  expect(changed).toMatchObject({ files: ["contracts/orders.json"], diff: { orders: { contract: true, changed: 0 } } });
  expect(Object.keys(changed.diff ?? {})).toEqual(["orders"]);
  sql(place.db, "UPDATE orders SET customer_id = 99 WHERE id = 1");
  const trouble = await run.next();
  expect(trouble).toMatchObject({ event: "trouble", serving: true, problems: { records: 1 } });
  delete given.listings.orders;
  writeFileSync(config, JSON.stringify(given));
  expect(await run.next()).toMatchObject({ event: "built", records: 12, diff: null });
  expect((await fetch(`${origin}/orders/`)).status).toBe(404);
  expect(await run.stop()).toBe(0);
});

test("shows users of the built-in contract alone, and names the tables beside them", async () => {
  const place = workplace();
  sql(place.db, "CREATE TABLE teams (id INTEGER PRIMARY KEY)");
  const run = develop(place, "users.sqlite");
  await run.shown("tables");
  expect(await run.stop()).toBe(0);
  expect(run.text()).toBe(`\
dev   http://HOST/   5 users on 1 page, from users.sqlite
ready   in SECONDS   builds again when its files change; Ctrl-C ends it
json   http://HOST/api/users/   the first page
tables   teams   not shown; to publish them, too: rollcall init --from users.sqlite --all
`);
});
