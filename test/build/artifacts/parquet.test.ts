/** records.parquet: the types and values of columns, and the row groups. */
import { expect, test } from "vitest";
import { pagesOfGroup } from "../../../src/build/artifacts/parquet.js";
import type { FieldSchema } from "../../../src/core/contract/file/form.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { parquetOf, readParquet, thingsWith } from "./parquet-files.js";

/** The elements of a field's column, as texts. */
async function columnOf(schema: FieldSchema): Promise<string[]> {
  const { metadata } = await readParquet(await parquetOf(thingsWith({ value: schema }), []));
  return metadata.schema
    .slice(2)
    .map(({ repetition_type: repetition, type, converted_type: converted, logical_type: logical }) =>
      [repetition, type, converted, logical?.type === "TIMESTAMP" && logical.isAdjustedToUTC && "UTC"]
        .filter(Boolean)
        .join(" "),
    );
}

/** The values that are read back of a column. */
async function stored(schema: FieldSchema, values: readonly unknown[]): Promise<unknown[]> {
  const records = values.map((value, at) => ({ key: String(at).padStart(4, "0"), value }));
  const { rows } = await readParquet(await parquetOf(thingsWith({ value: schema }), records));
  expect(rows.map(({ key }) => key)).toEqual(records.map(({ key }) => key));
  return rows.map(({ value }) => value ?? null);
}

const TEXT = "BYTE_ARRAY UTF8";

test.each<[schema: FieldSchema, column: string[]]>([
  [{ type: "string" }, [`REQUIRED ${TEXT}`]],
  [{ type: ["string", "null"], format: "uuid" }, [`OPTIONAL ${TEXT}`]],
  [{ type: "string", "x-null": { const: "" } }, [`REQUIRED ${TEXT}`]],
  [{ enum: ["a", null] }, [`OPTIONAL ${TEXT}`]],
  [{ type: "integer" }, ["REQUIRED INT64"]],
  [{ enum: [1, 2] }, ["REQUIRED INT64"]],
  [{ enum: [1, 1e300] }, ["REQUIRED DOUBLE"]],
  [{ enum: [1, 2.5] }, ["REQUIRED DOUBLE"]],
  [{ type: ["number", "null"] }, ["OPTIONAL DOUBLE"]],
  [{ anyOf: [{ type: "integer" }, { type: "number", minimum: 9 }] }, ["REQUIRED DOUBLE"]],
  [{ type: "boolean" }, ["REQUIRED BOOLEAN"]],
  [{ type: "string", format: "date" }, ["REQUIRED INT32 DATE"]],
  [{ type: ["string", "null"], format: "date-time" }, ["OPTIONAL INT64 TIMESTAMP_MICROS UTC"]],
  [{ anyOf: [{ const: "never" }, { type: "string", format: "date" }] }, [`REQUIRED ${TEXT}`]],
  [{ enum: ["2026-01-31"] }, [`REQUIRED ${TEXT}`]],
  [{ anyOf: [{ const: null }, { type: "string", format: "date" }] }, ["OPTIONAL INT32 DATE"]],
  [{ anyOf: [{ type: "integer" }, { type: "string" }] }, ["REQUIRED BYTE_ARRAY JSON"]],
  [{ "x-json": true }, ["OPTIONAL BYTE_ARRAY JSON"]],
  [{ type: "array", items: { type: "integer" } }, ["REQUIRED LIST", "REPEATED", "REQUIRED INT64"]],
  [{ type: ["array", "null"], items: { enum: ["a", null] } }, ["OPTIONAL LIST", "REPEATED", `OPTIONAL ${TEXT}`]],
  [{ type: "array", items: { type: "string", format: "date" } }, ["REQUIRED LIST", "REPEATED", `REQUIRED ${TEXT}`]],
  [{ type: "array", items: { anyOf: [{ type: "integer" }, { type: "string" }] } }, ["REQUIRED BYTE_ARRAY JSON"]],
  [{ type: "array", items: { type: "array", items: { type: "integer" } } }, ["REQUIRED BYTE_ARRAY JSON"]],
  [{ type: "array" }, ["REQUIRED BYTE_ARRAY JSON"]],
])("%j is the column %j, without looking at a value", async (schema, column) => {
  expect(await columnOf(schema)).toEqual(column);
});

test("integers and numbers keep all digits", async () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect(await stored({ type: "integer" }, [0, -1, most, -most])).toEqual([0n, -1n, BigInt(most), BigInt(-most)]);
  const numbers = [0, 0.1, 0.1 + 0.2, 1e308, 5e-324, -1e21, 3];
  expect(await stored({ type: "number" }, numbers)).toEqual(numbers);
});

test("texts are stored as they are, null apart from an empty text", async () => {
  const texts = ["", "\u0000", "a\nb", "=1+1", "null", "\u{10ffff}".repeat(30), "🕊", null];
  expect(await stored({ type: ["string", "null"] }, texts)).toEqual(texts);
});

