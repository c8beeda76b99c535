/** Digests and sort keys of records in a copy. */
import { createHash, randomBytes, webcrypto } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sha256 } from "../../../src/client/sha256.js";
import { recordReader } from "../../../src/client/sync/records.js";
import { compareBytes } from "../../../src/client/utf8.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { comesAfter, orderKeyOf, writeKey } from "../../../src/core/contract/record/key.js";
import { FOREIGN } from "../../support/foreign.js";
import { contractFor, type Thing } from "./release.js";

const URL = "https://things.example.com/contract.json";

describe("SHA-256", () => {
  test("equals that of WebCrypto, for bytes in any pieces", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pieces, async (some) => {
        const sha = new Sha256();
        for (const piece of some) sha.update(piece);
        const whole = Buffer.concat(some);
        const expected = await webcrypto.subtle.digest("SHA-256", whole);
        expect(sha.digest()).toBe(Buffer.from(expected).toString("hex"));
      }),
    );
  });

  test.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 1_000_003])("of %d bytes", (length) => {
    const bytes = randomBytes(length + 3).subarray(3);
    expect(new Sha256().update(bytes).digest()).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});

const TEXTS = fc.oneof(
  fc.string({ unit: "grapheme-composite", maxLength: 6 }),
  fc.constantFrom(
    "",
    "a",
    "a\u0000",
    "a\u0001",
    "ab",
    "\u007f",
    "\u0080",
    "\uffff",
    "\u{10000}",
    "\ue000",
    "é",
    "e\u0301",
  ),
);
const INTEGERS = fc.oneof(
  fc.maxSafeInteger().map((number) => number + 0),
  fc.integer({ min: -300, max: 300 }),
  fc.constantFrom(0, 255, 256),
);

describe("a record's sort key", () => {
  const orders = [
    ["score", "name", "id"],
    ["-score", "name", "id"],
    ["name", "-score", "id"],
    ["-name", "score", "-id"],
    ["-name", "-id"],
    ["id"],
    ["-id"],
  ];
  test.each(orders.map((order) => [order]))("gives the published order %j", (order) => {
    for (const keys of ["integer", "string"] as const) {
      const contract = contractFor(order, keys);
      const reader = recordReader<Thing>(contract.file, URL);
      const things = fc.record({ id: keys === "integer" ? INTEGERS : TEXTS, name: TEXTS, score: INTEGERS });
      fc.assert(
        fc.property(things, things, (one, other) => {
          const [before, after] = [one, other].map((thing) => reader.read(JSON.stringify(thing), URL));
          const [key, next] = [one, other].map(
            (thing) => orderKeyOf(contract, JSON.parse(JSON.stringify(thing))) ?? [],
          );
          const difference = Math.sign(
            compareBytes(before?.order ?? new Uint8Array(), after?.order ?? new Uint8Array()),
          );
          const expected = comesAfter(contract, key ?? [], next ?? [])
            ? 1
            : comesAfter(contract, next ?? [], key ?? [])
              ? -1
              : 0;
          expect(difference).toBe(expected);
          expect(before?.key).toBe(Buffer.from(writeKey(JSON.parse(JSON.stringify(one)).id), "latin1").toString());
        }),
      );
    }
  });

  test("is found by any path of a contract", () => {
    const [art] = FOREIGN;
    const contract = contractOf(art?.contract as never);
    const record = { constructor: 5, year: 2000, "the größe": { "höhe in cm": 7 } };
    const kept = recordReader(contract.file, URL).read(JSON.stringify(record), URL);
    expect(kept.key).toBe("5");
    expect(kept.order.length).toBe(24);
  });

  test("is refused for an invalid record or contract", () => {
    const contract = contractFor(["-score", "name", "id"]);
    const reader = recordReader(contract.file, URL);
    const wrong = [
      '{"id":1,"name":"a"}',
      '{"id":1,"name":"a","score":1.5}',
      '{"id":null,"name":"a","score":1}',
      "[]",
      "{",
    ];
    for (const text of wrong) expect(() => reader.read(text, URL), text).toThrow(/a text or an integer|a JSON object/);
    const none = [
      {},
      { "x-listing": { order: "id" } },
      { "x-listing": { order: [] } },
      { "x-listing": { order: ["id"] } },
    ];
    for (const file of none) expect(() => recordReader(file as never, URL)).toThrow(/the fields of an order/);
  });
});
