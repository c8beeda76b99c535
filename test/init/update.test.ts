/** `init --update` adds new columns to a contract that was edited, and changes nothing else in it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { beforeEach, describe, expect, test } from "vitest";
import { contractOf } from "../../src/core/contract/contract.js";
import { checkContract } from "../../src/core/contract/file/parse.js";
import { lowerCase } from "../../src/core/contract/sql.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { build } from "../../src/index.js";
import { addFields } from "../../src/init/contract-edits.js";
import { updateContracts } from "../../src/init/update.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { anyTable } from "../core/contract/random.js";
import { scratch } from "../support/files.js";
import { draws } from "../support/random.js";
import { SHOP } from "../support/shop.js";
import { STATIONS } from "../support/stations.js";

const lines = (...all: string[]) => `${all.join("\n")}\n`;

/** A contract as a person writes it: a field in a line. */
const WRITTEN = `{
  "type": "object",
  "x-listing": { "path": "/things/", "words": ["thing", "things"], "key": "id", "order": ["id"],
                 "version":  7 },
  "properties": {
    "id":   { "type": "integer", "minimum": 1 },
    "name": { "type": "string", "description": "As on the door." }
  },
  "required": ["id", "name"],   "additionalProperties": false
}
`;

let folder: string;
let db: string;
let dist: string;
let contract: string;

beforeEach(() => {
  folder = scratch();
  db = join(folder, "things.csv");
  dist = join(folder, "dist");
  contract = join(folder, "rollcall.contract.json");
});

const written = () => readFileSync(contract, "utf8");

async function update(csv: string, text = WRITTEN) {
  writeFileSync(db, csv);
  writeFileSync(contract, text);
  const [found] = await updateContracts({ db, dist, contract });
  if (!found) throw new Error("There is no contract");
  return found;
}

test("adds a new column as init would, in the layout of the others, and raises the version", async () => {
  const found = await update(lines("id,name,Price [EUR],owner_email,kind", "1,A,12.5,a@example.com,x", "2,B,7.5,,x"));
  expect(written()).toBe(
    WRITTEN.replace("7 }", "8 }")
      .replace(
        `on the door." }`,
        `on the door." },
    "price_eur": { "title": "Price [EUR]", "type": "number", "x-observed": { "minimum": 7.5, "maximum": 12.5 }, "x-column": "Price [EUR]" },
    "kind": { "type": "string", "x-observed": { "maxLength": 1 } }`,
      )
      .replace(`["id", "name"]`, `["id", "name", "price_eur", "kind"]`),
  );
  expect(found).toMatchObject({ version: 8, gone: [], unread: [] });
  expect(found.added.map(({ field }) => field)).toEqual(["price_eur", "kind"]);
  expect(found.omitted.map(({ column, what }) => [column, what])).toEqual([["owner_email", "contact data"]]);
  const { records } = await build({
    db,
    contract,
    dist: join(folder, "dist"),
    baseUrl: "https://a.example",
    workers: 0,
  });
  expect(records).toBe(2);
});

test("without a new column to publish, the file stays, and fields whose column is gone are named", async () => {
  const found = await update(lines("id,owner_email", "1,a@example.com"));
  expect(written()).toBe(WRITTEN);
  expect(found).toMatchObject({ version: undefined, diff: "", gone: [{ field: "name", column: "name" }] });
});

test("a column that earlier releases left out is named and not added, but one that they named as new is", async () => {
  const publish = () => build({ db, contract, dist, baseUrl: "https://a.example", workers: 0 });
  writeFileSync(db, lines("id,name,notes", "1,A,x"));
  writeFileSync(contract, WRITTEN);
  await publish();
  for (const row of ["1,B,x,open", "1,C,x,open"]) {
    writeFileSync(db, lines("id,name,notes,status", row));
    await publish();
  }
  const [found] = await updateContracts({ db, dist, contract });
  expect(found?.added.map(({ field }) => field)).toEqual(["status"]);
  expect(found?.left.map(({ column }) => column)).toEqual(["notes"]);
  await publish();
  // A person removes the field again.
  writeFileSync(contract, WRITTEN.replace("7 }", "9 }"));
  await publish();
  const text = written();
  expect(await updateContracts({ db, dist, contract })).toMatchObject([{ added: [], version: undefined }]);
  expect(written()).toBe(text);
});

