/** The files that init writes build every row of any table. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { initialize } from "../../src/init/init.js";
import { scratch } from "../support/files.js";

const iso = fc.date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });

/** Values as columns of other people have them, one kind a column, or several. */
const KINDS: readonly fc.Arbitrary<unknown>[] = [
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
  fc.integer({ min: 0, max: 1 }).map(BigInt),
  fc.double(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme", maxLength: 3 }),
  fc.constantFrom("", "a", "B", "🌹"),
  fc.uuid(),
  fc.uuid().map((text) => text.replaceAll("-", "")),
  iso.map((date) => date.toISOString()),
  iso.map((date) => date.toISOString().slice(0, 10)),
  iso.map((date) => date.toISOString().slice(0, 19).replace("T", " ")),
  fc.webUrl(),
  fc.array(fc.string()).map((list) => JSON.stringify(list)),
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify({ value })),
  fc.stringMatching(/^-?[0-9]{1,20}$/),
  fc.stringMatching(/^[0-9]{1,9}\.[0-9]{1,9}$/),
  fc.constantFrom("true", "false", "TRUE"),
  fc.emailAddress(),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc.constant(null),
];

interface Column {
  name: string;
  declared: string;
  values: unknown[];
}

const ROWS = 30;

const column: fc.Arbitrary<Column> = fc.record({
  name: fc.oneof(
    fc.constantFrom(
      "name",
      "is_it",
      "created_at",
      "order",
      "First Name",
      "a.b",
      "x-y",
      "größe",
      "toString",
      'q"',
      "Id2",
    ),
    fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 5 }),
  ),
  declared: fc.constantFrom("", "TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "BOOLEAN", "DATETIME", "VARCHAR(20)"),
  values: fc
    .tuple(fc.constantFrom(...KINDS), fc.constantFrom(...KINDS), fc.constantFrom(0, 1, 20))
    .chain(([main, odd, weight]) =>
      fc.array(fc.oneof({ arbitrary: main, weight: 20 }, { arbitrary: odd, weight }), {
        minLength: ROWS,
        maxLength: ROWS,
      }),
    ),
});

const tables = fc.uniqueArray(column, {
  minLength: 1,
  maxLength: 8,
  selector: ({ name }) => name.toLowerCase(),
});

test("builds every row of any table with a key", { timeout: 120_000 }, async () => {
  const folder = scratch();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(tables, fc.boolean(), async (columns, convert) => {
      const place = join(folder, String(runs++));
      mkdirSync(place);
      const from = write(join(place, "any.sqlite"), columns);
      const { found } = await initialize({ folder: place, from, convert });
      const contract = join(place, "rollcall.contract.json");
      const { records } = await build({
        ...{ db: from, contract },
        ...(found?.sql === undefined ? { table: "things" } : { query: join(place, "rollcall.query.sql") }),
        ...{ dist: join(place, "dist"), baseUrl: "https://example.com", workers: 0 },
      });
      expect(records).toBe(ROWS);
      expect(found?.columns).toHaveLength(columns.length + 1);
    }),
    { numRuns: 25 },
  );
});

/** A new file with the table `things`, of a key and these columns. */
function write(file: string, columns: readonly Column[]): string {
  const db = new Database(file);
  const names = columns.map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  const declared = columns.map((column, at) => `${names[at]} ${column.declared}`);
  db.exec(`CREATE TABLE things (the_key INTEGER PRIMARY KEY, ${declared.join(", ")})`);
  const insert = db.prepare(`INSERT INTO things (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
  for (let row = 0; row < ROWS; row++) insert.run(columns.map(({ values }) => values[row]));
  db.close();
  return file;
}
