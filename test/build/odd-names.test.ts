/** Names of fields and columns that mean something in JavaScript or SQL are names like any other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import type { ContractFile } from "../../src/contract/file/form.js";
import { checkContract } from "../../src/contract/file/parse.js";
import { toSql } from "../../src/contract/sql.js";
import { build } from "../../src/snapshot/build.js";
import { verify } from "../../src/verify/verify.js";
import { scratch } from "../support/files.js";

const properties = {
  'a"b': { type: "string", "x-column": 'x"; DROP TABLE t; --' },
  constructor: { type: "integer" },
  toString: { type: ["string", "null"] },
  "it's": { enum: ["a'b", 'c"d', "e\\f"] },
  select: { type: "string", "x-null": { const: "'; --" } },
  "10": { type: "integer" },
  Rollcall_Number: { type: "integer" },
  "2": { anyOf: [{ type: "integer" }, { const: "unknown" }] },
  valueOf: {
    type: "object",
    properties: { prototype: { type: "string", format: "date" }, length: { type: "integer" } },
    required: ["length", "prototype"],
    additionalProperties: false,
  },
} as const;
const FILE: ContractFile = {
  type: "object",
  "x-listing": {
    path: "/~odd/v1.0/",
    words: ["thing", "thi'ngs"],
    key: "constructor",
    order: ['-a"b', "valueOf.length", "constructor"],
    version: 1,
  },
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  "x-observed": [
    { name: "hasOwnProperty", sql: "[10] < 0" },
    { name: "odd", sql: `"it's" = 'a''b' OR [10] > "2" AND "select" IS NULL` },
  ],
};
const COLUMNS = [
  'x"; DROP TABLE t; --',
  "constructor",
  "toString",
  "it's",
  "select",
  "10",
  "2",
  "Rollcall_Number",
  "valueOf_prototype",
  "valueOf_length",
];
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Thirty rows in the table that the contract's own SQL makes. */
function writeOdd(file: string): string {
  const db = new Database(file);
  db.exec(toSql(contractOf(FILE)));
  const insert = db.prepare(
    `INSERT INTO ${quote("thi'ngs")} (${COLUMNS.map(quote)}) VALUES (${COLUMNS.map(() => "?")})`,
  );
  for (let at = 0; at < 30; at++) {
    const text = ["é", 'a"b', "\\", "", "zz"][at % 5];
    const odd = ["a'b", 'c"d', "e\\f"][at % 3];
    const rule = at % 3 ? null : "v";
    insert.run([text, at, at % 2 ? null : "s", odd, rule, at, at % 3 ? at : "unknown", at, "2024-02-29", at % 9]);
  }
  db.close();
  return file;
}

test("they are built, verified, and sorted by their text", async () => {
  expect(checkContract(FILE)).not.toHaveProperty("mistakes");
  const folder = scratch();
  const [db, dist] = [writeOdd(join(folder, "odd.sqlite")), join(folder, "dist")];
  const made = await build({ db, baseUrl: "https://example.com", dist, contract: FILE, pageSize: 7, workers: 0 });
  expect(made).toMatchObject({ records: 30, skipped: 0, warnings: { hasOwnProperty: 30 } });
  const page = readFileSync(join(made.folder, "~odd/v1.0/pages/1.json"), "utf8");
  expect(page.split("\n")[1]).toMatch(
    /^\{"10":\d+,"2":("unknown"|\d+),"Rollcall_Number":\d+,"a\\"b":"é","constructor":\d+,"it's":/,
  );
  expect(await verify({ what: made.folder })).toMatchObject({ passed: true });
});