test("an object of NDJSON that holds fields is not a new column", async () => {
  db = join(folder, "stations.ndjson");
  const { "x-observed": _, ...file } = STATIONS;
  await update(lines('{"code": "ABCD", "position": {"latitude": 1, "longitude": 2}, "rank": 3}'), JSON.stringify(file));
  const { properties } = JSON.parse(written());
  expect(Object.keys(properties)).toEqual([...Object.keys(STATIONS.properties), "rank"]);
});

test("columns that a query does not read are named", async () => {
  const query = join(folder, "query.sql");
  writeFileSync(query, "SELECT id, label AS name FROM things");
  writeFileSync(db, lines("id,label,status", "1,A,open"));
  writeFileSync(contract, WRITTEN);
  expect(await updateContracts({ db, dist, contract, query })).toMatchObject([
    { added: [], gone: [], unread: ["status"] },
  ]);
  writeFileSync(query, "SELECT id, label AS name, status FROM things");
  expect(await updateContracts({ db, dist, contract, query })).toMatchObject([
    { added: [{ field: "status" }], unread: [] },
  ]);
});

test("a contract that would have mistakes stays as it is, and so does one with mistakes", async () => {
  const full = WRITTEN.replace("7 }", `${Number.MAX_SAFE_INTEGER} }`);
  await expect(update(lines("id,status", "1,x"), full)).rejects.toThrow("The new columns do not fit into");
  expect(written()).toBe(full);
  const wrong = WRITTEN.replace(`"key": "id"`, `"key": "none"`);
  await expect(update(lines("id,status", "1,x"), wrong)).rejects.toThrow("is not a valid contract");
  expect(written()).toBe(wrong);
});

test("a contract of two listings is refused", async () => {
  writeFileSync(contract, WRITTEN);
  const listings = { one: { contract }, two: { contract } };
  await expect(updateContracts({ db, dist, listings })).rejects.toThrow(
    "is the contract of one and two, which have columns of their own",
  );
});

test("of a site, all contracts are written, or none", async () => {
  const path = join(folder, "shop.db");
  const database = new Database(path);
  database.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER, rank INTEGER);
    INSERT INTO customers VALUES (1, 'A', 'Rome'); INSERT INTO categories VALUES (1, 'A', NULL, 1)`);
  mkdirSync(join(folder, "contracts"));
  const listings = Object.fromEntries(
    (["categories", "customers"] as const).map((name) => {
      const file = join(folder, "contracts", `${name}.json`);
      writeFileSync(file, JSON.stringify(SHOP[name].contract));
      return [name, { contract: file }];
    }),
  );
  database.exec("ALTER TABLE customers RENAME TO people");
  await expect(updateContracts({ db: path, dist, listings })).rejects.toThrow("has no table or view");
  const texts = () => Object.values(listings).map(({ contract: file }) => JSON.parse(readFileSync(file, "utf8")));
  expect(texts().map((file) => file["x-listing"].version)).toEqual([1, 1]);
  database.exec("ALTER TABLE people RENAME TO customers");
  await updateContracts({ db: path, dist, listings });
  expect(texts().map(({ required }) => required.at(-1))).toEqual(["rank", "city"]);
  database.close();
});

describe("the command", () => {
  test("prints a diff on stdout, and a line for each column", async () => {
    writeFileSync(db, lines("id,status,owner_email", "1,open,a@example.com"));
    writeFileSync(contract, WRITTEN);
    writeFileSync(join(folder, "rollcall.config.json"), '{"db": "things.csv"}');
    expect(await rollcall("init --update", fakeIo(folder))).toEqual({
      code: 0,
      stdout: `\
--- rollcall.contract.json
+++ rollcall.contract.json
@@ -1,10 +1,11 @@
 {
   "type": "object",
   "x-listing": { "path": "/things/", "words": ["thing", "things"], "key": "id", "order": ["id"],
-                 "version":  7 },
+                 "version":  8 },
   "properties": {
     "id":   { "type": "integer", "minimum": 1 },
-    "name": { "type": "string", "description": "As on the door." }
+    "name": { "type": "string", "description": "As on the door." },
+    "status": { "type": "string", "x-observed": { "maxLength": 4 } }
   },
-  "required": ["id", "name"],   "additionalProperties": false
+  "required": ["id", "name", "status"],   "additionalProperties": false
 }
