/** datapackage.json: made with the release of a listing and of a site, true of each cell, and verified. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { type BuildOptions, build, InvalidRecordsError, verify } from "rollcall";
import { describe, expect, test } from "vitest";
import { type Contract, contractOf } from "../../../../src/core/contract/contract.js";
import type { ContractFile, FieldSchema } from "../../../../src/core/contract/file/form.js";
import { csvColumns, csvName } from "../../../../src/core/contract/record/csv.js";
import { valueAt } from "../../../../src/core/contract/record/value.js";
import { USERS, USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { sha256 } from "../../../../src/core/release/plain-files.js";
import { anyTable, writeTable } from "../../../core/contract/random.js";
import { reseal } from "../../../support/damage.js";
import { plainRows, usersFile } from "../../../support/database.js";
import { checkSums, scratch } from "../../../support/files.js";
import { HOSTILE } from "../../../support/hostile.js";
import { draws } from "../../../support/random.js";
import { changeShop, SHOP, writeShop } from "../../../support/shop.js";
import { STATIONS, STATIONS_CONTRACT, stationsFile } from "../../../support/stations.js";
import { thingsWith } from "../parquet-files.js";
import { readPackage, type TableRow } from "./reading.js";
import { specifiedCheck } from "./specified.js";

const PATH = "datapackage.json";
const SAMPLE = new URL("../../../../data/users.sqlite", import.meta.url).pathname;
const baseUrl = "https://directory.example.com";
const isSpecified = specifiedCheck();

const built = (options: Omit<BuildOptions, "baseUrl">) =>
  build({ pageSize: 1000, baseUrl, csv: true, dataPackage: true, workers: 0, ...options });

/** Reads the package of a release and each cell by its schema. */
function readAll(folder: string) {
  const read = readPackage(folder);
  isSpecified(read.described);
  expect(isSpecified.errors ?? []).toEqual([]);
  return read;
}

/** The records of the first page. */
function recordsOf(folder: string, { listing }: Contract): unknown[] {
  return JSON.parse(readFileSync(join(folder, `${listing.path.slice(1)}pages/1.json`), "utf8")).results;
}

/** Compares what was read with the records: dates and times as texts, JSON as it is written, and texts with or without an apostrophe. */
function expectRecords(rows: readonly TableRow[], records: readonly unknown[], contract: Contract): void {
  expect(rows.length).toBe(records.length);
  const { fields } = csvColumns(contract);
  for (const [at, record] of records.entries())
    for (const field of fields) {
      const name = csvName(field);
      const value = rows[at]?.get(name);
      const own = valueAt(record, field) ?? null;
      const isText = typeof own === "string";
      const texts = isText ? [own, `'${own}`, JSON.stringify(own)] : [stringify(own)];
      // In CSV, null and an empty text are one where both are allowed.
      if (value === null) expect([null, ""], `${name} of ${at}`).toContain(own);
      else expect(typeof value === "string" ? texts : [own], `${name} of ${at}`).toContainEqual(value);
    }
}

