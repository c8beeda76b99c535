/** A folder of text files, or several of them, is a source like a database: each file is a table. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { configSchema } from "../../src/core/settings/settings.js";
import { importTexts } from "../../src/core/source/text-file.js";
import { findTextFiles, sourceFiles } from "../../src/core/source/text-files.js";
import { isSourcePath } from "../../src/diff/sides/source-file.js";
import { buildShard, build as buildSite } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { editor } from "../support/editors.js";
import { scratch } from "../support/files.js";

let cwd: string;
const run = (line: string) => rollcall(line, fakeIo(cwd));
const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));
const write = (files: Readonly<Record<string, string | Buffer>>) => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
};
const resultsOf = (listing: string) => read(`dist/current/${listing}/pages/1.json`).results;

const FILES = {
  "data/people.csv": "id,name,country\n1,Jo,FR\n2,Al,ES\n",
  "data/country.tsv.gz": gzipSync("code\tname\nES\tSpain\nFR\tFrance\n"),
  "data/visits.ndjson": '{"id":1,"at":{"place":"x"}}\n',
};

/** Settings of a build, but for the source. */
const STARTER = { baseUrl: "http://x.example" };

beforeEach(() => {
  cwd = scratch();
  mkdirSync(join(cwd, "data/below"), { recursive: true });
  write(FILES);
});

describe("the files of a folder", () => {
  test("are a listing each, and others are named and left", async () => {
    write({
      "data/stops.txt": '\ufeffstop_id;"stop_name"\r\na;"A;1"\r\n',
      "data/README.txt": "Hello, world\n\nThese are data.\n",
      "data/notes.md": "# Notes\n",
      "data/gtfs.zip": "PK\x03\x04",
      "data/other.db": "SQLite format 3\0",
      "data/.people.csv": "x",
      "data/~$people.csv": "x",
      "data/people.csv~": "x",
      "data/rollcall.config.json": "{}",
      "data/below/more.csv": "id\n1\n",
    });
    const ended = await run("init --from data/ --all");
    expect(ended.code).toBe(0);
    const { db, listings } = read("rollcall.config.json");
    expect([db, Object.keys(listings)]).toEqual(["data", ["country", "people", "stops", "visits"]]);
    const left = ended.stderr.split("\n").filter((line) => line.startsWith("leave"));
    expect(left.map((line) => line.trim().replace(/ {2,}/g, "  "))).toEqual([
      "leave  README.txt  file. README.txt is not CSV, TSV or NDJSON by its name.",
      "leave  gtfs.zip  file. data/gtfs.zip is an Excel workbook or another ZIP file; unpack it: unzip data/gtfs.zip -d data.",
      "leave  notes.md  file. notes.md is not CSV, TSV or NDJSON by its name.",
      "leave  other.db  file. data/other.db is a SQLite database, a source of its own.",
    ]);
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("people")).toEqual([
      { id: 1, name: "Jo", country: "FR" },
      { id: 2, name: "Al", country: "ES" },
    ]);
    expect(resultsOf("country")[1]).toEqual({ code: "FR", name: "France" });
    expect(resultsOf("stops")).toEqual([{ stop_id: "a", stop_name: "A;1" }]);
    expect(resultsOf("visits")).toEqual([{ id: 1, at: { place: "x" } }]);
  });

  test("are named where they are links to nothing, to themselves, or to a device", async () => {
    symlinkSync("nowhere.csv", join(cwd, "data/gone.csv"));
    symlinkSync("loop.csv", join(cwd, "data/loop.csv"));
    symlinkSync("below", join(cwd, "data/folder.csv"));
    symlinkSync("/dev/null", join(cwd, "data/pipe.csv"));
    const ended = await run("init --from data --all");
    expect(ended.code).toBe(0);
    const left = ended.stderr.split("\n").filter((line) => line.startsWith("leave"));
    expect(left.map((line) => line.trim().replace(/ {2,}/g, "  "))).toEqual([
      "leave  gone.csv  file. gone.csv is a symbolic link to no file; remove it, or correct it.",
      "leave  loop.csv  file. loop.csv is a symbolic link to no file; remove it, or correct it.",
      "leave  pipe.csv  file. pipe.csv is a device or pipe; write what comes from it to a file.",
    ]);
    const files = sourceFiles(join(cwd, "data")).map((path) => basename(path));
    expect(files).toEqual(["country.tsv.gz", "people.csv", "visits.ndjson"]);
    expect((await run("build")).code).toBe(0);
  });

  test("of groups of digits are converted by the queries that --convert and --decimal write", async () => {
    write({
      "data/towns.csv": "town;people;km2\nA;1.234;12,5\nB;56.789;1.234,5\nC;2.000;3,5\n",
      "data/seas.csv": "sea,depth\nN,1.234\nS,5.678\n",
    });
    expect((await run("init --from data --all --decimal ,")).code).toBe(0);
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("towns").map(({ people, km2 }: Record<string, unknown>) => [people, km2])).toEqual([
      [1234, 12.5],
      [56789, 1234.5],
      [2000, 3.5],
    ]);
    expect(resultsOf("seas")).toEqual([
      { sea: "N", depth: 1234 },
      { sea: "S", depth: 5678 },
    ]);
  });

  test("may be a .txt file in UTF-16, as Excel saves Unicode text", async () => {
    write({ "data/sales.txt": Buffer.from("\ufeffid\tgröße\r\n1\tä\r\n", "utf16le") });
    expect((await run("init --from data --table sales")).code).toBe(0);
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("sales")).toEqual([{ id: 1, größe: "ä" }]);
  });

  test("are chosen by --table, or by the only one", async () => {
    const all = await run("init --from data");
    expect([all.code, all.stderr]).toEqual([2, expect.stringContaining("Pass --table NAME to publish one, or --all")]);
    expect((await run("init --from data --table peple")).stderr).toContain("Did you mean --table people?");
    expect((await run("init --from data --table people")).code).toBe(0);
    expect((await run("build")).code).toBe(0);
    expect(read("dist/current/snapshot.json").count).toBe(2);
  });

  test("are at most 100, and at least one", async () => {
    for (let at = 0; at < 98; at++) write({ [`data/t${at}.csv`]: "id\n1\n" });
    expect((await run("init --from data --all")).stderr).toContain("data has 101 text files, and at most 100");
    expect((await run("init --from data/below --all")).stderr).toContain(
      "data/below has no table: no file in it is .csv",
    );
  });
});

