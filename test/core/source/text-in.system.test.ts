/** Text files on the command line: standard input, and settings of how files are read. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { readerEnvironment, sh, started } from "../../support/docs.js";
import { scratch } from "../../support/files.js";

let folder: string;
const env = () => readerEnvironment();
const type = (command: string) => sh(command, folder, env());
const config = () => JSON.parse(readFileSync(join(folder, "rollcall.config.json"), "utf8"));

function published(): unknown[] {
  const { results } = JSON.parse(type("cat dist/current/*/pages/1.json").stdout);
  return results;
}

beforeEach(() => {
  folder = scratch();
});

test("init and build read standard input, whose format is given", () => {
  const csv = `printf 'id,name\\n1,Ann\\n2,n/a\\n'`;
  expect(type(`${csv} | rollcall init --from - --format csv --null n/a`)).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(
      /^read +- +2 records\n(?:.*\n)*next +the same input \| rollcall build && rollcall serve\n$/,
    ),
  });
  expect(config()).toMatchObject({ db: "-", sourceFormat: "csv" });
  expect(type(`${csv} | gzip | rollcall build`)).toMatchObject({ status: 0 });
  expect(published()).toEqual([
    { id: 1, name: "Ann" },
    { id: 2, name: null },
  ]);
  const ndjson = `printf '{"id": 3, "name": "Cy"}\\n'`;
  expect(type(`${ndjson} | rollcall build --db - --format ndjson`)).toMatchObject({ status: 0 });
  expect(published()).toEqual([{ id: 3, name: "Cy" }]);
});

test("a query reads standard input as the table records", () => {
  writeFileSync(join(folder, "q.sql"), "SELECT id, upper(name) AS name FROM records");
  const csv = "printf 'id,name\\n1,Ann\\n'";
  expect(type(`${csv} | rollcall init --from - --format csv --query q.sql`)).toMatchObject({ status: 0 });
  expect(type(`${csv} | rollcall build`)).toMatchObject({ status: 0 });
  expect(published()).toEqual([{ id: 1, name: "ANN" }]);
});

test.each([
  ["rollcall build --db - < t.csv", "Standard input needs its format: pass --format csv, tsv or ndjson."],
  [
    "rollcall build --db - --format csv < /dev/null",
    "standard input is empty (0 bytes); a command must write the records to it.",
  ],
  [
    "rollcall build --db - --format csv < other.csv",
    "standard input lacks the column name. It has id, title. Name them so in its first line.",
  ],
  [
    "rollcall build --db - --format csv --shard 0/2 --parts parts < t.csv",
    "Every shard reads the source again, so it cannot be standard input; write it to a file first.",
  ],
  [
    "rollcall dev --db - --format csv < t.csv",
    "dev builds again when its file changes: give a file instead of standard input.",
  ],
])("refuses %s", (command, message) => {
  writeFileSync(join(folder, "t.csv"), "id,name\n1,Ann\n");
  writeFileSync(join(folder, "other.csv"), "id,title\n1,Ann\n");
  expect(type("rollcall init --from t.csv --quiet").status).toBe(0);
  const { status, stderr } = type(command);
  expect(stderr).toBe(`error: ${message}\n`);
  expect([1, 2]).toContain(status);
});

test("init writes how a file is read into the config, which build, dev and diff obey", async () => {
  // Separated by ~, with a quote that is a character, in windows-1252.
  writeFileSync(join(folder, "t.txt"), Buffer.from('id~name\n1~J\xfcrgen 6"\n', "latin1"));
  const flags = "--format csv --separator '~' --quote none --encoding windows-1252";
  expect(type(`rollcall init --from t.txt ${flags}`)).toMatchObject({ status: 0 });
  expect(config()).toMatchObject({ sourceFormat: "csv", separator: "~", quote: "none", encoding: "windows-1252" });
  expect(type("rollcall build")).toMatchObject({ status: 0 });
  expect(published()).toEqual([{ id: 1, name: 'Jürgen 6"' }]);

  writeFileSync(join(folder, "t.txt"), Buffer.from('id~name\n1~J\xfcrgen 7"\n', "latin1"));
  const { output } = await started("rollcall dev", "from t.txt", folder, env());
  const [url] = /http:\S+/.exec(output()) ?? [];
  const page = await (await fetch(new URL("t/?page=1", url))).json();
  expect(page).toMatchObject({ results: [{ id: 1, name: 'Jürgen 7"' }] });

  writeFileSync(join(folder, "t.csv"), Buffer.from('id~name\n1~J\xfcrgen 7"\n', "latin1"));
  const { status, stdout } = type("rollcall diff current t.csv");
  expect(stdout).toContain('name: "Jürgen 6\\"" -> "Jürgen 7\\""');
  expect(status).toBe(1);
});

test("parts of shards that read a file in different ways are not of one release", () => {
  writeFileSync(join(folder, "t.csv"), 'id,name\n1,"Ann"\n2,"Bo"\n');
  expect(type("rollcall init --from t.csv --quiet").status).toBe(0);
  expect(type("rollcall build --shard 0/2 --parts parts --page-size 1").status).toBe(0);
  expect(type("rollcall build --shard 1/2 --parts parts --page-size 1 --quote none").status).toBe(0);
  const { status, stderr } = type("rollcall build --join parts --page-size 1");
  expect(status).toBe(1);
  expect(stderr).toMatch(/settings/);
});
