/** References between text files, which declare none: those that names of columns show, and those that `--references` names. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { isNamedAfter } from "../../src/init/names.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { scratch } from "../support/files.js";

let cwd: string;
const run = (line: string) => rollcall(line, fakeIo(cwd));
const read = (name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));
const propertiesOf = (listing: string) => read(`contracts/${listing}.json`).properties;
const resultsOf = (listing: string) => read(`dist/current/${listing}/pages/1.json`).results;
const write = (files: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
};

/** The lines of stderr of some verbs, each with single spaces. */
function linesOf({ stderr }: { stderr: string }, ...verbs: string[]): string[] {
  const lines = stderr.split("\n").map((line) => line.trim().replace(/ {2,}/g, "  "));
  return lines.filter((line) => verbs.includes(line.split(" ")[0] ?? ""));
}

const PUBLIC =
  "note  published data is public; to omit a column or a table, remove it from its contract or from the settings";

const LIBRARY = {
  "authors.csv": "id,name\n1,Jane\n2,Mary\n",
  "books.csv": "id;title;author_id\n1;Emma;1\n2;Frankenstein;2\n3;Lodore;\n",
  "loans.ndjson": '{"id":7,"book":3}\n{"id":8,"book":1}\n',
};

beforeEach(() => {
  cwd = scratch();
});

describe("the name of a column", () => {
  test.each([
    ["country", "country", "id"],
    ["countries", "country", "id"],
    ["country", "countries", "id"],
    ["country_code", "Countries", "code"],
    ["countryCode", "country", "code"],
    ["bus_id", "buses", "id"],
    ["trip_id", "trips", "trip_id"],
    ["order_item", "order_items", "id"],
  ])("%s is that of the table %s with the key %s", (column, table, key) => {
    expect(isNamedAfter(column, table, key)).toBe(true);
  });

  test.each([
    ["country_id", "countries", "code"],
    ["home_country", "countries", "id"],
    ["id", "countries", "id"],
    ["service_id", "calendar", "service_id"],
    ["count", "countries", "id"],
  ])("%s is not that of the table %s with the key %s", (column, table, key) => {
    expect(isNamedAfter(column, table, key)).toBe(false);
  });
});