describe("a list of files", () => {
  test("is written to the config, and read with its own separators", async () => {
    write({ "a.csv": "id;n\n1;x\n", "b.csv": "id,n\n2,y\n" });
    expect((await run("init --from a.csv b.csv --all")).code).toBe(0);
    expect(read("rollcall.config.json").db).toEqual(["a.csv", "b.csv"]);
    expect((await run("build")).code).toBe(0);
    expect([resultsOf("a"), resultsOf("b")]).toEqual([[{ id: 1, n: "x" }], [{ id: 2, n: "y" }]]);
  });

  test("has settings for one file in the config, which the schema of the config takes", async () => {
    const files = { "a.dat": { sourceFormat: "csv", separator: ":" }, "b.csv": { encoding: "windows-1252" } };
    const db = join(cwd, "more");
    mkdirSync(db);
    write({
      "more/a.dat": "id:n\n1:x\n",
      "more/b.csv": Buffer.from("id,n\n2,\xfc\n", "latin1"),
      "more/c.csv": "id,n\n3,ü\n",
    });
    const none = await run("init --from more --all");
    expect(none.stderr).toContain(
      `more/b.csv is not text in UTF-8, from line 2 on; save it as UTF-8, or name its encoding, as in --encoding windows-1252 if all files have it, or ROLLCALL_FILES='{"b.csv":{"encoding":"windows-1252"}}' for this one; then compare some letters.`,
    );
    const io = { ...fakeIo(cwd), env: { ROLLCALL_FILES: JSON.stringify(files) } };
    expect((await rollcall("init --from more --all", io)).code).toBe(0);
    const config = read("rollcall.config.json");
    expect(config.files).toEqual(files);
    expect(editor.validate(configSchema(), config)).toBe(true);
    expect(editor.validate(configSchema(), { files: { "b.csv": { encodings: "x" } } })).toBe(false);
    expect((await run("build")).code).toBe(0);
    expect([resultsOf("a"), resultsOf("b"), resultsOf("c")]).toEqual([
      [{ id: 1, n: "x" }],
      [{ id: 2, n: "ü" }],
      [{ id: 3, n: "ü" }],
    ]);
    write({ "rollcall.config.json": JSON.stringify({ ...config, files: { ...files, "bb.csv": {} } }) });
    const refused = await run("build");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("files.bb.csv names a file that more does not have; did you mean b.csv?"),
    ]);
  });

  test.each([
    ["data/people.csv data", "data is a folder; give it alone, or give the files in it."],
    ["data/people.csv -", "Standard input is one table; write it to a file to read it with others."],
    ["data/people.csv nope.csv", "There is no file nope.csv"],
    ["data/people.csv PEOPLE.csv", "data/people.csv and PEOPLE.csv are both the table PEOPLE; rename or remove one."],
    ["data/people.csv x.json", "x.json is one JSON list; write one object a line"],
  ])("refuses %s", async (from, message) => {
    write({ "PEOPLE.csv": "id\n1\n", "x.json": '[{"id":1}]' });
    const ended = await run(`init --from ${from} --all`);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(message);
  });
});

