/** The fast check, the full check, another validator and the release agree on random contracts and rows. */
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import Database from "better-sqlite3";
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { build, InvalidRecordsError } from "rollcall";
import { expect, test } from "vitest";
import { validator } from "../../../src/build/validator.js";
import { type Contract, contractOf } from "../../../src/core/contract/contract.js";
import { checkContract } from "../../../src/core/contract/file/parse.js";
import { recordEncoder } from "../../../src/core/contract/record/encode.js";
import { comesAfter, orderKeyOf } from "../../../src/core/contract/record/key.js";
import type { Candidate } from "../../../src/core/source/candidates.js";
import { PageReader } from "../../../src/core/source/reader.js";
import { Unfit } from "../../../src/core/source/values.js";
import { openSource } from "../../support/candidates.js";
import { contractWith } from "../../support/contracts.js";
import type { Row } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { draws } from "../../support/random.js";
import { anyTable, quote, writeTable } from "./random.js";

/** Each row of the table, in published order: its text by SQLite if that is taken for good, and its candidate. */
async function readRows(db: string, contract: Contract): Promise<{ fast: string | undefined; candidate: Candidate }[]> {
  const source = await openSource({ db, contract, table: "things" });
  const reader = new PageReader(source.copy, { contract: contract.file });
  const rows = Array.from({ length: source.count }, (_, before) => {
    const range = { before, rows: 1 };
    const text = reader.readText(range);
    const [candidate] = reader.candidates(range);
    if (!candidate) throw new Error(`Row ${before} is missing`);
    return { fast: text.isPlain(text.records.toString("latin1")) ? text.records.toString() : undefined, candidate };
  });
  reader.close();
  source.close();
  return rows;
}

const ajv = new Ajv2020({ strict: false, allErrors: false, unicodeRegExp: true });
addFormats.default(ajv);

/** Whether another validator takes a record, by the keywords of JSON Schema alone. */
function othersCheck({ file }: Contract): (record: unknown) => boolean {
  const validate = ajv.compile(file);
  return (record) => validate(record);
}

/** What JSON Schema has no word for: halves of surrogate pairs, and numbers that readers would round. */
function isExact(text: string): boolean {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return (
    !/\\ud[89a-f]/.test(text) && numbers.every((number) => !Number.isInteger(+number) || Number.isSafeInteger(+number))
  );
}

