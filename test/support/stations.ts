/** A contract of weather stations, with every kind of field. */
import { join } from "node:path";
import Database from "better-sqlite3";
import stringify from "fast-json-stable-stringify";
import { type Contract, contractOf } from "../../src/core/contract/contract.js";
import type { ContractFile } from "../../src/core/contract/file/form.js";
import type { Row } from "./database.js";
import { scratch } from "./files.js";

/** The example of the documentation of contract files. */
export const STATIONS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Station",
  description: "A weather station.",
  type: "object",
  "x-listing": {
    path: "/v1/stations/",
    words: ["station", "stations"],
    key: "code",
    order: ["country", "-opened", "code"],
    label: "name",
    version: 1,
  },
  properties: {
    code: { type: "string", pattern: "^[A-Z0-9]{4,8}$" },
    name: { type: "string", minLength: 1 },
    nickname: { type: "string", "x-null": { field: "name" } },
    country: { type: "string", pattern: "^[A-Z]{2}$", "x-column": "iso2", "x-facet": true },
    opened: { type: "string", format: "date" },
    closed: { type: ["string", "null"], format: "date" },
    position: {
      type: "object",
      properties: {
        latitude: { type: "number", minimum: -90, maximum: 90 },
        longitude: { type: "number", minimum: -180, maximum: 180 },
      },
      required: ["latitude", "longitude"],
      additionalProperties: false,
    },
    sensors: { type: "array", items: { enum: ["temp", "wind", "rain"] } },
    is_active: { type: "boolean" },
    readings: { type: "integer", minimum: 0, "x-observed": { maximum: 1_000_000 } },
    extra: { "x-json": true },
  },
  required: [
    ...["code", "name", "nickname", "country", "opened", "closed"],
    ...["position", "sensors", "is_active", "readings", "extra"],
  ],
  additionalProperties: false,
  "x-observed": [{ name: "closed-after-opened", sql: "closed IS NULL OR closed >= opened" }],
} as const satisfies ContractFile;

export const STATIONS_CONTRACT: Contract = contractOf(STATIONS);

/** The same stations at another path. */
export function stationsAt(path: string): Contract {
  return contractOf({ ...STATIONS, "x-listing": { ...STATIONS["x-listing"], path } });
}

const SCHEMA = `CREATE TABLE stations (
  code TEXT PRIMARY KEY, name TEXT, nickname TEXT, iso2 TEXT, opened TEXT, closed TEXT,
  position_latitude REAL, position_longitude REAL, sensors TEXT, is_active INTEGER, readings INTEGER, extra TEXT
);`;

export interface Station {
  row: Row;
  /** As published. */
  record: { code: string; country: string; opened: string; [field: string]: unknown };
}

/** `count` valid stations without warnings, in published order. */
export function stations(count: number): Station[] {
  return Array.from({ length: count }, (_, at) => station(at)).sort(
    ({ record: one }, { record: other }) =>
      compare(one.country, other.country) || compare(other.opened, one.opened) || compare(one.code, other.code),
  );
}

const COUNTRIES = ["AT", "DE", "FR", "JP"];
const SENSORS = ["temp", "wind", "rain"];

function station(at: number): Station {
  const code = `ST${String(at).padStart(6, "0")}`;
  const name = `Station “${at}” 🌦`;
  const nickname = at % 3 === 0 ? null : `nick ${at}`;
  const country = COUNTRIES[at % COUNTRIES.length] ?? "";
  // Few days, so that many stations tie.
  const opened = `${1950 + (at % 7)}-02-${String(1 + (at % 28)).padStart(2, "0")}`;
  const closed = at % 5 === 0 ? `2020-12-${String(1 + (at % 31)).padStart(2, "0")}` : null;
  const [latitude, longitude] = [(at % 180) - 90 + 0.5, (at % 360) - 179.75];
  const sensors = SENSORS.slice(0, at % 4);
  const extra = [null, { z: 1, a: [at, "é"] }, "text", 0.25][at % 4];
  const readings = at % 1_000_000;
  const shared = { code, name, opened, closed, readings };
  return {
    row: {
      ...{ ...shared, nickname, iso2: country, position_latitude: latitude, position_longitude: longitude },
      ...{ sensors: JSON.stringify(sensors), is_active: at % 2, extra: JSON.stringify(extra) },
    },
    record: {
      ...{ ...shared, nickname: nickname ?? name, country, position: { latitude, longitude } },
      ...{ sensors, is_active: at % 2 === 1, extra },
    },
  };
}

/** The canonical text of a record. */
export function stationText({ record }: Station): string {
  return stringify(record);
}

/** Writes a new file with the table `stations` and these rows, the last first; `after` is more SQL. */
export function writeStations(file: string, rows: readonly Row[], after = ""): string {
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  db.exec(SCHEMA);
  const columns = Object.keys(station(0).row);
  const insert = db.prepare(`INSERT INTO stations (${columns}) VALUES (${columns.map((name) => `@${name}`)})`);
  db.transaction(() => {
    for (const row of [...rows].reverse()) insert.run(row);
  })();
  db.exec(after);
  db.close();
  return file;
}

/** A new file with `count` stations. */
export function stationsFile(count: number): string {
  const rows = stations(count).map(({ row }) => row);
  return writeStations(join(scratch(), "stations.sqlite"), rows);
}

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
