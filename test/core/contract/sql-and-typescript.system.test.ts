/** A contract as SQL is a table for its records; as TypeScript it is the type inferred from the contract. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { type Contract, contractOf } from "../../../src/core/contract/contract.js";
import { toSql } from "../../../src/core/contract/sql.js";
import { toTypeScript } from "../../../src/core/contract/typescript.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { build } from "../../../src/index.js";
import type { Row } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { STATIONS, STATIONS_CONTRACT, stations } from "../../support/stations.js";

const ROOT = new URL("../../..", import.meta.url).pathname;

/** Users of the sample, as its table has them. */
function sampleUsers(count: number): Row[] {
  const db = new Database(join(ROOT, "data/users.sqlite"), { readonly: true });
  const rows = db.prepare<[number], Row>("SELECT * FROM users LIMIT ?").all(count);
  db.close();
  return rows;
}

/** A database with the table that a contract's SQL makes. */
function tableOf(contract: Contract, file = ":memory:") {
  const db = new Database(file);
  db.exec(toSql(contract));
  const [, table] = contract.listing.words;
  const insert = (row: Row) => {
    const columns = Object.keys(row);
    db.prepare(`INSERT INTO "${table}" (${columns}) VALUES (${columns.map((name) => `@${name}`)})`).run(row);
  };
  return { db, insert };
}

describe("SQL", () => {
  test.each([
    ["users", USERS_CONTRACT, sampleUsers(120)],
    ["stations", STATIONS_CONTRACT, stations(120).map(({ row }) => row)],
  ])("%s are read from the table in index order", async (_, contract, rows) => {
    const file = join(scratch(), "new.sqlite");
    const { db, insert } = tableOf(contract, file);
    for (const row of rows) insert(row);
    const terms = contract.order.map(({ column, isDescending }) => `"${column}"${isDescending ? " DESC" : ""}`);
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN SELECT rowid FROM ${contract.listing.words[1]} ORDER BY ${terms}`)
      .all();
    expect(plan).toEqual([expect.objectContaining({ detail: expect.stringContaining("_in_order") })]);
    db.close();
    const dist = join(scratch(), "dist");
    const made = await build({ db: file, baseUrl: "https://example.com", dist, contract: contract.file, workers: 0 });
    expect(made).toMatchObject({ records: 120, skipped: 0 });
  });

  test("escapes names and texts of contracts", () => {
    const contract = contractOf({
      ...STATIONS,
      title: 'Odd";--\n DROP',
      description: "One\nline\u2028 only; */ here",
      "x-listing": { ...STATIONS["x-listing"], words: ["it", 'th"em; --'], key: "a", order: ["-a"], label: "a" },
      properties: { a: { enum: ["it's", 'a "b"', "*/"], "x-column": 'c"; DROP TABLE x; --', description: "*/ it" } },
      required: ["a"],
    });
    const db = new Database(":memory:");
    db.exec(toSql(contract));
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual(['th"em; --']);
    expect(db.pragma('table_info("th""em; --")')).toMatchObject([{ name: 'c"; DROP TABLE x; --', pk: 1 }]);
    db.close();
  });
});

describe("TypeScript", () => {
  /** What tsc says of a file beside which the types stand. */
  function compile(files: Readonly<Record<string, string>>): string {
    const folder = scratch();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", ""];
    try {
      execFileSync(tsc, [...flags, "--skipLibCheck", "main.ts"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
      return "";
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout);
    }
  }

  test("equals the type that the compiler infers from the contract, in both directions", () => {
    const main = `
import type { RecordOf } from "${ROOT}src/core/contract/file/form.js";
import type { STATIONS } from "./stations.js";
import type { Station } from "./station.js";
import type { User } from "./user.js";
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
export const same: Same<Station, RecordOf<typeof STATIONS>> = true;
export const other: [Same<User, Station>] = [false];
`;
    const files = {
      "main.ts": main,
      "user.ts": toTypeScript(USERS_CONTRACT),
      "station.ts": toTypeScript(STATIONS_CONTRACT),
      "stations.ts": `export const STATIONS = ${JSON.stringify(STATIONS)} as const;\n`,
    };
    expect(compile(files)).toBe("");
    expect(
      compile({ ...files, "station.ts": files["station.ts"].replace("is_active: boolean", "is_active: 1") }),
    ).toMatch(/main\.ts/);
  });

  test("is the package's User type, with descriptions", () => {
    const type = toTypeScript(USERS_CONTRACT)
      .replace(/^.*\n.*interface User/, "type User =")
      .trimEnd();
    expect(readFileSync(join(ROOT, "src/core/contract/user.ts"), "utf8")).toContain(`${type};`);
  });

  test("compiles for any names and texts of a contract", () => {
    const properties = {
      "with space": { type: "string", description: "Ends */ early\nand /* late" },
      'quo"te\\': { enum: ["it's", '"', null] },
      class: { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      list: {
        type: "array",
        items: {
          type: "object",
          properties: { a: { type: ["number", "null"] } },
          required: ["a"],
          additionalProperties: false,
        },
      },
      key: { type: "integer" },
    } as const;
    const listing = { ...STATIONS["x-listing"], key: "key", order: ["key"], label: "key" };
    const file = {
      ...STATIONS,
      title: "3 odd: things!",
      "x-listing": listing,
      properties,
      required: Object.keys(properties),
    };
    const text = toTypeScript(contractOf(file));
    expect(text).toContain("export interface _3OddThings {");
    expect(text).toContain("class: (string | number)[];");
    const use = `import type { _3OddThings } from "./odd.js";
export const it: _3OddThings = { "with space": "", "quo\\"te\\\\": null, class: ["a", 1], list: [{ a: null }], key: 1 };
`;
    expect(compile({ "odd.ts": text, "main.ts": use })).toBe("");
  });
});
