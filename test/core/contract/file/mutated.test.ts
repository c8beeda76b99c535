/** Contracts with random mistakes: each is accepted, or refused by a bounded list of places. Editors accept what Rollcall accepts. */
import { expect, test } from "vitest";
import { loadContract } from "../../../../src/core/contract/file/load.js";
import { USERS } from "../../../../src/core/contract/users.js";
import { UserError } from "../../../../src/core/errors.js";
import { takesContract } from "../../../support/editors.js";
import { draws, type Random, seeded } from "../../../support/random.js";
import { STATIONS } from "../../../support/stations.js";

type Parent = Record<string, unknown>;

const KEYWORDS =
  "type enum const pattern format minLength maximum exclusiveMinimum items minItems uniqueItems anyOf title examples properties required additionalProperties x-json x-column x-null x-null-marks x-observed x-references x-facet x-image x-listing $ref $defs oneOf minlength name sql field join empty setting words key order label path columns version __proto__ toString a.b".split(
    " ",
  );

const VALUES = [
  ...[null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, "", "code", "-code", "a\nb", "\ud800", "x".repeat(500)],
  ...["string", "integer", "object", "date", "defaultAvatar", "/a/", "/bulk/", "^[A-Z]{2}$", "(a+)+b", "([", "1; DROP"],
  ...[[], {}, [null], ["a", "a"], [1, "a"], ["string", "null"], ["object", "null"], ["code"], [{}]],
  ...[{ type: "string" }, { type: ["string", "null"] }, { "x-json": true }, { enum: [1, null] }, { const: null }],
  ...[{ type: "array" }, { type: "array", items: { maxLength: 2 } }, { type: "object" }, { properties: {} }],
  ...[{ anyOf: [{ type: "string" }, { type: "boolean" }] }, { anyOf: [{ anyOf: [] }] }, { properties: { a: 3 } }],
  ...[{ field: "name" }, { join: ["name"], empty: { field: "code" } }, { setting: "defaultAvatar" }, { minimum: 3 }],
  ...[[{ name: "x", sql: "nope = 1" }], [{ name: "x y", sql: "count(*)" }], { items: { maxLength: 2 } }],
];

/** Each object and list of a value. */
function parentsOf(value: unknown): Parent[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Parent, ...Object.values(value).flatMap(parentsOf)];
}

/** Removes, replaces, renames, repeats or adds one part. */
function mutate(contract: unknown, random: Random): void {
  const parent = random.of(parentsOf(contract));
  const name = random.of([...Object.keys(parent), random.of(KEYWORDS)]);
  const old = Object.getOwnPropertyDescriptor(parent, name)?.value;
  const put = (at: string, value: unknown) =>
    Object.defineProperty(parent, at, { value, enumerable: true, configurable: true, writable: true });
  const changes = [
    () => Reflect.deleteProperty(parent, name),
    () => put(name, structuredClone(random.of(VALUES))),
    () => put(name, structuredClone(random.of(VALUES))),
    () => put(name, structuredClone(random.of(parentsOf(contract)))),
    () => put(Array.isArray(parent) ? String(parent.length) : random.of(KEYWORDS), structuredClone(old)),
  ];
  random.of(changes)();
}

test("mutated contracts are accepted, or refused by their places", async () => {
  const random = seeded();
  const refused: string[] = [];
  for (let count = 0; count < draws(1500); count++) {
    const contract = structuredClone<unknown>(random.of([STATIONS, USERS]));
    for (let change = random.below(4); change >= 0; change--) mutate(contract, random);
    // One that JSON writes as another value, such as a list with holes, is that other value.
    const given = JSON.parse(JSON.stringify(contract));
    try {
      await loadContract(given);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      expect(error.message).toMatch(/^The given object is not a valid contract\. It has \d+ mistakes?:\n/);
      refused.push(...error.details);
      expect(error.details.length).toBeLessThanOrEqual(101);
      continue;
    }
    takesContract(given);
    expect(takesContract.errors ?? [], JSON.stringify(given)).toEqual([]);
  }
  for (const mistake of refused) {
    expect(mistake).toMatch(/^(?:\/|The file )[^\p{Cc}]*[.?]$/u);
    expect(mistake.length).toBeLessThan(1200);
  }
  expect(refused.length).toBeGreaterThan(draws(1500) / 2);
});