describe("each cell is what the package says", () => {
  test("of the sample", async () => {
    const { folder } = await built({ db: SAMPLE, dist: scratch() });
    const { described, tables } = readAll(folder);
    expect(described.resources.map(({ name }) => name)).toEqual(["users"]);
    expectRecords(tables.get("users") ?? [], recordsOf(folder, USERS_CONTRACT), USERS_CONTRACT);
    checkSums(folder);
  });

  test("of stations, with every kind of field", async () => {
    const { folder } = await built({ db: stationsFile(300), contract: STATIONS, dist: scratch(), parquet: true });
    const { described, tables } = readAll(folder);
    expect(described.resources.map(({ name }) => name)).toEqual(["stations", "stations.parquet"]);
    expect(described.resources[0]?.schema.primaryKey).toEqual(["code"]);
    expectRecords(tables.get("stations") ?? [], recordsOf(folder, STATIONS_CONTRACT), STATIONS_CONTRACT);
  });

  test("of no records", async () => {
    const { folder } = await built({ db: usersFile([]), dist: scratch() });
    expect(readAll(folder).tables.get("users")).toEqual([]);
  });

  test("of hostile values", async () => {
    const nullable = { type: ["string", "null"] } as const;
    const fields: Record<string, FieldSchema> = {
      ID: { ...nullable, "x-column": "other" },
      id: { type: "string" },
      "=name": { enum: ["=1+1", "x"] },
      big: { type: "integer" },
      real: { type: "number" },
      at: { type: ["string", "null"], format: "date-time" },
      mixed: { anyOf: [{ type: "number" }, { type: "string" }] },
      list: { type: ["array", "null"], items: { "x-json": true }, maxItems: 9 },
      any: { "x-json": true },
      is: { type: ["boolean", "null"] },
    };
    const most = Number.MAX_SAFE_INTEGER;
    const texts = ["", "-1", "'-1", "null", "true", "\ttab", "\rreturn", "＝1", "a,b;c", '"', "\n", "\r\n", ...HOSTILE];
    const rows = texts.map((text, at) => ({
      // Beyond what a number holds.
      key: `${9_007_199_254_740_993n + BigInt(at)}`,
      other: at % 2 === 0 ? null : text,
      id: text,
      "=name": at % 2 === 0 ? "=1+1" : "x",
      big: [most, -most, 0][at % 3],
      real: [1e308, -5e-324, 0.1, 1e21, -1e-7][at % 5],
      at: ["2026-01-31T12:00:00.123456789+02:30", "0001-01-01T00:00:00Z", null][at % 3],
      mixed: [text, -1.5, 1e308][at % 3],
      list: [["a\nb", null, 1, { b: [text] }], [], null][at % 3],
      any: [text, null, { a: [text] }, 0, false, [], ""][at % 7],
      is: [true, false, null][at % 3],
    }));
    const db = join(scratch(), "things.ndjson");
    const folderOf = async (key: FieldSchema) => {
      const { properties, ...others } = thingsWith(fields);
      const file: ContractFile = { ...others, properties: { ...properties, key } };
      writeFileSync(db, rows.map((row) => JSON.stringify(row)).join("\n"));
      const { folder } = await built({ db, contract: file, dist: scratch() });
      const read = readAll(folder);
      const contract = contractOf(file);
      expectRecords(read.tables.get("things") ?? [], recordsOf(folder, contract), contract);
      expect(await verify({ what: folder })).toMatchObject({ passed: true });
      return read.described.resources[0]?.schema;
    };
    expect(await folderOf({ type: "string", pattern: "^\\d+$" })).toMatchObject({ primaryKey: ["key"] });
    // Two of these keys are one in CSV.
    for (const [at, row] of rows.entries()) row.key = at % 2 === 0 ? `-${at}` : `'-${at - 1}`;
    expect(await folderOf({ type: "string" })).not.toHaveProperty("primaryKey");
  });

  test("of random contracts and rows", async () => {
    const types = new Set<string>();
    let cells = 0;
    await fc.assert(
      fc.asyncProperty(anyTable, async (table) => {
        const folder = scratch();
        const db = join(folder, "things.sqlite");
        writeTable(db, table);
        const options = { db, contract: table.file, dist: join(folder, "dist"), skipInvalid: true };
        const made = await built(options).catch((error) => {
          if (!(error instanceof InvalidRecordsError)) throw error;
        });
        if (!made) return;
        const contract = contractOf(table.file);
        const { described, tables } = readAll(made.folder);
        const records = recordsOf(made.folder, contract);
        expectRecords(tables.get("things") ?? [], records, contract);
        for (const { type } of described.resources[0]?.schema.fields ?? []) types.add(type);
        cells += records.length * contract.fields.length;
      }),
      { numRuns: draws(600) },
    );
    expect(cells).toBeGreaterThan(0);
    expect(types.size).toBeGreaterThan(5);
  });

  test("of a thousand columns", async () => {
    const names = Array.from({ length: 999 }, (_, at) => `c${at}`);
    const file = thingsWith(Object.fromEntries(names.map((name) => [name, { type: "integer" } as const])));
    const db = join(scratch(), "things.ndjson");
    const record = Object.fromEntries(names.map((name, at) => [name, at]));
    writeFileSync(db, JSON.stringify({ key: "a", ...record }));
    const { folder } = await built({ db, contract: file, dist: scratch() });
    expect([...(readAll(folder).tables.get("things")?.[0] ?? [])].slice(1)).toEqual(Object.entries(record));
  });
});

test("has the same bytes with any threads, and does not make a new release of the same data", async () => {
  const dist = scratch();
  const options = { db: stationsFile(120), contract: STATIONS, pageSize: 7, parquet: true, dist };
  const one = await built(options);
  const bytes = readFileSync(join(one.folder, PATH));
  expect(await built({ ...options, workers: 2 })).toMatchObject({ new: false, name: one.name });
  const threads = await built({ ...options, workers: 2, dist: scratch() });
  expect(readFileSync(join(threads.folder, PATH)).equals(bytes)).toBe(true);
  // Without it, and without the file that it names, the releases have other files and the same id.
  const plain = await built({ ...options, dataPackage: false });
  expect(plain).toMatchObject({ new: true, id: one.id });
  expect(await built({ ...options, parquet: false })).toMatchObject({ new: true, id: one.id });
  expect(await built(options)).toMatchObject({ new: false, switched: true, name: one.name });
});

test("of a release that another compressor made is no reason for a new one", async () => {
  const dist = scratch();
  const options = { db: stationsFile(50), contract: STATIONS, dist };
  const { folder, name } = await built(options);
  const csv = join(folder, "records.csv.gz");
  const path = join(folder, PATH);
  const bytes = gzipSync(gunzipSync(readFileSync(csv)), { level: 1 });
  expect(bytes.equals(readFileSync(csv))).toBe(false);
  writeFileSync(csv, bytes);
  const described = readFileSync(path, "utf8")
    .replace(/"bytes": \d+/, `"bytes": ${bytes.length}`)
    .replace(/sha256:[0-9a-f]+/, `sha256:${sha256(bytes)}`);
  writeFileSync(path, described);
  reseal(folder);
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
  expect(await built(options)).toMatchObject({ new: false, switched: false, name });
  expect(readFileSync(path, "utf8")).toBe(described);
});

