/** records.parquet in DuckDB, an independent reader, and files that are too large for tests of each change. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { build, buildShard, InvalidRecordsError, verify } from "rollcall";
import { expect, test } from "vitest";
import { parquetColumns } from "../../../src/build/artifacts/parquet-columns.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { valueAt } from "../../../src/core/contract/record/value.js";
import { anyTable, quote, writeTable } from "../../core/contract/random.js";
import { readTree, scratch } from "../../support/files.js";
import { engine, isMissing, loadEngine } from "../../support/installed.js";
import { STATIONS, stations, writeStations } from "../../support/stations.js";
import { parquetOf, readParquet, thingsWith } from "./parquet-files.js";

interface DuckDb {
  DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>; closeSync(): void }>;
    }>;
  };
}

/** Times and dates as numbers, which do not depend on the time zone of the machine. */
const NUMBERS: Record<string, (name: string) => string> = {
  "TIMESTAMP WITH TIME ZONE": (name) => `epoch_us(${name})`,
  DATE: (name) => `date_diff('day', DATE '1970-01-01', ${name})`,
};

/** The rows of a file. DuckDB gives integers as texts. */
async function rowsInDuckDb(path: string): Promise<{ types: unknown[]; rows: unknown[][] }> {
  const { DuckDBInstance } = loadEngine<DuckDb>("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    const columns = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM '${path}'`)).getRowsJson();
    const selected = columns.map(([name, type]) => (NUMBERS[String(type)] ?? ((same) => same))(quote(String(name))));
    const rows = (await connection.runAndReadAll(`SELECT ${selected.join(", ")} FROM '${path}'`)).getRowsJson();
    return { types: columns.map(([, type]) => type), rows };
  } finally {
    connection.closeSync();
  }
}

const asText = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asText);
  return typeof value === "bigint" ? String(value) : value;
};

test.skipIf(isMissing(engine("@duckdb/node-api")))(
  "DuckDB reads each value of random contracts and rows",
  { timeout: 1_800_000 },
  async () => {
    const seen = { values: 0, types: new Set<unknown>() };
    await fc.assert(
      fc.asyncProperty(anyTable, async (table) => {
        const folder = scratch();
        const db = join(folder, "things.sqlite");
        writeTable(db, table);
        const options = { db, contract: table.file, baseUrl: "https://things.example", dist: join(folder, "dist") };
        const made = await build({ ...options, parquet: true, skipInvalid: true, workers: 0 }).catch((error) => {
          if (!(error instanceof InvalidRecordsError)) throw error;
        });
        if (!made) return;
        const { results } = JSON.parse(readFileSync(join(made.folder, "v1/things/pages/1.json"), "utf8"));
        const columns = parquetColumns(contractOf(table.file));
        const wanted = (results as unknown[]).map((record) =>
          columns.map(({ field, store, schema }) => {
            const value = valueAt(record, field) ?? null;
            if (schema[0]?.converted_type === "JSON") return value === null ? null : stringify(value);
            return asText(schema[0]?.converted_type === "DATE" ? value && String(store(value)) : store(value));
          }),
        );
        const { types, rows } = await rowsInDuckDb(join(made.folder, "records.parquet"));
        const found = rows.map((row) =>
          row.map((value, at) =>
            columns[at]?.schema[0]?.converted_type === "JSON" && value !== null
              ? stringify(JSON.parse(String(value)))
              : value,
          ),
        );
        expect(found).toEqual(wanted);
        expect(await verify({ what: made.folder })).toMatchObject({ passed: true });
        seen.values += rows.length * columns.length;
        for (const type of types) seen.types.add(type);
      }),
    );
    expect(seen.values).toBeGreaterThan(0);
    expect(seen.types.size).toBeGreaterThan(4);
  },
);

test("a text of 20 MB, and records of much text, which end a row group early", async () => {
  const file = thingsWith({ value: { type: "string" } });
  const lengths = [20_000_000, 12_000_000, 12_000_000, 22_000_000, 1];
  const records = lengths.map((length, at) => ({ key: String(at), value: String(at).repeat(length) }));
  const { metadata, rows } = await readParquet(await parquetOf(file, records));
  expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([2n, 1n, 2n]);
  // Compared one by one: a difference of 20 MB would be no message.
  expect(rows.map(({ value }, at) => value === records[at]?.value)).toEqual(records.map(() => true));
});

test("a thousand columns", async () => {
  const names = Array.from({ length: 999 }, (_, at) => `c${at}`);
  const file = thingsWith(Object.fromEntries(names.map((name) => [name, { type: "integer" } as const])));
  const records = Array.from({ length: 20 }, (_, row) => ({
    key: `k${row + 10}`,
    ...Object.fromEntries(names.map((name, at) => [name, row * at])),
  }));
  const { rows } = await readParquet(await parquetOf(file, records));
  expect(rows.map(({ c998 }) => c998)).toEqual(records.map((_, row) => BigInt(row * 998)));
});

test("8 shards make the bytes of one process, with views by a field and by a part, and in another order", async () => {
  const rows = stations(41_000).map(({ row }) => row);
  const db = writeStations(join(scratch(), "stations.sqlite"), rows);
  const views = ["country", "opened:year", "-readings"];
  const given = {
    db,
    baseUrl: "https://directory.example.com",
    parquet: true,
    contract: STATIONS,
    pageSize: 500,
    views,
  };
  const alone = await build({ ...given, dist: scratch(), workers: 0 });
  const parts = scratch();
  for (let shard = 7; shard >= 0; shard--)
    await buildShard({ ...given, dist: scratch(), parts, workers: shard % 3, shard: `${shard}/8` });
  const joined = await build({ ...given, dist: scratch(), workers: 2, join: parts });
  expect(joined.id).toBe(alone.id);
  expect(readTree(joined.folder)).toEqual(readTree(alone.folder));
});
