/** Columns and tables that are new in the source, and not in the contract, are named and never published. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import { build, buildShard, diff } from "../../src/index.js";
import { readTree, scratch } from "../support/files.js";

const baseUrl = "https://example.com";
const lines = (...all: string[]) => `${all.join("\n")}\n`;

const STATIONS: ContractFile = {
  title: "Station",
  type: "object",
  "x-listing": { path: "/stations/", words: ["station", "stations"], key: "id", order: ["id"], version: 1 },
  properties: { id: { type: "integer" }, name: { type: "string" } },
  required: ["id", "name"],
  additionalProperties: false,
};

type Options = Partial<Parameters<typeof build>[0]>;

/** A folder with a text file, and builds of it. */
function workplace(name: string, options: Options = {}) {
  const folder = scratch();
  const db = join(folder, name);
  const dist = join(folder, "dist");
  const publish = (text: string, more: Options = {}) => {
    writeFileSync(db, text);
    return build({ db, contract: STATIONS, dist, baseUrl, workers: 0, ...options, ...more });
  };
  return { folder, db, dist, publish };
}

const notesOf = async (step: ReturnType<typeof build>) => (await step).sourceNotes;

test("a build names a new column until there is another release, and no release has it", async () => {
  const { dist, publish } = workplace("stations.csv");
  // Columns that were left out before are known.
  expect(await notesOf(publish(lines("id,owner_email,name", "1,a@example.com,A")))).toEqual([]);
  const added = lines("id,owner_email,flood_risk,name,Größe", "1,a@example.com,open,A,3");
  const note = "stations.csv has new columns that are not published: flood_risk, Größe";
  expect(await notesOf(publish(added))).toEqual([note]);
  expect(await notesOf(publish(added))).toEqual([note]);
  expect(await notesOf(publish(added.replace(",A,", ",B,")))).toEqual([note]);
  expect(await notesOf(publish(added))).toEqual([]);
  const published = [...readTree(join(dist, "releases"))].map(([path, content]) => path + content).join("");
  for (const word of ["flood_risk", "owner_email", "Größe"]) expect(published).not.toContain(word);
});

test("a column that the contract has is not named, also by another case", async () => {
  const { publish } = workplace("stations.csv");
  await publish(lines("id,name", "1,A"));
  const more: ContractFile = {
    ...STATIONS,
    properties: { ...STATIONS.properties, state: { type: "string", "x-column": "Status" } },
    required: [...STATIONS.required, "state"],
  };
  expect(await notesOf(publish(lines("id,name,status", "1,A,open"), { contract: more }))).toEqual([]);
});

test("new members of NDJSON are named, but not an object that holds a field", async () => {
  const position: ContractFile = {
    ...STATIONS,
    properties: {
      id: { type: "integer" },
      position: {
        type: "object",
        properties: { latitude: { type: "number" } },
        required: ["latitude"],
        additionalProperties: false,
      },
    },
    required: ["id", "position"],
  };
  const { publish } = workplace("stations.ndjson", { contract: position });
  await publish(lines('{"id": 1, "position_latitude": 1.5}'));
  const later = lines(
    '{"id": 1, "position": {"latitude": 1.5}}',
    '{"id": 2, "position": {"latitude": 2}, "status": 1}',
  );
  expect(await notesOf(publish(later))).toEqual(["stations.ndjson has new columns that are not published: status"]);
});

test("of a query, the columns behind it are named, unless it names them", async () => {
  const folder = scratch();
  const [db, dist, query] = ["my.sqlite", "dist", "query.sql"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const database = new Database(db);
  database.exec(`CREATE TABLE places (id INTEGER PRIMARY KEY, label TEXT); INSERT INTO places VALUES (1, 'A');
    CREATE TABLE others (id INTEGER PRIMARY KEY, x); CREATE INDEX by_label ON places (label, id)`);
  writeFileSync(query, "SELECT id, label AS name FROM places WHERE label > ''");
  const publish = () => build({ db, contract: STATIONS, query, dist, baseUrl, workers: 0 });
  expect(await notesOf(publish())).toEqual([]);
  database.exec("ALTER TABLE places ADD COLUMN status; ALTER TABLE others ADD COLUMN y; CREATE TABLE more (z)");
  expect(await notesOf(publish())).toEqual(["the table places has new columns that are not published: status"]);
  writeFileSync(query, "SELECT id, label || coalesce(status, '') AS name FROM places");
  expect(await notesOf(publish())).toEqual([]);
  database.close();
});

test("of a query of a text file, the columns of the file are named", async () => {
  const { folder, publish } = workplace("stations.csv");
  const query = join(folder, "query.sql");
  writeFileSync(query, "SELECT id, name FROM stations");
  await publish(lines("id,name", "1,A"), { query });
  const note = "stations.csv has new columns that are not published: status";
  expect(await notesOf(publish(lines("id,name,status", "1,A,x"), { query }))).toEqual([note]);
});

test("of a site, new tables are named, too", async () => {
  const folder = scratch();
  const db = join(folder, "shop.db");
  const database = new Database(db);
  database.exec("CREATE TABLE stations (id INTEGER PRIMARY KEY, name); CREATE TABLE secrets (id INTEGER PRIMARY KEY)");
  const { path: _, ...listing } = STATIONS["x-listing"];
  const listings = { stations: { contract: { ...STATIONS, "x-listing": listing } } };
  const publish = () => build({ db, listings, dist: join(folder, "dist"), baseUrl, workers: 0 });
  expect(await notesOf(publish())).toEqual([]);
  database.exec("ALTER TABLE stations ADD COLUMN status; ALTER TABLE secrets ADD COLUMN x; CREATE TABLE more (id)");
  expect(await notesOf(publish())).toEqual([
    "the table stations has new columns that are not published: status",
    "shop.db has new tables that are not published: more",
  ]);
  database.close();
});

test("a diff of a source names what is new since the last release", async () => {
  const { folder, db, dist, publish } = workplace("stations.csv");
  await publish(lines("id,name", "1,A"));
  writeFileSync(db, lines("id,name,status", "1,B,open", ",,"));
  const notes: string[] = [];
  const onNote = (note: string) => void notes.push(note);
  const found = await diff({ old: "current", new: "stations.csv", dist, contract: STATIONS }, { cwd: folder, onNote });
  found.close();
  expect(notes).toEqual([
    "stations.csv: left out 1 empty row, line 3",
    "stations.csv has new columns that are not published: status",
  ]);
});

test("a join names them as a build does", async () => {
  const { folder, db, dist, publish } = workplace("stations.csv");
  await publish(lines("id,name", "1,A"));
  writeFileSync(db, lines("id,name,status", "1,B,open"));
  const options = { db, contract: STATIONS, dist, baseUrl, workers: 0 };
  const parts = join(folder, "parts");
  await buildShard({ ...options, shard: "0/1", parts });
  const { sourceNotes } = await build({ ...options, join: parts });
  expect(sourceNotes).toEqual(["stations.csv has new columns that are not published: status"]);
});

test("without the list, or with a damaged one, nothing is new, and the list is written again", async () => {
  const { dist, publish } = workplace("stations.csv");
  const list = join(dist, ".source-columns.json");
  await publish(lines("id,name", "1,A"));
  for (const damage of [() => rmSync(list), () => writeFileSync(list, "{")]) {
    damage();
    expect(await notesOf(publish(lines("id,name,status", "1,A,x")))).toEqual([]);
    expect(existsSync(list)).toBe(true);
    expect(readFileSync(list, "utf8")).toContain("status");
  }
});
