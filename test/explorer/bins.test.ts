/** Found records are counted in the bins that the summary has for all records. */
import { expect, test } from "vitest";
import { type AnyRecord, contractOf, fieldAt } from "../../src/core/contract/contract.js";
import { histogramOf } from "../../src/explorer/page/bins.js";
import { contractWith } from "../support/contracts.js";
import { writeFacts } from "./collection.js";

const FIELDS = {
  id: { type: "integer" },
  day: { type: "string", format: "date" },
  amount: { type: "integer" },
  price: { type: ["number", "null"] },
  at: { type: "string", format: "date-time" },
} as const;
const contract = contractOf(
  contractWith(["sale", "sales"], FIELDS, { path: "/sales/", key: "id", order: ["day", "id"] }),
);

const RECORDS: AnyRecord[] = Array.from({ length: 900 }, (_, at) => ({
  id: at,
  day: `2024-${String(1 + (at % 12)).padStart(2, "0")}-15`,
  amount: (at * at) % 97,
  price: at % 9 === 0 ? null : Math.round((at * 7919) % 10_007) / 100,
  at: "2024-01-01T00:00:00Z",
}));
const rows = (records: readonly AnyRecord[]) => records.map((record) => ({ record }));

test.each(["day", "amount", "price"])("the counts of all records by %s are those of the summary", async (path) => {
  const { summary } = await writeFacts(contract, RECORDS);
  const field = fieldAt(contract, path);
  const all = histogramOf(field, summary, "all", path);
  const counted = histogramOf(field, summary, rows(RECORDS), path);
  expect(all?.bins.length).toBeGreaterThan(5);
  expect(counted?.bins).toEqual(all?.bins.map(({ name, count }) => ({ name, count })));
  const found = histogramOf(field, summary, rows(RECORDS.slice(0, 100)), path);
  const sum = found?.bins.reduce((sum, { count }) => sum + count, 0);
  expect(sum).toBe(path === "price" ? 88 : 100);
});

test("numbers have sum and mean, without the rounding of each step", async () => {
  const { summary } = await writeFacts(contract, RECORDS);
  const price = fieldAt(contract, "price");
  const noteOf = (prices: readonly (number | null)[]) =>
    histogramOf(price, summary, rows(prices.map((one) => ({ price: one }))), "Price")?.note;
  expect(noteOf(new Array(10).fill(0.1))).toBe("Sum 1, mean 0.1");
  expect(noteOf([1e16, 1, -1e16, null])).toBe("Sum 1, mean 0.333");
  expect(noteOf([null])).toBe("");
});

test("a field without bins has no histogram", async () => {
  const { summary } = await writeFacts(contract, RECORDS);
  expect(histogramOf(fieldAt(contract, "at"), summary, "all", "At")).toBeUndefined();
});
