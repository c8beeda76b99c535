/** A site of many listings: each takes little memory. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { runMeasured } from "../support/memory.js";

const MANY = 100;
/** Maximum megabytes for each listing beyond the first. */
const MOST_MB = 1;

const LIBRARY = JSON.stringify(new URL("../../lib/index.js", import.meta.url).href);

const contractOf = (table: string) => ({
  type: "object",
  "x-listing": { words: ["record", table], key: "id", order: ["id"], version: 1 },
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    previous: { type: "integer", "x-references": table },
  },
  required: ["id", "name", "previous"],
  additionalProperties: false,
});

/** Writes tables of 1,000 rows. @returns a program that measures a call of the library in a process of its own */
function measured(tables: number): (call: string) => Promise<number> {
  const folder = scratch();
  const path = join(folder, "many.db");
  const db = new Database(path);
  const names = Array.from({ length: tables }, (_, at) => `table_${at}`);
  for (const name of names)
    db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, name TEXT, previous INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO ${name} SELECT i, 'Name ' || i, max(1, i - 1) FROM n`);
  db.close();
  const listings = Object.fromEntries(names.map((name) => [name, { contract: contractOf(name) }]));
  const dist = join(folder, "dist");
  const options = {
    db: path,
    dist,
    baseUrl: "https://shop.example.com",
    explorer: true,
    bulk: true,
    workers: 0,
    listings,
  };
  return async (call) => {
    const { peak, answer } = await runMeasured(`
      const { build, createServer, verify } = await import(${LIBRARY});
      const options = ${JSON.stringify(options)};
      const { dist } = options;
      answer(await ${call} ?? {});`);
    expect(answer["passed"], call).not.toBe(false);
    return peak;
  };
}

test("a listing takes at most 1 MB to build, to verify and to serve", async () => {
  const one = measured(1);
  const many = measured(MANY);
  for (const call of [
    "build(options)",
    "verify({ dist, workers: 0 })",
    "createServer({ dist }).then(({ close }) => close())",
  ]) {
    const each = ((await many(call)) - (await one(call))) / (MANY - 1);
    process.stdout.write(`${call}: ${each.toFixed(2)} MB a listing\n`);
    expect(each, call).toBeLessThanOrEqual(MOST_MB);
  }
});