describe("a site", () => {
  const configure = async (from = "data") => {
    expect((await run(`init --from ${from} --all`)).code).toBe(0);
    return read("rollcall.config.json");
  };

  test("has queries that see all tables, with a type for each column that says the same as its values", async () => {
    const config = await configure();
    write({
      "names.sql": "SELECT p.id, p.name || ' of ' || c.name AS name FROM people p JOIN country c ON c.code = p.country",
    });
    const { table: _, ...people } = config.listings.people;
    config.listings.people = { ...people, query: "names.sql" };
    const contract = read("contracts/people.json");
    delete contract.properties.country;
    contract.required = ["id", "name"];
    write({ "rollcall.config.json": JSON.stringify(config), "contracts/people.json": JSON.stringify(contract) });
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("people").map(({ name }: { name: string }) => name)).toEqual(["Jo of France", "Al of Spain"]);
    write({ "names.sql": "SELECT id, name FROM persons" });
    expect((await run("build")).stderr).toContain("no such table: persons; the source has country, people, visits.");
  });

  test("has marks for NULL also where a query reads them", async () => {
    write({ "data/towns.csv": "id,size,since\n1,12,2020-01-01\n2,n/a,31.12.2020\n" });
    expect((await run("init --from data --all --convert")).code).toBe(0);
    const config = read("rollcall.config.json");
    write({ "towns.sql": "SELECT * FROM towns" });
    config.listings.towns = { contract: "contracts/towns.json", query: "towns.sql" };
    write({ "rollcall.config.json": JSON.stringify(config) });
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("towns").map(({ size }: { size: number | null }) => size)).toEqual([12, null]);
  });

  test("names the line of a wrong record, and the listing of a wrong file", async () => {
    await configure();
    write({ "data/people.csv": "id,name,country\n1,Jo,FR\n\nx,Al,ES\n" });
    const { problems } = JSON.parse((await run("build --json")).stdout);
    expect(problems.first).toMatchObject([{ listing: "people", line: 4 }]);
    write({ "data/people.csv": "id,name\n1,Jo\n" });
    expect((await run("build")).stderr).toContain("listings.people: data/people.csv lacks the column country.");
  });

  test("is compared with a release", async () => {
    await configure();
    expect((await run("build")).code).toBe(0);
    expect((await run("diff data/")).code).toBe(0);
    write({ "data/people.csv": "id,name,country\n1,Joe,FR\n2,Al,ES\n" });
    const { code, stdout } = await run("diff data/ --format json");
    expect([code, JSON.parse(stdout).listings.people.changed]).toEqual([1, 1]);
  });

  test("is built from shards like any other", async () => {
    const { db: _, $schema: _schema, ...config } = await configure();
    const options = { ...config, ...STARTER, db: join(cwd, "data"), dist: join(cwd, "sharded") };
    for (const listing of Object.values<{ contract: string }>(options.listings))
      listing.contract = join(cwd, listing.contract);
    const parts = join(cwd, "parts");
    for (const shard of ["0/2", "1/2"]) await buildShard({ ...options, shard, parts });
    const joined = await buildSite({ ...options, join: parts });
    const whole = await buildSite({ ...options, dist: join(cwd, "whole") });
    expect(joined.id).toBe(whole.id);
  });
});

