/** Finds repeated keys of any kind and length, beyond what fits into memory. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type Contract, contractOf } from "../../src/core/contract/contract.js";
import type { OrderKey } from "../../src/core/contract/record/key.js";
import { toBytes } from "../../src/core/contract/record/key.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { AllKeys, OrderCheck } from "../../src/verify/disk/records.js";
import { Findings } from "../../src/verify/verdict.js";

/** Adds keys, some per page and each page as a batch, and returns the findings. */
function find(contract: Contract, keys: readonly OrderKey[], perPage: number, check = "unique-keys") {
  const findings = new Findings();
  const [all, order] = [new AllKeys(), new OrderCheck(contract, findings)];
  for (let at = 0; at < keys.length; at += perPage) {
    const page = 1 + at / perPage;
    const [batch, some] = [new OrderCheck(contract, findings), keys.slice(at, at + perPage)];
    for (const key of some) batch.add({ page, key });
    order.join(batch);
    all.add(page, JSON.stringify(some.map((key) => key.at(-1))));
  }
  all.check(contract, findings);
  all.close();
  return findings.of(check);
}

const ofUsers = (ids: readonly string[], perPage: number) =>
  find(
    USERS_CONTRACT,
    ids.map((id) => ["", id]),
    perPage,
  );

/** A contract of records that are ordered by these fields. */
function ordered(order: readonly string[], types: Record<string, "string" | "integer">): Contract {
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  const key = order.at(-1) ?? "";
  return contractOf({
    type: "object",
    "x-listing": { path: "/v1/things/", words: ["thing", "things"], key, order, version: 1 },
    properties,
    required: Object.keys(types),
    additionalProperties: false,
  });
}

test("finds three repeats in 400,000 ids, on disk", { timeout: 60_000 }, () => {
  const ids: string[] = Array.from({ length: 400_000 }, () => randomUUID());
  const [first = "", second = "", third = ""] = [ids[0], ids[150_000], ids[399_999]];
  expect(ofUsers(ids, 1000)).toEqual({ count: 0, first: [] });
  ids[200_000] = first;
  ids[300_000] = first;
  ids[150_001] = second;
  ids[1] = third;
  const { count, first: found } = ofUsers(ids, 1000);
  expect(count).toBe(3);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ page: 1, id: first, found: "3 times, on pages 1 to 301" }),
      expect.objectContaining({ page: 151, id: second, found: "2 times, on page 151" }),
      expect.objectContaining({ page: 1, id: third, found: "2 times, on pages 1 to 400" }),
    ]),
  );
});

const INTEGERS = ordered(["n"], { n: "integer" });
const TEXTS = ordered(["t"], { t: "string" });

test("compares integers as numbers", () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect(find(INTEGERS, [[-most], [-1], [0], [1], [most - 1], [most]], 2)).toEqual({ count: 0, first: [] });
  expect(find(INTEGERS, [[-3], [2], [2], [10], [most], [most]], 3)).toMatchObject({
    count: 2,
    first: expect.arrayContaining([
      expect.objectContaining({ id: "2", found: "2 times, on page 1", path: "v1/things/pages/1.json" }),
      expect.objectContaining({ id: String(most), found: "2 times, on page 2" }),
    ]),
  });
});

test("compares whole texts of any length and script", () => {
  const long = "ä".repeat(100_000);
  const texts = ["", "1", "É", "é", "e\u0301", "x".repeat(60), "x".repeat(61), `${long}a`, `${long}b`, long].map(
    toBytes,
  );
  const keys = texts.map((text) => [text]);
  expect(find(TEXTS, keys, 3)).toEqual({ count: 0, first: [] });
  expect(find(TEXTS, [...keys, ...keys], 3).count).toBe(texts.length);
  const { first } = find(TEXTS, [[toBytes(`${long}a`)], [toBytes(`${long}b`)], [toBytes(`${long}b`)]], 3);
  expect(first).toMatchObject([{ id: `${"ä".repeat(59)}…`, found: "2 times, on page 1" }]);
});

test("checks order by bytes, by number, in both directions, across batches", () => {
  const both = ordered(["a", "-n", "t"], { a: "string", n: "integer", t: "string" });
  const key = (a: string, n: number, t: string): OrderKey => [toBytes(a), n, toBytes(t)];
  // U+FFEE comes before U+1F54A in UTF-8, and after it in UTF-16.
  const right = [
    key("", 10, "a"),
    key("", 9, "a"),
    key("A", -1, "\uffee"),
    key("A", -1, "\u{1f54a}"),
    key("A", -10, ""),
    key("a", 0, "Z"),
    key("a", 0, "é"),
  ];
  for (const perPage of [1, 2, 3, 7]) {
    expect(find(both, right, perPage, "order")).toEqual({ count: 0, first: [] });
    for (let at = 1; at < right.length; at++) {
      const wrong = right.with(at - 1, right[at] ?? []).with(at, right[at - 1] ?? []);
      const { count } = find(both, wrong, perPage, "order");
      expect(count, `${at} of ${perPage}`).toBeGreaterThan(0);
    }
  }
  const tie = find(both, [key("A", -1, "\u{1f54a}"), key("A", -1, "\uffee")], 1, "order");
  expect(tie.first).toEqual([
    {
      ...{ check: "order", path: "v1/things/pages/2.json", page: 2, id: "\uffee" },
      ...{ found: 't "\uffee" after "\u{1f54a}", of equal a, n', expected: "a, -n, t" },
    },
  ]);
});

test("compares long texts to their ends, also across batches", () => {
  const contract = ordered(["t", "n"], { t: "string", n: "integer" });
  const long = "z".repeat(1_000_000);
  const wrongIn = (one: OrderKey, other: OrderKey, perPage: number) =>
    find(contract, [one, other], perPage, "order").count;
  for (const perPage of [1, 2]) {
    expect(wrongIn([`${long}a`, 2], [`${long}b`, 1], perPage)).toBe(0);
    expect(wrongIn([`${long}b`, 1], [`${long}a`, 2], perPage)).toBe(1);
  }
});
