/** Selections from loaded records: search, filters, ranges, counts and order. */
import { describe, expect, test } from "vitest";
import { type AnyRecord, contractOf } from "../../../src/core/contract/contract.js";
import { BEGINNING, type ListPlace, parseHash } from "../../../src/explorer/page/address.js";
import { appliedPlace } from "../../../src/explorer/page/applied.js";
import { searchable } from "../../../src/explorer/page/found.js";
import type { ListingFacts } from "../../../src/explorer/page/reader.js";
import type { Reach } from "../../../src/explorer/page/scope.js";
import { select } from "../../../src/explorer/page/select.js";
import { contractWith } from "../../support/contracts.js";
import { writeFacts } from "../collection.js";

const FIELDS = {
  id: { type: "string" },
  customer: { type: "string" },
  status: { type: "string", "x-facet": true },
  tags: { type: "array", items: { type: "string" }, "x-facet": true },
  total: { type: ["number", "null"] },
  ordered_at: { type: "string", format: "date-time" },
  seen_at: { type: "integer" },
} as const;
const contract = contractOf(contractWith(["order", "orders"], FIELDS, { path: "/orders/", label: "customer" }));

const RECORDS: AnyRecord[] = [
  order("A1", "Anna Berg", "new", ["gift"], 10, "2024-01-31T23:00:00Z"),
  order("A10", "Jörg Annas", "paid", ["gift", "rush"], 9.5, "2024-02-01T00:30:00.25+02:00"),
  order("A2", "Bob", "new", [], null, "2024-02-01T00:30:00.5+02:00"),
  order("B1", "A1", "sent", ["rush"], -3, "2024-03-01T00:00:00Z"),
];

function order(id: string, customer: string, status: string, tags: string[], total: number | null, at: string) {
  return { id, customer, status, tags, total, ordered_at: at, seen_at: Math.floor(Date.parse(at) / 1000) };
}

/** Keys of the selected records, and the counts. */
async function selected(place: Partial<ListPlace>, records = RECORDS) {
  const { summary } = await writeFacts(contract, records);
  const known = { contract, summary, names: new Map() } as unknown as ListingFacts;
  const rows = records.map((record, number) => ({ record, number }));
  const { rows: found, counts } = select(known, rows, { ...BEGINNING, ...place });
  return { keys: found.map(({ record }) => record["id"]), counts: Object.fromEntries(counts) };
}

test.each<[string, Partial<ListPlace>, string[]]>([
  ["everything, in published order", {}, ["A1", "A10", "A2", "B1"]],
  ["words, the last one as a prefix", { text: "anna" }, ["A1", "A10"]],
  ["words without accents", { text: "jorg an" }, ["A10"]],
  ["keys and names, the whole key first", { text: "A1" }, ["A1", "A10", "B1"]],
  ["a key before what comes earlier", { text: "B1" }, ["B1"]],
  ["nothing by punctuation", { text: "?" }, []],
  ["words of one field, the last one as a prefix", { text: "pa", within: "status" }, ["A10"]],
  ["no words of other fields, and no keys", { text: "A1", within: "status" }, []],
  ["one value of a facet", { where: new Map([["status", ["new"]]]) }, ["A1", "A2"]],
  ["several values of a facet", { where: new Map([["status", ["new", "sent"]]]) }, ["A1", "A2", "B1"]],
  [
    "values of several facets, and of lists",
    {
      where: new Map([
        ["status", ["new", "paid"]],
        ["tags", ["rush", "gift"]],
      ]),
    },
    ["A1", "A10"],
  ],
  ["numbers from", { ranges: new Map([["total", ["9.5", ""]]]) }, ["A1", "A10"]],
  ["numbers to, without null", { ranges: new Map([["total", ["", "9.5"]]]) }, ["A10", "B1"]],
  ["whole days, as they are shown", { ranges: new Map([["ordered_at", ["2024-02-01", "2024-02-01"]]]) }, ["A10", "A2"]],
  ["days of seconds since 1970, in UTC", { ranges: new Map([["seen_at", ["", "2024-01-31"]]]) }, ["A1", "A10", "A2"]],
  ["sorted numbers, null last", { sort: { path: "total", isDescending: false } }, ["B1", "A10", "A1", "A2"]],
  ["sorted down, null last", { sort: { path: "total", isDescending: true } }, ["A1", "A10", "B1", "A2"]],
  ["sorted texts with numbers", { sort: { path: "id", isDescending: false } }, ["A1", "A2", "A10", "B1"]],
  ["sorted times", { sort: { path: "ordered_at", isDescending: false } }, ["A10", "A2", "A1", "B1"]],
  ["equal ones in published order", { sort: { path: "status", isDescending: true } }, ["B1", "A10", "A1", "A2"]],
])("selects %s", async (_, place, keys) => {
  expect((await selected(place)).keys).toEqual(keys);
});

test("equal times stay in published order when sorted down", async () => {
  const records = RECORDS.map((record) => ({ ...record, ordered_at: "2024-01-31T23:00:00Z" }));
  const { keys } = await selected({ sort: { path: "ordered_at", isDescending: true } }, records);
  expect(keys).toEqual(["A1", "A10", "A2", "B1"]);
});

test("limits how many combinations of values are searched for in lookup files", () => {
  const values = Array.from({ length: 40 }, (_, at) => `v${at}`);
  const where = searchable(new Map(["a", "b", "c"].map((path) => [path, values])));
  expect([...where.values()].map(({ length }) => length)).toEqual([40, 5, 1]);
});