test("records that the pattern accepts are valid, canonical and without warnings, also for another validator", async () => {
  const seen = { fast: 0, valid: 0, invalid: 0 };
  await fc.assert(
    fc.asyncProperty(anyTable, async (table) => {
      const found = checkContract(table.file);
      if ("mistakes" in found) throw new Error(found.mistakes.join("\n"));
      const path = join(scratch(), "things.sqlite");
      writeTable(path, table);
      const [validate, encode, other] = [validator(found), recordEncoder(found), othersCheck(found)];
      for (const { fast, candidate } of await readRows(path, found)) {
        const warnings = {};
        const problems = validate({ ...candidate, isRepeated: false }, warnings);
        if (fast !== undefined) {
          seen.fast++;
          expect(problems).toEqual([]);
          expect(warnings).toEqual({});
          expect(fast).toBe(encode(candidate.record));
        }
        if (problems.length === 0) {
          seen.valid++;
          const text = encode(candidate.record);
          expect(stringify(JSON.parse(text))).toBe(text);
          expect(other(JSON.parse(text))).toBe(true);
        } else {
          seen.invalid++;
          const text = JSON.stringify(candidate.record, (_, value) => (isJson(value) ? value : NOT_JSON));
          if (!text.includes(NOT_JSON) && isExact(text)) expect(other(JSON.parse(text)), text).toBe(false);
        }
      }
    }),
    { numRuns: draws(500) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

/** Reads records with one number each. @returns for each its text, if SQLite's is taken for good */
async function readNumbers(numbers: readonly number[]): Promise<(string | undefined)[]> {
  const path = join(scratch(), "things.sqlite");
  const key = "id";
  const contract = contractOf(contractWith(["thing", "things"], { id: { type: "integer" }, size: { type: "number" } }));
  writeTable(path, {
    file: contract.file,
    columns: [key, "size"],
    rows: numbers.map((size, at) => ({ id: BigInt(at), size })),
  });
  const rows = await readRows(path, contract);
  return rows.map(({ fast }) => fast?.slice(fast.indexOf('"size":') + '"size":'.length, -1));
}

test("a REAL is text by SQLite where that has all of its digits and is as JSON writes it", async () => {
  const plain = [
    0, -0, 0.1, -0.1, 1.5, 38.5, 3, -3, 0.0001, 90.05, 7517423491811.93, 759868099964.55, 99999999999999.9,
  ];
  const exact = [
    0.1 + 0.2,
    1 / 3,
    1e21,
    1e-7,
    5e-324,
    2 ** 53,
    1e15,
    -(2 ** 63),
    1.7976931348623157e308,
    7803486.962716312,
  ];
  expect(await readNumbers(plain)).toEqual(plain.map((number) => JSON.stringify(number)));
  expect(await readNumbers(exact)).toEqual(exact.map(() => undefined));
});

test("the text of any REAL is that of JSON, or is not taken", async () => {
  const decimal = fc
    .tuple(fc.integer({ min: -1e15, max: 1e15 }), fc.integer({ min: 0, max: 18 }))
    .map(([digits, e]) => digits / 10 ** e);
  const nextTo = decimal.map((number) => number * (1 + Number.EPSILON));
  const numbers = fc.array(fc.oneof(decimal, nextTo, fc.double({ noNaN: true })), { minLength: 500, maxLength: 500 });
  await fc.assert(
    fc.asyncProperty(numbers, async (all) => {
      const texts = await readNumbers(all);
      expect(texts.some((text) => text !== undefined)).toBe(true);
      for (const [at, text] of texts.entries()) if (text !== undefined) expect(text).toBe(JSON.stringify(all[at]));
    }),
    { numRuns: draws(10) },
  );
});

const NOT_JSON = "not JSON";

/** False for what a column holds where its field cannot, and for numbers that JSON cannot write. */
function isJson(value: unknown): boolean {
  return !(value instanceof Unfit) && (typeof value !== "number" || Number.isFinite(value));
}

test("several threads publish the same as one, or refuse for the same reasons, in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, fc.integer({ min: 1, max: 3 }), fc.boolean(), async (table, pageSize, hasIndex) => {
      const folder = scratch();
      const db = join(folder, "things.sqlite");
      writeTable(db, table);
      const contract = contractOf(table.file);
      if (hasIndex) addIndex(db, contract);
      const settings = { db, contract: table.file, pageSize, baseUrl: "https://things.example" };
      const [one, several] = await Promise.all(
        [0, 2].map((workers) => attempt({ ...settings, workers, dist: join(folder, String(workers)) })),
      );
      expect(several).toEqual(one);
      if (!(one instanceof Map)) return;
      const keys = [...one]
        .filter(([path]) => /pages\/\d+\.json$/.test(path))
        .sort(([a], [b]) => Number(/(\d+)\.json/.exec(a)?.[1]) - Number(/(\d+)\.json/.exec(b)?.[1]))
        .flatMap(([, text]) => JSON.parse(text).results as Row[])
        .map((record) => orderKeyOf(contract, record) ?? []);
      expect(keys).toHaveLength(table.rows.length);
      for (let at = 1; at < keys.length; at++)
        expect(comesAfter(contract, keys[at] ?? [], keys[at - 1] ?? [])).toBe(true);
    }),
    { numRuns: draws(200) },
  );
});

function addIndex(path: string, { order }: Contract): void {
  const db = new Database(path);
  const columns = order.map(({ column, isDescending }) => `${quote(column)}${isDescending ? " DESC" : ""}`);
  db.exec(`CREATE INDEX things_order ON things (${columns.join(", ")})`);
  db.close();
}

/** The files of a release, or the problems for which there is none. */
async function attempt(options: Parameters<typeof build>[0]): Promise<ReadonlyMap<string, string> | string> {
  try {
    const { folder } = await build(options);
    return readTree(folder);
  } catch (error) {
    if (!(error instanceof InvalidRecordsError)) throw error;
    return JSON.stringify(error.problems);
  }
}
