/** Counts of all records equal those of parsed records, over random contracts and records. */
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { describe, expect, test } from "vitest";
import { type AnyRecord, contractOf } from "../../src/core/contract/contract.js";
import type { FieldSchema } from "../../src/core/contract/file/form.js";
import { facetFields, facetTerm, facetTermsOf } from "../../src/core/contract/lookup.js";
import { valueAt } from "../../src/core/contract/record/value.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { readNumbers } from "../build/artifacts/plain-reader.js";
import { contractWith } from "../support/contracts.js";
import { draws } from "../support/random.js";
import { STATIONS_CONTRACT, stations } from "../support/stations.js";
import { anyUser } from "../support/users.js";
import { writeFacts } from "./collection.js";

const HARD = ["", '"', "\\", "\n", "é", "\u2028", "🕊", '","k":1', "}", "null", '\\"', "a=b"];
const text = fc.oneof(
  fc.constantFrom(...HARD),
  fc.array(fc.constantFrom(...HARD), { maxLength: 3 }).map((parts) => parts.join("")),
);
const integer = fc.oneof(
  fc.integer({ min: -30, max: 30 }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 9, 10, 99, 100, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER),
);
const time = fc.date({
  min: new Date("0001-01-01T00:00:00Z"),
  max: new Date("9999-12-31T00:00:00Z"),
  noInvalidDate: true,
});

interface Kind {
  schema: FieldSchema;
  values: fc.Arbitrary<unknown>;
}

const kinds: readonly Kind[] = [
  { schema: { type: "boolean" }, values: fc.boolean() },
  { schema: { enum: ["one", 'th"ree', "}", null] }, values: fc.constantFrom("one", 'th"ree', "}", null) },
  { schema: { enum: [1, -20, 300] }, values: fc.constantFrom(1, -20, 300) },
  { schema: { type: "string", "x-facet": true }, values: text },
  { schema: { type: ["string", "null"], "x-facet": true }, values: fc.option(text) },
  { schema: { type: "number", "x-facet": true }, values: fc.constantFrom(0, 0.5, -1e-7, 1e21) },
  { schema: { type: "integer" }, values: integer },
  { schema: { type: ["integer", "null"] }, values: fc.option(integer) },
  { schema: { type: "string" }, values: text },
  {
    schema: { "x-json": true },
    values: fc.oneof(text, fc.constant({ k: 1, lead: "x" }), fc.constant([{ "a=b": [] }])),
  },
  { schema: { type: "array", items: { type: "string" } }, values: fc.array(text, { maxLength: 2 }) },
];
const leads: readonly Kind[] = [
  { schema: { type: "string", format: "date-time" }, values: time.map((date) => date.toISOString()) },
  { schema: { type: "string", format: "date" }, values: time.map((date) => date.toISOString().slice(0, 10)) },
  { schema: { type: "string" }, values: text },
];

/** Some that mean something elsewhere, and one that another one's term could begin with. */
const NAMES = ["a", 'a="b"', "k", "lead", "z z", "ünï", "constructor"];

const anyCollection = fc
  .record({
    lead: fc.constantFrom(...leads),
    fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...kinds), fc.boolean()), {
      maxLength: 5,
      selector: ([name]) => name,
    }),
  })
  .chain(({ lead, fields }) => {
    const given = fields.filter(([name]) => name !== "lead" && name !== "k");
    const outer = given.filter(([, , isInside]) => !isInside);
    const inner = given.filter(([, , isInside]) => isInside);
    const schemas = (some: typeof given) => Object.fromEntries(some.map(([name, { schema }]) => [name, schema]));
    const values = (some: typeof given) => Object.fromEntries(some.map(([name, { values: each }]) => [name, each]));
    const inside: FieldSchema = {
      type: "object",
      properties: schemas(inner),
      required: inner.map(([name]) => name),
      additionalProperties: false,
    };
    const properties = {
      ...{ k: { type: "integer" } as const, lead: lead.schema },
      ...schemas(outer),
      ...(inner.length > 0 && { inner: inside }),
    };
    const record = fc.record({
      ...{ k: fc.integer(), lead: lead.values },
      ...values(outer),
      ...(inner.length > 0 && { inner: fc.record(values(inner)) }),
    });
    const listing = { path: "/t/", key: "k", order: ["lead", "k"] };
    const contract = contractOf(contractWith(["thing", "things"], properties, listing));
    return fc.array(record, { maxLength: 40 }).map((records) => ({ contract, records: records as AnyRecord[] }));
  });