test("counts a facet by all conditions but its own", async () => {
  expect((await selected({})).counts).toEqual({
    'status="new"': 2,
    'status="paid"': 1,
    'status="sent"': 1,
    'tags="gift"': 2,
    'tags="rush"': 2,
  });
  const { counts } = await selected({ where: new Map([["status", ["new"]]]), ranges: new Map([["total", ["0", ""]]]) });
  expect(counts).toEqual({ 'status="new"': 1, 'status="paid"': 1, 'tags="gift"': 1 });
});

describe("ranges", () => {
  test.each([
    ["total", ["1", "2.5e3"], true],
    ["total", ["x", ""], false],
    ["total", ["", " "], false],
    ["total", ["Infinity", ""], false],
    ["total", ["-.5", "1E+2"], true],
    ["total", ["0x10", ""], false],
    ["total", [" 1", ""], false],
    ["ordered_at", ["2024-01-01", ""], true],
    ["ordered_at", ["2024", ""], false],
    ["ordered_at", ["2024-02-30", ""], false],
    ["seen_at", ["", "2024-01-01"], true],
    ["seen_at", ["", "17"], false],
    ["status", ["a", "b"], false],
    ["no such field", ["1", "2"], false],
  ] as const)("%s from and to %j: %s", (path, range, isValid) => {
    const { place, refused } = applied({ ranges: new Map([[path, range]]) });
    expect(place.ranges.get(path)).toEqual(isValid ? range : undefined);
    expect(refused).toHaveLength(isValid ? 0 : 1);
  });
});

/** What applies of a place, in a listing of this many records. @param reach what views have */
function applied(place: Partial<ListPlace>, count = 4, reach?: Reach) {
  const facets = ["status", "tags"].map((path) => ({ path, names: [path], values: [], more: 0 }));
  return appliedPlace({ ...BEGINNING, ...place }, { contract, summary: { facets }, snapshot: { count } }, reach);
}

describe("what does not apply is said", () => {
  test.each([
    ["#?from.total=5&to.total=9", 20_001, ["total 5 to 9, since ranges need at most 20,000 records"]],
    ["#?to.ordered_at=2021-02-01", 20_001, ["ordered at to 2021-02-01, since ranges need at most 20,000 records"]],
    ["#?from.ordered_at=2021", 20_001, ["ordered at from 2021, since 2021 is not a day such as 2021-02-01"]],
    ["#?from.total=a&to.total=2", 4, ["total a to 2, since a is not a number"]],
    ["#?from.status=a", 4, ["status from a, since status has no ranges"]],
    ["#?from.id=1", 4, ["ID from 1, since ID has no ranges"]],
    ["#?from.x=1&y=2", 4, ["y 2, since there is no field y", "x from 1, since there is no field x"]],
    ["#?customer=Bob&customer=", 4, ["customer Bob or empty, since customer is not a facet"]],
    ["#?total=null", 4, ["total none, since total is not a facet"]],
    ["#?sort=", 4, ['order by "", since there is no field ""']],
    ["#?desc=total", 20_001, ["order by total, since sorting needs at most 20,000 records"]],
    ["#?q=x&in=status", 20_001, ["search in status, since a search in one field needs at most 20,000 records"]],
    ["#?q=x&in=total", 4, ["search in total, since total is not a text"]],
    ["#?q=x&in=", 4, ['search in "", since there is no field ""']],
    ["#?q=x&in=customer&status=a&tags=b&desc=total&from.total=1&q=x", 20_000, []],
  ])("%s, in %i records", (hash, count, refused) => {
    expect(applied(parseHash(hash) as ListPlace, count).refused).toEqual(refused);
  });

  const few = "at most 20,000 records, such as those of one value of customer or seen at";
  const byTotal = [{ path: "total", isDescending: true }];
  const bothWays = [...byTotal, { path: "total", isDescending: false }, { path: "id", isDescending: false }];
  test.each<[string, number, Partial<Reach>, string[]]>([
    ["#?desc=total&status=new", 20_001, { orders: byTotal }, []],
    [
      "#?sort=total",
      20_001,
      { orders: byTotal },
      [`order by total, since sorting other than by total descending needs ${few}`],
    ],
    [
      "#?sort=status&from.total=1",
      20_001,
      { orders: bothWays },
      [
        `total from 1, since ranges need ${few}`,
        `order by status, since sorting other than by total or ID ascending needs ${few}`,
      ],
    ],
    ["#?customer=Bob", 20_001, { by: "customer" }, []],
    [
      "#?customer=Bob&customer=Eve",
      20_001,
      {},
      [
        "customer Bob or Eve, since one value of customer can be chosen, and with other conditions only if it has at most 20,000 records",
      ],
    ],
    ["#?customer=Bob&customer=Eve&seen_at=5&sort=id&from.total=1", 20_000, { by: "seen_at" }, []],
    ["#?customer=Bob&total=1", 20_000, { by: "customer" }, ["total 1, since total is not a facet"]],
  ])("%s, in a view of %i records: %j", (hash, count, reach, refused) => {
    const ofViews = { view: { snapshot: { count } }, orders: [], fields: ["customer", "seen_at"], ...reach };
    expect(applied(parseHash(hash) as ListPlace, 50_000, ofViews).refused).toEqual(refused);
  });

  test("also of values of which too many combinations would be searched", () => {
    const values = Array.from({ length: 40 }, (_, at) => `v${at}`);
    const where = new Map(["status", "tags"].map((path) => [path, values]));
    expect(applied({ where }).refused).toEqual([]);
    const { place, refused } = applied({ where }, 20_001);
    expect(place.where.get("tags")).toHaveLength(5);
    expect(refused).toEqual(["35 values of tags, since at most 200 combinations of values are searched"]);
  });
});
