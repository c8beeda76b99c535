/** Collections that histories are made of: rows that come, go and change, and contracts that move on. */
import { renameSync } from "node:fs";
import type { ContractFile } from "../../../src/contract/file/form.js";
import { USERS } from "../../../src/contract/users.js";
import { plainRows, type Row, writeUsers } from "../../support/database.js";
import { ENTRIES, entries, TOPICS, writeEntries } from "../../support/entries.js";
import type { Random } from "../../support/random.js";
import { STATIONS, stations, writeStations } from "../../support/stations.js";

export interface Collection {
  name: string;
  /** Of one listing's path and key; undefined is the built-in one. */
  contracts: readonly (ContractFile | undefined)[];
  key: string;
  /** Every row that may ever be in it. */
  pool: readonly Row[];
  /** Another valid row of the same key. */
  change(row: Row, random: Random): Row;
  /** A row that no contract of it takes. */
  spoil(row: Row): Row;
  write(file: string, rows: readonly Row[]): void;
}

const HARD = ["", '"', "\\", "\u2028", "é", "e\u0301", "\uffee", "\u{1f54a}", "</script>", "a\u0000b", "\r\n"];
const POOL = 160;

const OF_USERS: Collection = {
  name: "users",
  contracts: [undefined, { ...USERS, description: "A user who has joined." }, { ...USERS, ...ordered(USERS, ["id"]) }],
  key: "id",
  pool: plainRows(POOL),
  change: (row, random) => ({
    ...row,
    ...{ bio: random.of(HARD), referrals_count: BigInt(random.below(1000)) },
    ...(random.chance(0.3) && { date_joined: `2026-01-01T00:00:00.00000${random.below(10)}Z` }),
    ...(random.chance(0.3) && { display_name: random.of([null, "Ada"]), username: random.of([null, "ada"]) }),
  }),
  spoil: (row) => ({ ...row, country: "Xx1" }),
  write: writeUsers,
};

const { closed: _, ...stillThere } = ENTRIES.properties;

const OF_ENTRIES: Collection = {
  name: "entries",
  contracts: [
    ENTRIES,
    { ...ENTRIES, ...ordered(ENTRIES, ["-level", "-topic", "-seq"]) },
    { ...ENTRIES, properties: { ...ENTRIES.properties, short: { type: "string", "x-null": { const: "none" } } } },
    {
      ...{ ...ENTRIES, properties: stillThere, "x-observed": [] },
      required: ENTRIES.required.filter((name) => name !== "closed"),
    },
  ],
  key: "seq",
  pool: entries(POOL),
  change: (row, random) => ({
    ...row,
    ...{ title: random.of(HARD), short: random.of([null, ...HARD]) },
    ...(random.chance(0.4) && { topic: random.of(TOPICS), level: BigInt(random.below(100) - 50) }),
  }),
  spoil: (row) => ({ ...row, is_open: 7n }),
  write: writeEntries,
};

const OF_STATIONS: Collection = {
  name: "stations",
  contracts: [
    STATIONS,
    { ...STATIONS, description: "A station for the weather." },
    { ...STATIONS, ...ordered(STATIONS, ["-opened", "code"]) },
    { ...STATIONS, properties: { ...STATIONS.properties, nickname: { type: "string", "x-null": { const: "–" } } } },
  ],
  key: "code",
  pool: stations(POOL).map(({ row }) => row),
  change: (row, random) => ({
    ...row,
    ...{ name: `Station ${random.of(HARD)}`, nickname: random.of([null, ...HARD]) },
    ...{ readings: BigInt(random.below(1000)), position_latitude: random.below(180) / 4 },
    ...(random.chance(0.3) && { iso2: random.of(["AT", "DE", "JP"]), opened: "1950-02-03" }),
  }),
  spoil: (row) => ({ ...row, iso2: "nowhere" }),
  write: writeStations,
};

export const COLLECTIONS = { users: OF_USERS, entries: OF_ENTRIES, stations: OF_STATIONS };

/** Replaces a source as a whole. */
export function deliver({ write }: Collection, file: string, rows: readonly Row[]): void {
  const aside = `${file}-next-${Math.random()}`;
  write(aside, rows);
  renameSync(aside, file);
}

function ordered({ "x-listing": listing }: ContractFile, order: readonly string[]) {
  return { "x-listing": { ...listing, order } };
}
