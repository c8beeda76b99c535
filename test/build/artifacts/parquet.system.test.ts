/** records.parquet: made with the release by several threads, and verified. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, verify } from "rollcall";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { reseal } from "../../support/damage.js";
import { usersFile } from "../../support/database.js";
import { checkSums, scratch } from "../../support/files.js";
import { STATIONS, type Station, stations, writeStations } from "../../support/stations.js";
import { parquetOf, readParquet, thingsWith } from "./parquet-files.js";

const PATH = "records.parquet";
const options = { baseUrl: "https://directory.example.com", parquet: true };

const findingsOf = async (folder: string) => {
  const { rows } = await verify({ what: folder });
  return rows.filter(({ outcome }) => outcome === "differs").map(({ name, findings }) => [name, findings[0]] as const);
};

test("has each record in published order, the same bytes with any threads and batches, and is verified", async () => {
  const all = stations(21_000);
  const db = writeStations(
    join(scratch(), "stations.sqlite"),
    all.map(({ row }) => row),
  );
  const given = { ...options, db, contract: STATIONS, pageSize: 500 };
  const one = await build({ ...given, dist: scratch(), workers: 0 });
  const several = await build({ ...given, dist: scratch(), workers: 2, bulk: true, csv: true });
  const bytes = readFileSync(join(one.folder, PATH));
  expect(readFileSync(join(several.folder, PATH)).equals(bytes)).toBe(true);
  expect(several.id).toBe(one.id);
  const { metadata, rows } = await readParquet(bytes);
  expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([20_000n, 1000n]);
  const state = sha256(readFileSync(join(one.folder, "records.sha256")));
  expect(metadata.key_value_metadata).toEqual([{ key: "rollcall.state", value: state }]);
  const { opened, position, readings, ...others } = (all[0] as Station).record;
  const { latitude, longitude } = position as { latitude: number; longitude: number };
  expect({ ...rows[0], closed: undefined }).toEqual({
    ...others,
    closed: undefined,
    opened: Date.parse(opened) / 86_400_000,
    readings: BigInt(readings as number),
    "position.latitude": latitude,
    "position.longitude": longitude,
  });
  for (const { folder } of [one, several]) {
    checkSums(folder);
    expect(await verify({ what: folder, workers: 0 })).toMatchObject({ passed: true });
  }
});

test("of no records has no rows, and is verified", async () => {
  const { folder } = await build({ ...options, db: usersFile([]), dist: scratch() });
  expect((await readParquet(readFileSync(join(folder, PATH)))).rows).toEqual([]);
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
});

test("verify finds a flipped byte, another value, rows that are missing or too many, other columns and other files", async () => {
  const db = join(scratch(), "things.ndjson");
  const file = thingsWith({ at: { type: "string", format: "date-time" }, value: { type: "integer" } });
  const records = Array.from({ length: 50 }, (_, row) => ({
    key: String(row + 10),
    at: `2026-01-31T12:00:00.${row + 100}456Z`,
    value: row,
  }));
  writeFileSync(db, records.map((record) => JSON.stringify(record)).join("\n"));
  const { folder } = await build({ ...options, db, contract: file, dist: scratch(), pageSize: 20 });
  const path = join(folder, PATH);
  const right = readFileSync(path);
  const flipped = Buffer.from(right);
  flipped[60] = (right[60] ?? 0) ^ 1;
  writeFileSync(path, flipped);
  expect((await findingsOf(folder)).map(([name]) => name)).toEqual(["digests", "parquet"]);
  const found = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    reseal(folder);
    return findingsOf(folder);
  };
  expect(await found(right)).toEqual([]);
  const other = (change: object) => records.map((record, row) => (row === 30 ? { ...record, ...change } : record));
  const differs = expect.stringMatching(/^\d+ plain bytes of /);
  expect(await found(await parquetOf(file, other({ value: 31 })))).toMatchObject([
    ["parquet", { path: PATH, found: differs }],
  ]);
  // A microsecond, which a Date does not hold.
  expect(await found(await parquetOf(file, other({ at: "2026-01-31T12:00:00.130457Z" })))).toMatchObject([
    ["parquet", { found: differs }],
  ]);
  expect(await found(await parquetOf(file, records.slice(1)))).toMatchObject([
    ["parquet", { found: "49 rows in row groups, 49 in all", expected: "50, as in the pages" }],
  ]);
  expect(await found(await parquetOf(file, [...records, ...records]))).toMatchObject([["parquet", { path: PATH }]]);
  const untyped = thingsWith({ at: { type: "string" }, value: { type: "integer" } });
  expect(await found(await parquetOf(untyped, records))).toMatchObject([
    [
      "parquet",
      { found: "the column at REQUIRED UTF8", expected: "at REQUIRED TIMESTAMP_MICROS in UTC, as in the contract" },
    ],
  ]);
  const more = thingsWith({ at: { type: "string", format: "date-time" }, value: { type: "integer" }, z: { const: 1 } });
  expect(
    await found(
      await parquetOf(
        more,
        records.map((record) => ({ ...record, z: 1 })),
      ),
    ),
  ).toMatchObject([["parquet", { found: "the column record with 4 inside" }]]);
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from("PAR1"),
    right.subarray(0, -9),
    Buffer.from(`${"x".repeat(500)}PAR1`),
  ])
    expect(await found(bytes)).toMatchObject([
      ["parquet", { found: expect.stringContaining("cannot be read as Parquet") }],
    ]);
});
