/** Finds keys in the text of records of any contract. */
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { expect, test } from "vitest";
import { contractOf } from "../../../../src/core/contract/contract.js";
import type { FieldSchema } from "../../../../src/core/contract/file/form.js";
import { orderKeyOf } from "../../../../src/core/contract/record/key.js";
import { placeFinder, recordFinder } from "../../../../src/core/contract/record/locate.js";
import { draws } from "../../../support/random.js";

/** Names that are parts of each other, or look like JSON. */
const NAMES = ["a", "b", "id", "id2", "é", 'a"id', "\\", "z"];
const name = fc.constantFrom(...NAMES);
const text = fc.oneof(
  fc.constantFrom('"id":1', '{"id":2,', "\\", '"', "", "🕊"),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, [], {}, { id: "x" }, [{ id: 1, a: { z: "y" } }]),
  fc.jsonValue({ maxDepth: 2 }),
);

interface Sample {
  schema: FieldSchema;
  value: unknown;
}

const scalar: fc.Arbitrary<Sample> = fc.oneof(
  text.map((value) => ({ schema: { type: "string" as const }, value })),
  fc.maxSafeInteger().map((value) => ({ schema: { type: "integer" as const }, value })),
);
const free: fc.Arbitrary<Sample> = json.map((value) => ({ schema: { "x-json": true }, value }));
const object: fc.Arbitrary<Sample> = fc
  .dictionary(name, fc.oneof(scalar, free), { minKeys: 1, maxKeys: 3 })
  .map((fields) => objectOf(fields));

function objectOf(fields: Record<string, Sample>): Sample {
  const all = Object.entries(fields);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
      required: Object.keys(fields),
      additionalProperties: false,
    },
    value: Object.fromEntries(all.map(([name, { value }]) => [name, value])),
  };
}

function contractWith(fields: Record<string, Sample>, key: string) {
  const { schema, value } = objectOf(fields);
  const contract = contractOf({
    type: "object",
    "x-listing": { path: "/v1/things/", words: ["thing", "things"], key, order: [key], version: 1 },
    properties: schema.properties ?? {},
    required: Object.keys(fields),
    additionalProperties: false,
  });
  return { contract, value };
}

test("finds places in records of random contracts", () => {
  const records = fc.dictionary(name, fc.oneof(scalar, free, object), { minKeys: 1, maxKeys: 6 });
  let [walked, others] = [0, 0];
  fc.assert(
    fc.property(records, text, (fields, before) => {
      for (const [key, { schema }] of Object.entries(fields)) {
        if (schema["x-json"] || schema.properties) continue;
        const { contract, value } = contractWith(fields, key);
        const record = Buffer.from(stringify(value)).toString("latin1");
        const [at, end] = [before.length, before.length + record.length];
        const all = `${before}${record},\n${record}`;
        expect(recordFinder(contract).find(all, at, end)?.order).toEqual(orderKeyOf(contract, value));
        if (placeFinder(contract, contract.order)(all, at, end, [])) walked++;
        else others++;
      }
    }),
    { numRuns: draws(2000) },
  );
  expect(walked).toBeGreaterThan(0);
  expect(others).toBeGreaterThan(0);
});

test("returns false for an earlier value with members of its own", () => {
  const fields = {
    a: { schema: { "x-json": true as const }, value: { id: "wrong" } },
    id: { schema: { type: "string" as const }, value: "k" },
  };
  const { contract, value } = contractWith(fields, "id");
  const record = stringify(value);
  expect(placeFinder(contract, contract.order)(record, 0, record.length, [])).toBe(false);
  expect(recordFinder(contract).find(record, 0, record.length)?.order).toEqual(["k"]);
});

test("does not find a field in the next record", () => {
  const { contract, value } = contractWith({ id: { schema: { type: "integer" }, value: 5 } }, "id");
  const record = stringify(value);
  const all = `{},\n${record}`;
  expect(recordFinder(contract).find(all, 0, 2)).toBeUndefined();
  expect(recordFinder(contract).find(all, 4, all.length)?.order).toEqual([5]);
});