describe("references that names show", () => {
  test("are named in a note, and written with --references", async () => {
    write(LIBRARY);
    const without = await run("init --from authors.csv books.csv loans.ndjson --all");
    expect(linesOf(without, "note", "refer")).toEqual([
      "note  references that hold: books.author_id to authors, loans.book to books; --references writes them, and a build then refuses a value without a record",
      PUBLIC,
    ]);
    expect(propertiesOf("books").author_id).not.toHaveProperty("x-references");
    cwd = scratch();
    write(LIBRARY);
    const ended = await run("init --from authors.csv books.csv loans.ndjson --all --references");
    expect(linesOf(ended, "note", "refer")).toEqual([
      "refer  books.author_id  a record of authors",
      "refer  loans.book  a record of books",
      PUBLIC,
    ]);
    expect(propertiesOf("books").author_id).toEqual({ type: ["integer", "null"], "x-references": "authors" });
    expect((await run("build")).code).toBe(0);
    write({ "authors.csv": "id,name\n1,Jane\n" });
    const refused = await run("build");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("author_id")]);
  });

  test("do not hold if a value is not a key, which a note says unless the name is a coincidence", async () => {
    const ids = Array.from({ length: 20 }, (_, at) => at);
    write({
      "authors.csv": "id,name\n0,Jane\n",
      "books.csv": `id,author\n${ids.map((id) => `${id},${id === 13 ? 99 : 0}`).join("\n")}\n`,
      "loans.csv": `id,author\n${ids.map((id) => `${id},${id}`).join("\n")}\n`,
      "empty.csv": "id,author\n1,\n2,n/a\n",
    });
    const ended = await run("init --from . --all --references");
    expect(linesOf(ended, "note", "refer")).toEqual([
      'note  books.author is not a reference to authors: 1 value of it is not there, such as "99" in line 15',
      PUBLIC,
    ]);
  });

  test("take texts that mean NULL for no value, and cells of whole numbers for texts if the keys are", async () => {
    write({
      "stops.csv": "stop_id,name\n1,A\n3,C\nB2,B\n",
      "times.csv": "id,stop_id,note\n5,1,x\n6,n/a,y\n7,1,z\n",
      "visits.csv": "stop_id,nr\n1,1\n1,2\n3,1\n",
    });
    expect((await run("init --from . --all --references --null n/a")).code).toBe(0);
    expect(propertiesOf("times").stop_id).toEqual({
      type: ["string", "null"],
      "x-null-marks": ["n/a"],
      "x-references": "stops",
    });
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("times").map((record: { stop_id: unknown }) => record.stop_id)).toEqual(["1", null, "1"]);
    // Its key is made by a query, which would read numbers.
    expect(resultsOf("visits")[0]).toEqual({ id: "1:1", stop_id: "1", nr: 1 });
  });

  test("are those of columns named as the key of one table, if that name has several words", async () => {
    write({
      "Bäume.csv": "Baum-Nr;Park-Nr;Art\n10;1;Linde\n11;;Eiche\n12;1;Eiche\n",
      "Grünanlagen.csv": "Park-Nr;Name\n1;Ostpark\n2;Südpark\n",
      "Kontrollen.csv": "Nr;Baum-Nr\n1;10\n2;12\n3;10\n",
      "Fotos.csv": "Nr;Datei\n1;a.jpg\n2;b.jpg\n",
    });
    const ended = await run("init --from . --all --references");
    expect(linesOf(ended, "refer")).toEqual([
      "refer  baeume.park_nr  a record of gruenanlagen",
      "refer  kontrollen.baum_nr  a record of baeume",
    ]);
    expect((await run("build")).code).toBe(0);
  });

  test("are not those of columns named as the keys of two tables", async () => {
    write({
      "trees.csv": "plant_no,art\n10,lime\n11,oak\n",
      "heights.csv": "plant_no,height\n10,12\n11,20\n",
      "photos.csv": "id,plant_no\n1,10\n2,10\n",
    });
    const ended = await run("init --from . --all --references");
    expect(linesOf(ended, "refer")).toEqual([]);
  });

  test("lead to keys of several columns, which a query makes", async () => {
    write({
      "stop_times.csv": "trip:id,stop_sequence,at\nT:1,1,08:00\nT:1,2,08:10\nT2,1,09:00\n",
      "delays.csv": "id,trip:id,stop_sequence\n1,T:1,2\n2,T2,1\n3,,\n",
      "twins.csv": "trip:id,stop_sequence,seen\nT:1,1,x\nT:1,2,x\nT2,1,x\n",
    });
    const ended = await run("init --from . --all --references");
    expect(linesOf(ended, "refer")).toEqual(["refer  delays.stop_time_id  a record of stop_times"]);
    expect((await run("build")).code).toBe(0);
    const times = resultsOf("stop_times").map((record: { id: unknown }) => record.id);
    expect(times).toEqual(["T2:1", "T~11:1", "T~11:2"]);
    expect(resultsOf("delays").map((record: { stop_time_id: unknown }) => record.stop_time_id)).toEqual([
      "T~11:2",
      "T2:1",
      null,
    ]);
  });
});

describe("references that the user names", () => {
  const SHOP = {
    "kunden.csv": "nr,name\nK1,Ada\nK2,Bo\n",
    "orders.csv": "id,wer,ort\n1,K1,x\n2,K2,y\n3,K9,z\n",
    "lines.csv": "order,line,what\n1,1,a\n1,2,a\n2,1,a\n",
    "parcels.csv": "id,o,l,kunde\n1,1,2,K1\n2,2,1,K2\n",
  };

  test("are written beside those that names show", async () => {
    write(SHOP);
    const ended = await run("init --from . --all --references parcels.o+L=lines --references parcels.kunde=Kunden");
    expect(linesOf(ended, "refer")).toEqual([
      "refer  lines.order  a record of orders",
      "refer  parcels.kunde  a record of kunden",
      "refer  parcels.line_id  a record of lines",
    ]);
    expect((await run("build")).code).toBe(0);
    expect(resultsOf("parcels").map((record: { line_id: unknown }) => record.line_id)).toEqual(["1:2", "2:1"]);
  });

  test.each([
    [
      "orders.wer=kunden",
      '--references orders.wer=kunden does not hold: 1 value of it is not there, such as "K9" in line 4.',
    ],
    ["orders.wer=nope", "names a table that is not a listing; listings are made of kunden, lines, orders, parcels."],
    ["orders.nope=kunden", "names a column that orders does not have; it has id, wer, ort."],
    ["parcels.o=lines", "the key of lines is made of order, line; name as many columns, joined by +."],
    ["orders.wer=orders", "its values are string, and keys there integer"],
    ["kunden", "must be true, false or a list of columns and tables, such as orders.customer=customers"],
  ])("are refused with the reason: %s", async (given, message) => {
    write(SHOP);
    const ended = await run(`init --from . --all --references ${given}`);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain(message);
    expect(readdirSync(cwd).sort()).toEqual(Object.keys(SHOP).sort());
  });

  test("are refused for one table", async () => {
    write(SHOP);
    const ended = await run("init --from orders.csv --references orders.wer=kunden");
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("is for several text files and --all")]);
  });
});