const findingsOf = async (folder: string) => {
  const { rows } = await verify({ what: folder });
  return rows.filter(({ outcome }) => outcome === "differs").map(({ name, findings }) => [name, findings[0]] as const);
};

test("verify finds another type, size or digest, and files that are missing", async () => {
  const { folder } = await built({ db: usersFile(plainRows(9)), dist: scratch(), parquet: true });
  const path = join(folder, PATH);
  const right = readFileSync(path, "utf8");
  const found = (text: string) => {
    writeFileSync(path, text);
    reseal(folder);
    return findingsOf(folder);
  };
  expect(await found(right)).toEqual([]);
  const differs = [["data-package", { path: PATH, found: expect.stringMatching(/^other bytes, [0-9a-f]{64}$/) }]];
  expect(await found(right.replace('"type": "integer"', '"type": "string"'))).toMatchObject(differs);
  expect(await found(right.replace(/"bytes": \d+/, '"bytes": 1'))).toMatchObject(differs);
  expect(await found(right.replace(/sha256:./, "sha256:x"))).toMatchObject(differs);
  expect(await found("{}")).toMatchObject(differs);
  expect(await found(`${right} `)).toMatchObject(differs);
});

describe("a site", () => {
  const named = (folder: string, more: object = {}) => ({
    dist: join(folder, "dist"),
    db: writeShop(folder),
    listings: SHOP,
    title: "A shop",
    description: "All of it.",
    ...more,
  });

  test("has one at its top, whose references hold, and is verified", async () => {
    const folder = scratch();
    const options = named(folder);
    const site = await built(options);
    const { described, tables } = readAll(site.folder);
    expect(described).toMatchObject({ name: "directory.example.com", title: "A shop", description: "All of it." });
    expect([...tables].map(([name, rows]) => [name, rows.length])).toEqual([
      ["categories", 4],
      ["customers", 6],
      ["orders", 250],
      ["products", 10],
    ]);
    expect(described.resources.flatMap(({ schema }) => schema.foreignKeys ?? [])).toEqual([
      { fields: ["parent_id"], reference: { fields: ["id"] } },
      { fields: ["customer_id"], reference: { resource: "customers", fields: ["id"] } },
      { fields: ["category_id"], reference: { resource: "categories", fields: ["id"] } },
    ]);
    expect(() => readFileSync(join(site.folder, "orders", PATH))).toThrow("ENOENT");
    checkSums(site.folder);
    expect(await verify({ what: site.folder })).toMatchObject({ passed: true });
    expect(await built(options)).toMatchObject({ new: false, name: site.name });
    changeShop(join(folder, "shop.db"), "UPDATE products SET name = 'Other' WHERE id = 1");
    const changed = await built(options);
    expect(readFileSync(join(changed.folder, PATH), "utf8")).not.toBe(readFileSync(join(site.folder, PATH), "utf8"));
    readAll(changed.folder);
  });

  test("of listings of which some have CSV names those", async () => {
    const listings = { ...SHOP, orders: { ...SHOP.orders, csv: true } };
    const { folder } = await built(named(scratch(), { listings, csv: false }));
    const { tables } = readAll(folder);
    expect([...tables.keys()]).toEqual(["orders"]);
    expect(await verify({ what: folder })).toMatchObject({ passed: true });
  });

  test("verify finds another package, and not a title that only it has", async () => {
    const { folder } = await built(named(scratch()));
    const path = join(folder, PATH);
    const right = readFileSync(path, "utf8");
    const site = { path: PATH, check: "site" };
    const found = async (text: string) => {
      writeFileSync(path, text);
      const { rows } = await verify({ what: folder });
      return rows.flatMap(({ findings }) => findings);
    };
    // Its digest differs, too.
    expect(await found(right.replace("A shop", "The shop"))).toMatchObject([site]);
    expect(await found(right.replace('"customers"', '"buyers"'))).toMatchObject([site, site]);
    expect(await found("[]")).toMatchObject([site, site]);
  });
});

describe("without a CSV file", () => {
  const error = "--data-package describes records.csv.gz, which is not made. Add --csv, or remove --data-package.";

  test("a listing is refused before anything is read", async () => {
    await expect(built({ db: "none.sqlite", dist: scratch(), csv: false, parquet: true })).rejects.toThrow(error);
  });

  test("a site is refused, too", async () => {
    const folder = scratch();
    const options = { db: writeShop(folder), dist: join(folder, "dist"), listings: SHOP, csv: false };
    await expect(built(options)).rejects.toThrow(error);
  });
});

test("the name is taken", async () => {
  const folder = scratch();
  const contract = { ...USERS, "x-listing": { ...USERS["x-listing"], path: `/${PATH}/` } };
  await expect(built({ db: SAMPLE, contract, dist: folder })).rejects.toThrow(
    "must be a path that does not begin with datapackage.json, which a release uses itself",
  );
});