/** The records of each term, as docs/reference/release-format.md tells how to read sorted files. */
function termsIn(files: ReadonlyMap<string, string>): Map<string, number[]> {
  const terms = new Map<string, number[]>();
  for (let file = 1; files.has(`explorer/facets/${file}.txt`); file++) {
    const lines = files.get(`explorer/facets/${file}.txt`)?.split("\n") ?? [];
    expect(lines.pop()).toBe("");
    for (const line of lines) {
      const tab = line.indexOf("\t");
      const written = line.slice(0, tab);
      const term = written.startsWith('"') ? JSON.parse(written) : written;
      terms.set(term, [...(terms.get(term) ?? []), ...readNumbers(line.slice(tab + 1))]);
    }
  }
  return terms;
}

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("facets", () => {
  test("have the terms of the records, in order, with record numbers", async () => {
    await fc.assert(
      fc.asyncProperty(anyCollection, fc.integer({ min: 1, max: 9 }), async ({ contract, records }, page) => {
        const expected = new Map<string, number[]>();
        for (const [number, record] of records.entries())
          for (const term of facetTermsOf(facetFields(contract), record))
            expected.set(term, [...(expected.get(term) ?? []), number]);
        const { files } = await writeFacts(contract, records, { page, threads: 2 });
        expect([...termsIn(files)]).toEqual([...expected].sort(([one], [other]) => byBytes(one, other)));
      }),
      { numRuns: draws(500) },
    );
  });

  test("list values with counts, most frequent first, then by term", async () => {
    await fc.assert(
      fc.asyncProperty(anyCollection, async ({ contract, records }) => {
        const fields = facetFields(contract);
        const { facets, lists } = (await writeFacts(contract, records)).summary;
        expect(lists).toHaveLength(fields.length > 0 && records.length > 0 ? 1 : 0);
        expect(facets.map(({ path }) => path)).toEqual(fields.map(({ path }) => path));
        for (const [at, field] of fields.entries()) {
          const counts = new Map<string, number>();
          for (const record of records) {
            const term = facetTerm(field, valueAt(record, field));
            counts.set(term, (counts.get(term) ?? 0) + 1);
          }
          const expected = [...counts].sort(([one, few], [other, many]) => many - few || byBytes(one, other));
          const { values = [], more } = facets[at] ?? {};
          expect(values.map(({ value, count }) => [facetTerm(field, value), count])).toEqual(expected);
          expect(more).toBe(0);
        }
      }),
      { numRuns: draws(300) },
    );
  });

  test("list at most a hundred values, and the number of others", async () => {
    const { file } = STATIONS_CONTRACT;
    const named = contractOf({
      ...file,
      properties: { ...file.properties, name: { type: "string", "x-facet": true } },
    });
    const [station] = stations(1).map(({ record }): AnyRecord => record);
    const records = Array.from({ length: 1000 }, (_, at) => ({
      ...station,
      ...{ code: `C${String(at).padStart(4, "0")}`, name: `v${at < 30 ? 0 : at % 500}` },
    }));
    const { facets } = (await writeFacts(named, records)).summary;
    const names = facets.find(({ path }) => path === "name");
    expect(names?.values.length).toBe(100);
    expect(names?.values[0]).toEqual({ value: "v0", count: 31 });
    expect(names?.more).toBe(400);
  });
});

test("the bytes do not depend on threads or their order", async () => {
  await fc.assert(
    fc.asyncProperty(
      ...([anyCollection, fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 3 }), fc.boolean()] as const),
      async ({ contract, records }, threads, pages, isTurned) => {
        const alone = await writeFacts(contract, records);
        const together = await writeFacts(contract, records, { threads, pages, isTurned, page: 3 });
        expect(together).toEqual(alone);
        expect(alone.files.get("explorer/summary.json")).toBe(`${stringify(alone.summary)}\n`);
      },
    ),
    { numRuns: draws(300) },
  );
});

test("counts users by text like by parsed values", async () => {
  const sly = anyUser.map((user) => ({ ...user, bio: `${user.bio}","kyc_status":"x`, circles: [{ tokens: 7 }] }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anyUser, sly), { minLength: 1, maxLength: 9 }), async (users) => {
      const { numbers, times } = (await writeFacts(USERS_CONTRACT, users as unknown as AnyRecord[])).summary;
      const joined = users.map(({ date_joined }) => date_joined.slice(0, 19)).sort();
      expect([times?.first, times?.last]).toEqual([`${joined[0]}Z`, `${joined.at(-1)}Z`]);
      const tokens = users.map(({ off_chain }) => off_chain.tokens);
      const own = numbers.find(({ path }) => path === "off_chain.tokens");
      const distinct = new Set(tokens).size;
      if (distinct > 1 && distinct < tokens.length)
        expect([own?.min, own?.max]).toEqual([Math.min(...tokens), Math.max(...tokens)]);
      else expect(own).toBeUndefined();
    }),
    { numRuns: draws(200) },
  );
});

test("an empty collection has no time, no integer and no value", async () => {
  const { summary, files } = await writeFacts(USERS_CONTRACT, []);
  expect([...files.keys()]).toEqual(["explorer/summary.json"]);
  expect(summary).toEqual({ count: 0, facets: expect.anything(), lists: [], times: null, numbers: [], version: 2 });
  expect(summary.facets.map(({ values, more }) => [values, more])).toEqual([
    [[], 0],
    [[], 0],
  ]);
});

test("has no times if the order has no time field", async () => {
  const { file } = STATIONS_CONTRACT;
  const unordered = contractOf({ ...file, "x-listing": { ...file["x-listing"], order: ["country", "code"] } });
  const records = stations(9).map(({ record }): AnyRecord => record);
  expect((await writeFacts(unordered, records)).summary.times).toBeNull();
  expect((await writeFacts(STATIONS_CONTRACT, records)).summary.times).toMatchObject({
    path: "opened",
    first: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});
