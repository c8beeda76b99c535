/** What is counted of all records, held against counting parsed records one by one, over contracts and records made at random. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnyRecord, type Contract, contractOf, USERS_CONTRACT } from "../../src/contract/contract.js";
import type { ContractFile, FieldSchema } from "../../src/contract/file/form.js";
import { facetFields, facetTerm, facetTermsOf } from "../../src/contract/lookup.js";
import { recordEncoder } from "../../src/contract/record/encode.js";
import { valueAt } from "../../src/contract/record/value.js";
import { FacetTally } from "../../src/explorer/facets.js";
import { Counter } from "../../src/explorer/gather.js";
import { encodeSummary, summarize } from "../../src/explorer/summary.js";
import { STATIONS_CONTRACT, stations } from "../support/stations.js";
import { anyUser } from "../support/users.js";

/** As many as a test needs, the same for the same numbers. */
const NO_LISTS = { facets: [], lists: [] };

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
    const file: ContractFile = {
      type: "object",
      "x-listing": { path: "/t/", words: ["thing", "things"], key: "k", order: ["lead", "k"], version: 1 },
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    };
    return fc
      .array(record, { maxLength: 40 })
      .map((records) => ({ contract: contractOf(file), records: records as AnyRecord[] }));
  });

/** Adds records in batches to some counters, as threads do, and joins what they have counted. */
function count(contract: Contract, records: readonly AnyRecord[], { batch = 7, threads = 1, isTurned = false } = {}) {
  const encode = recordEncoder(contract);
  const counters = Array.from({ length: threads }, () => new Counter(contract));
  const terms = new Map<string, number[]>();
  for (let first = 0; first < records.length; first += batch) {
    const texts = records.slice(first, first + batch).map((record) => encode(inOrder(record)));
    const counter = counters[(first / batch) % threads];
    counter?.add(first, Buffer.from(texts.join(",\n")));
    for (const [term, numbers] of counter?.takeTerms() ?? []) terms.set(term, [...(terms.get(term) ?? []), ...numbers]);
  }
  const whole = new Counter(contract);
  for (const counter of isTurned ? counters.reverse() : counters) whole.join(structuredClone(counter.counted()));
  return { terms, counted: whole.counted() };
}

/** With members as they stand in published order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inside]) => [name, inOrder(inside)]),
  );
}

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("facets", () => {
  test("have the terms of the parsed records, with their numbers", () => {
    fc.assert(
      fc.property(anyCollection, fc.integer({ min: 1, max: 9 }), ({ contract, records }, batch) => {
        const expected = new Map<string, number[]>();
        for (const [number, record] of records.entries())
          for (const term of facetTermsOf(facetFields(contract), record))
            expected.set(term, [...(expected.get(term) ?? []), number]);
        const { terms } = count(contract, records, { batch });
        expect([...terms].sort()).toEqual([...expected].sort());
      }),
      { numRuns: 1000 },
    );
  });

  test("list each value with its count, most frequent first, then by the order of terms", () => {
    fc.assert(
      fc.property(anyCollection, ({ contract, records }) => {
        const fields = facetFields(contract);
        const tally = new FacetTally(fields);
        const { terms } = count(contract, records);
        for (const [term, numbers] of [...terms].sort(([one], [other]) => byBytes(one, other)))
          tally.add(term, numbers.length);
        const facets = tally.facets();
        expect(facets.map(({ path }) => path)).toEqual(fields.map(({ path }) => path));
        for (const [at, field] of fields.entries()) {
          const counts = new Map<string, number>();
          for (const record of records) {
            const term = facetTerm(field, valueAt(record, field));
            counts.set(term, (counts.get(term) ?? 0) + 1);
          }
          const expected = [...counts].sort(([one, few], [other, many]) => many - few || byBytes(one, other));
          const { values = [], more } = facets[at] ?? {};
          expect(values.map(({ value, count: found }) => [facetTerm(field, value), found])).toEqual(expected);
          expect(more).toBe(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("of very many values list a hundred, and say how many there are more", () => {
    const [field] = facetFields(STATIONS_CONTRACT);
    if (!field) throw new Error("Stations have no facet");
    const tally = new FacetTally([field]);
    const terms = Array.from({ length: 5000 }, (_, at) => facetTerm(field, `v${at}`)).sort(byBytes);
    for (const [at, term] of terms.entries()) tally.add(term, 1 + ((at * 7919) % 5000));
    const [facet] = tally.facets();
    expect(facet?.more).toBe(4900);
    expect(facet?.values.map(({ count: found }) => found)).toEqual(Array.from({ length: 100 }, (_, at) => 5000 - at));
  });
});

test("however many threads count, and in whatever order they are joined, the summary is the same", () => {
  fc.assert(
    fc.property(
      anyCollection,
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      ({ contract, records }, threads, isTurned) => {
        const alone = summarize(contract, count(contract, records).counted, NO_LISTS);
        const together = summarize(
          contract,
          count(contract, records, { threads, isTurned, batch: 3 }).counted,
          NO_LISTS,
        );
        expect(encodeSummary(together)).toBe(encodeSummary(alone));
      },
    ),
    { numRuns: 500 },
  );
});

test("users are counted by their texts as by their values, whatever the texts say", () => {
  const sly = anyUser.map((user) => ({ ...user, bio: `${user.bio}","kyc_status":"x`, circles: [{ tokens: 7 }] }));
  fc.assert(
    fc.property(fc.array(fc.oneof(anyUser, sly), { minLength: 1, maxLength: 9 }), (users) => {
      const { counted } = count(USERS_CONTRACT, users as unknown as AnyRecord[]);
      const { integers, times } = summarize(USERS_CONTRACT, counted, NO_LISTS);
      const joined = users.map(({ date_joined }) => date_joined.slice(0, 19)).sort();
      expect([times?.first, times?.last]).toEqual([`${joined[0]}Z`, `${joined.at(-1)}Z`]);
      const tokens = users.map(({ off_chain }) => off_chain.tokens);
      const own = integers.find(({ path }) => path === "off_chain.tokens");
      if (new Set(tokens).size > 1) expect([own?.min, own?.max]).toEqual([Math.min(...tokens), Math.max(...tokens)]);
      else expect(own).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

test("an empty collection has no time, no integer and no value", () => {
  const { counted } = count(USERS_CONTRACT, []);
  expect(summarize(USERS_CONTRACT, counted, NO_LISTS)).toEqual({
    ...{ count: 0, facets: [], lists: [], times: null, integers: [], version: 1 },
  });
});

test("where the order has no time, there is none", () => {
  const { file } = STATIONS_CONTRACT;
  const unordered = contractOf({ ...file, "x-listing": { ...file["x-listing"], order: ["country", "code"] } });
  const records = stations(9).map(({ record }): AnyRecord => record);
  expect(summarize(unordered, count(unordered, records).counted, NO_LISTS).times).toBeNull();
  expect(summarize(STATIONS_CONTRACT, count(STATIONS_CONTRACT, records).counted, NO_LISTS).times).toMatchObject({
    path: "opened",
    first: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});