`,
      stderr: expect.stringContaining("contact data: its name says so"),
    });
    const again = await rollcall("init --update", fakeIo(folder));
    expect(again.stdout).toBe("");
    expect(again.stderr).toMatch(/^gone +name +the source has no column name any more/m);
    expect(again.stderr).toMatch(/^same .*no new column to publish$/m);
  });

  test("prints what docs/guides/your-data.md shows", async () => {
    db = join(folder, "stations.csv");
    writeFileSync(db, lines("id,name,status", "A,Alm,open", "B,Berg,closed"));
    writeFileSync(
      contract,
      `{
  "title": "Station",
  "type": "object",
  "x-listing": {
    "path": "/stations/",
    "words": ["station", "stations"],
    "key": "id",
    "order": ["id"],
    "version": 1
  },
  "properties": {
    "id": { "type": "string" },
    "name": { "type": "string", "minLength": 1 }
  },
  "required": ["id", "name"],
  "additionalProperties": false
}
`,
    );
    writeFileSync(join(folder, "rollcall.config.json"), '{"db": "stations.csv"}');
    const { stdout, stderr } = await rollcall("init --update", fakeIo(folder));
    expect(readFileSync("docs/guides/your-data.md", "utf8")).toContain(`\`\`\`text\n${stdout}\`\`\``);
    expect(stderr.replace(/ {2,}/g, "  ")).toBe(`\
read  stations.csv
publish  status  text: up to 6 characters
write  rollcall.contract.json  1 new field, version 2; published data is public
`);
  });

  test("takes how to read the source from flags and the config, and says what becomes null", async () => {
    writeFileSync(db, lines("id;name;count", "1;A, B;3", "2;C;n/a", "3;D;4"));
    writeFileSync(contract, WRITTEN);
    writeFileSync(join(folder, "rollcall.config.json"), '{"db": "things.csv", "separator": ","}');
    const { code, stderr } = await rollcall("init --update --separator ;", fakeIo(folder));
    expect([code, stderr]).toEqual([0, expect.stringContaining('"n/a" becomes null, in 1 of 3 rows')]);
    expect(JSON.parse(written()).properties.count["x-null-marks"]).toEqual(["n/a"]);
  });

  test.each([
    ["init --update", '{"db": "things.csv"}', "There is no contract file to update"],
    ["init --update", "{}", "db is not set"],
    ["init --update --from things.csv", '{"db": "things.csv"}', "--from is for a new contract"],
    ["init --update --convert", '{"db": "things.csv"}', "--convert is for a new contract"],
  ])("%s with the config %s is refused: %s", async (line, config, message) => {
    writeFileSync(join(folder, "rollcall.config.json"), config);
    const { code, stderr } = await rollcall(line, fakeIo(folder));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

/** Contracts of the tests, in layouts that people and programs write. */
const anyContract = fc
  .tuple(
    fc.oneof(
      fc.constantFrom<object>(STATIONS, USERS_CONTRACT.file, SHOP.orders.contract, JSON.parse(WRITTEN)),
      anyTable.map(({ file }) => file),
    ),
    fc.constantFrom<string | number>(0, 1, 2, 4, "\t"),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\uFEFF"),
    fc.constantFrom("", "\n"),
  )
  .map(([file, indent, lineEnd, mark, end]) => {
    return mark + (JSON.stringify(file, null, indent) + end).replaceAll("\n", lineEnd);
  });
const anyText = fc.oneof(fc.constant(WRITTEN), fc.constant(WRITTEN.replaceAll("\n", "\r\n")), anyContract);

const anyName = fc.oneof(
  fc.constantFrom(
    "status",
    "Day-ahead Price [EUR/MWh]",
    "constructor",
    "größe",
    "inner",
    "e-mail",
    "2020",
    "a b",
    "a_b",
  ),
  fc.stringMatching(/^[A-Za-z][\w /%()#-]{0,8}[a-z]$/),
);

/** The text with the version and the list of required fields as in another one, and without fields that only it has. */
function asBefore(now: string, before: string): string {
  const start = now.startsWith("\uFEFF") ? 1 : 0;
  const [text, old] = [now.slice(start), before.slice(start)];
  const nodeIn = (of: string, ...path: string[]) => findNodeAtLocation(parseTree(of) as Node, path) as Node;
  const raw = ({ offset, length }: Node) => old.slice(offset, offset + length);
  const [version, required] = [["x-listing", "version"], ["required"]] as const;
  const known = nodeIn(old, "properties").children ?? [];
  const fields = nodeIn(text, "properties").children ?? [];
  const [last, added] = [fields[known.length - 1] as Node, fields.at(-1) as Node];
  const pieces = [
    { node: nodeIn(text, ...version), by: raw(nodeIn(old, ...version)) },
    { node: nodeIn(text, ...required), by: raw(nodeIn(old, ...required)) },
    {
      node: { offset: last.offset + last.length, length: added.offset + added.length - last.offset - last.length },
      by: "",
    },
  ];
  pieces.sort((one, other) => other.node.offset - one.node.offset);
  let changed = text;
  for (const { node, by } of pieces)
    changed = changed.slice(0, node.offset) + by + changed.slice(node.offset + node.length);
  return now.slice(0, start) + changed;
}

test("in any contract, what was there stays byte for byte, whatever columns come and go", async () => {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const inputs = fc.record({
    text: anyText,
    added: fc.uniqueArray(anyName, { maxLength: 4, selector: lowerCase }),
    removed: fc.nat({ max: 3 }),
    renamed: fc.nat({ max: 2 }),
  });
  const property = fc.asyncProperty(inputs, async ({ text, added, removed, renamed }) => {
    const file = JSON.parse(text.replace(/^\uFEFF/, ""));
    const own = [...new Map(contractOf(file).fields.map(({ column }) => [lowerCase(column), column])).values()];
    const left = own.slice(removed).map((column, at) => (at < renamed ? `${column} new` : column));
    const fresh = added.filter((name) => ![...own, ...left].some((column) => lowerCase(column) === lowerCase(name)));
    const columns = [...fresh.slice(0, 2), ...left, ...fresh.slice(2), "zz"];
    writeFileSync(db, lines(columns.map(cell).join(","), columns.map((_, at) => `v${at}`).join(",")));
    writeFileSync(contract, text);
    const [found] = await updateContracts({ db, dist, contract });
    expect(asBefore(written(), text)).toBe(text);
    const now = JSON.parse(written().replace(/^\uFEFF/, ""));
    const names = found?.added.map(({ field }) => field) ?? [];
    expect(Object.keys(now.properties).sort()).toEqual([...Object.keys(file.properties), ...names].sort());
    expect(now.required).toEqual([...file.required, ...names]);
    expect(now["x-listing"].version).toBe(file["x-listing"].version + 1);
    expect("mistakes" in checkContract(written())).toBe(false);
    const known = new Set([...contractOf(now).fields.map(({ column }) => lowerCase(column))]);
    const omitted = found?.omitted.map(({ column }) => column) ?? [];
    for (const column of columns) expect(known.has(lowerCase(column)) || omitted.includes(column), column).toBe(true);
  });
  await fc.assert(property, { numRuns: draws(150) });
});

test("a diff shows all changes, and nothing else", () => {
  const fields = new Map([["new", { type: "string" } as const]]);
  fc.assert(
    fc.property(anyText, (text) => {
      const { text: now, diff } = addFields(text, fields, "a.json");
      expect(applied(text.replace(/^\uFEFF/, ""), diff)).toBe(now.replace(/^\uFEFF/, ""));
    }),
    { numRuns: draws(300) },
  );
});

/** The text after the changes of a unified diff. */
function applied(text: string, diff: string): string {
  const old = text.split("\n");
  const now: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(2)) {
    const [, from, count, to] = /^@@ -(\d+),(\d+) \+(\d+),\d+ @@$/.exec(line) ?? [];
    if (from !== undefined) {
      now.push(...old.slice(at, Number(from) - 1));
      at = Number(from) - 1;
      expect([now.length + 1, Number(count)]).toEqual([Number(to), expect.any(Number)]);
    } else if (line.startsWith("+")) now.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      if (line.startsWith(" ")) now.push(line.slice(1));
      at++;
    }
  }
  return [...now, ...old.slice(at)].join("\n");
}

describe("the references of new columns", () => {
  const run = (line: string) => rollcall(line, fakeIo(folder));
  const propertiesOf = (listing: string) =>
    JSON.parse(readFileSync(join(folder, `contracts/${listing}.json`), "utf8")).properties;

  test("are made of foreign keys that hold, and others are notes", async () => {
    const db = new Database(join(folder, "shop.db"));
    db.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, 'Ada');
      CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); INSERT INTO orders VALUES (5, 1.5)`);
    expect((await run("init --from shop.db --all")).code).toBe(0);
    db.exec(`PRAGMA foreign_keys = OFF;
      ALTER TABLE orders ADD COLUMN customer INTEGER REFERENCES customers;
      ALTER TABLE orders ADD COLUMN payer INTEGER REFERENCES customers;
      UPDATE orders SET customer = 1, payer = 2`);
    db.close();
    const ended = await run("init --update");
    expect([ended.code, ended.stderr]).toEqual([
      0,
      expect.stringContaining("orders.payer is not a reference to customers: 1 value of it is not there"),
    ]);
    expect(propertiesOf("orders").customer).toEqual({ type: "integer", "x-references": "customers" });
    expect(propertiesOf("orders").payer).not.toHaveProperty("x-references");
    expect((await run("build")).code).toBe(0);
  });

  test("are shown by names of text files, with --references, and those of other columns stay", async () => {
    mkdirSync(join(folder, "data"));
    const write = (name: string, text: string) => writeFileSync(join(folder, "data", name), text);
    write("authors.csv", "id,name\n1,Jane\n");
    write("books.csv", "id,author\n1,1\n");
    write("loans.csv", "id\n7\n");
    expect((await run("init --from data --all")).code).toBe(0);
    write("books.csv", "id,author,author_id\n1,1,1\n");
    const without = await run("init --update");
    expect(without.stderr).toContain(
      'references that hold: books.author_id to authors; add "x-references" to their fields, and a build',
    );
    expect(propertiesOf("books").author_id).not.toHaveProperty("x-references");
    write("loans.csv", "id,book_id\n7,1\n");
    const ended = await run("init --update --references");
    expect(ended.stderr).not.toContain("references that hold");
    expect(propertiesOf("loans").book_id).toEqual({ type: "integer", "x-references": "books" });
    expect((await run("build")).code).toBe(0);
    expect((await run("init --update --references loans.book_id=books")).code).toBe(2);
  });
});

test("--config names the settings", async () => {
  writeFileSync(db, "id,name,kind\n1,A,x\n");
  writeFileSync(contract, WRITTEN);
  writeFileSync(join(folder, "other.json"), JSON.stringify({ db: "things.csv", contract: "rollcall.contract.json" }));
  expect((await rollcall("init --update --config other.json", fakeIo(folder))).code).toBe(0);
  expect(written()).toContain('"kind"');
  const refused = await rollcall("init --config other.json", fakeIo(folder));
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("--config names the settings for --update"),
  ]);
});