test("dates are days, and times are microseconds of UTC", async () => {
  const days = (text: string) => Date.parse(text) / 86_400_000;
  const dates = ["0000-01-01", "0001-01-01", "1582-10-10", "1970-01-01", "9999-12-31"];
  expect(await stored({ type: "string", format: "date" }, dates)).toEqual(dates.map(days));
  const times: [text: string, micros: bigint][] = [
    ["1970-01-01T00:00:00Z", 0n],
    ["1970-01-01T00:00:00.000001Z", 1n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["2026-01-31T12:00:00.123456789+02:30", BigInt(Date.UTC(2026, 0, 31, 9, 30)) * 1000n + 123_456n],
    ["2026-01-31T12:00:00-23:59", BigInt(Date.UTC(2026, 1, 1, 11, 59)) * 1000n],
    ["0001-01-01T00:00:00.5Z", BigInt(Date.parse("0001-01-01T00:00:00Z")) * 1000n + 500_000n],
    ["9999-12-31T23:59:59.1Z", BigInt(Date.parse("9999-12-31T23:59:59Z")) * 1000n + 100_000n],
  ];
  const texts = times.map(([text]) => text);
  expect(await stored({ type: "string", format: "date-time" }, texts)).toEqual(times.map(([, micros]) => micros));
});

test("lists keep empty lists, nulls and null items apart; other values are JSON", async () => {
  const lists = [[], ["a", null, ""], null, ["b"]];
  const items = { type: ["string", "null"] } as const;
  expect(await stored({ type: ["array", "null"], items }, lists)).toEqual(lists);
  expect(await stored({ type: "array", items: { type: "integer" } }, [[], [1, -2]])).toEqual([[], [1n, -2n]]);
  expect(await stored({ type: "array", items: { type: "boolean" } }, [[true], [false, true]])).toEqual([
    [true],
    [false, true],
  ]);
  const values = [false, 0, "", [], {}, { b: [1, { "10": 1, "9": 2 }], a: null }, "text"];
  expect(await stored({ "x-json": true }, values)).toEqual(values);
  expect(await stored({ "x-json": true }, [null, 1])).toEqual([null, 1]);
  expect(await stored({ anyOf: [{ type: "integer" }, { type: "string" }] }, [1, "1"])).toEqual([1, "1"]);
});

test("columns have the paths of fields as names, whatever they contain", async () => {
  const inner = {
    type: "object",
    properties: { 'a "b"': { type: "integer" }, ID: { type: "integer" }, id: { type: "integer" } },
    required: ['a "b"', "ID", "id"],
    additionalProperties: false,
  } as const;
  const values = { 'a "b"': 1, ID: 2, id: 3 };
  const file = thingsWith({ ünï: inner, ID: { type: "integer" }, id: { type: "integer" } });
  const { rows } = await readParquet(await parquetOf(file, [{ key: "k", ünï: values, ID: 4, id: 5 }]));
  expect(rows).toEqual([{ ID: 4n, id: 5n, key: "k", 'ünï.a "b"': 1n, "ünï.ID": 2n, "ünï.id": 3n }]);
});

test("an empty listing has its columns and no rows", async () => {
  const { metadata, rows } = await readParquet(await parquetOf(USERS_CONTRACT.file, []));
  expect(rows).toEqual([]);
  expect(metadata).toMatchObject({ num_rows: 0n, created_by: "rollcall", row_groups: [] });
  expect(metadata.schema.length).toBeGreaterThan(USERS_CONTRACT.fields.length);
});

test("row groups do not depend on batches, and their bytes are equal", async () => {
  const schema = thingsWith({ value: { type: "string" }, list: { type: "array", items: { type: "integer" } } });
  const records = Array.from({ length: 25_000 }, (_, at) => ({
    key: String(at).padStart(6, "0"),
    value: `text ${at % 100}`,
    list: [at, -at],
  }));
  const whole = await parquetOf(schema, records, { pageSize: 500 });
  const batches = await parquetOf(schema, records, { pageSize: 500, batch: pagesOfGroup(500) });
  expect(batches.equals(whole)).toBe(true);
  const { metadata, rows } = await readParquet(whole);
  expect(metadata.row_groups.map(({ num_rows }) => num_rows)).toEqual([20_000n, 5000n]);
  expect(rows.every(({ key, list }, at) => key === records[at]?.key && Number((list as bigint[])[1]) === -at)).toBe(
    true,
  );
});

test.each([1, 7, 100, 500, 501, 999, 1000])("with %i records a page, a row group has at most 20,000", (pageSize) => {
  const records = pagesOfGroup(pageSize) * pageSize;
  expect(records).toBeGreaterThan(18_000);
  expect(records).toBeLessThanOrEqual(20_000);
});