describe("one moment", () => {
  /** Imports the folder, to which something is done when its first file is read. @returns the names of tables, and how often files were read */
  async function importDuring(change: (readings: number) => void) {
    let readings = 0;
    const folder = join(cwd, "data");
    const find = () => {
      const files = findTextFiles(folder, {})?.files ?? [];
      return { imports: files.map((file) => ({ file, table: file.table, as: "written" as const })) };
    };
    const onRead = (bytes: number) => {
      if (bytes === FILES["data/country.tsv.gz"].length) change(++readings);
    };
    const { tables } = await importTexts("data", find, join(scratch(), "to.sqlite"), { onRead });
    return { tables: tables.map(({ table }) => table), readings };
  }

  test.each<[string, () => void, string[]]>([
    ["changes", () => write({ "data/visits.ndjson": '{"id":9}\n' }), ["country", "people", "visits"]],
    ["comes", () => write({ "data/new.csv": "id\n1\n" }), ["country", "new", "people", "visits"]],
    ["goes", () => renameSync(join(cwd, "data/visits.ndjson"), join(cwd, "v.ndjson")), ["country", "people"]],
  ])("all files are read again if one %s meanwhile", async (_, change, tables) => {
    let times = 0;
    const found = await importDuring(() => {
      if (times++ === 0) change();
    });
    expect(found).toEqual({ tables, readings: 2 });
  });

  test("all files are read again if a link led to another folder for a while", async () => {
    const link = join(cwd, "link");
    const point = (folder: string) => {
      rmSync(link, { force: true });
      symlinkSync(folder, link);
    };
    for (const folder of ["one", "two"]) {
      mkdirSync(join(cwd, folder));
      write({ [`${folder}/a.csv`]: `id\n${folder}\n`, [`${folder}/b.csv`]: `id\n${folder}\n` });
    }
    point("one");
    const find = () => {
      const files = findTextFiles(link, {})?.files ?? [];
      return { imports: files.map((file) => ({ file, table: file.table, as: "written" as const })) };
    };
    let readings = 0;
    const onRead = (bytes: number, total: number) => {
      readings++;
      if (readings === 1) point("two");
      if (readings === 2) point("one");
      expect(bytes).toBe(readings % 2 === 1 ? total / 2 : total);
    };
    const to = join(scratch(), "to.sqlite");
    await importTexts("link", find, to, { onRead });
    const db = new Database(to);
    expect(db.prepare("SELECT c1 FROM a UNION ALL SELECT c1 FROM b").pluck().all()).toEqual(["one", "one"]);
    db.close();
    expect(readings).toBe(4);
  });

  test("is refused at the third time", async () => {
    let readings = 0;
    const run = importDuring((count) => {
      readings = count;
      write({ "data/visits.ndjson": `{"id":${count}}\n` });
    });
    await expect(run).rejects.toThrow("data changed while it was read, 3 times, so nothing was published;");
    expect(readings).toBe(3);
  });
});

test("build names new columns of a file and its empty rows, and init --update adds the columns, beside a listing with a query", async () => {
  write({ "data/stops.csv": "trip,place\nT1,1\n,\nT1,2\nT2,1\n" });
  await run("init --from data/ --all");
  const build = "build --base-url http://x.example --workers 0 --no-explorer";
  expect((await run(build)).code).toBe(0);
  write({ "data/people.csv": "id,name,country,status\n1,Jo,FR,in\n2,Al,ES,out\n" });
  const { stdout, stderr } = await run(build);
  const said = `${stdout}${stderr}`;
  expect(said).toContain("stops: left out 1 empty row, line 3\n");
  expect(said).not.toContain("people/");
  expect(said).toContain("the table people has new columns that are not published: status\n");
  expect(read("rollcall.config.json").listings.stops).toHaveProperty("query");
  expect((await run("init --update")).code).toBe(0);
  expect((await run(build)).code).toBe(0);
  expect(resultsOf("people")[0]).toEqual({ id: 1, name: "Jo", country: "FR", status: "in" });
});

test("a malformed file stops the others, with its name and how to leave it out", async () => {
  write({ "data/bad.csv": "id,n\n1,2\n2\n" });
  const ended = await run("init --from data --all");
  expect([ended.code, ended.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: data\/bad\.csv, line 3: .*To go on without this file, move it away, or name the others instead\.\n$/,
    ),
  ]);
});

test("a folder with only tables of .txt is a source for diff", () => {
  const folder = join(cwd, "data/below");
  writeFileSync(join(folder, "README.txt"), "Hello, world\n");
  expect(isSourcePath(folder)).toBe(false);
  writeFileSync(join(folder, "stops.txt"), "stop_id,name\na,A\n");
  expect(isSourcePath(folder)).toBe(true);
});
