/** labels.json: which records have a label there, and when a listing has the file. */
import { expect, test } from "vitest";
import { type AnyRecord, contractOf } from "../../src/core/contract/contract.js";
import { MOST_LABELED, parseLabels } from "../../src/explorer/labels.js";
import { contractWith } from "../support/contracts.js";
import { writeFacts } from "./collection.js";

const FIELDS = { id: { type: "integer" }, name: { type: ["string", "null"] } } as const;
const contract = contractOf(contractWith(["customer", "customers"], FIELDS, { path: "/c/", label: "name" }));

const records = (names: readonly (string | null)[]): AnyRecord[] => names.map((name, at) => ({ id: at + 1, name }));

async function labelsOf(names: readonly (string | null)[], options = {}, own = contract): Promise<string | undefined> {
  const { files } = await writeFacts(own, records(names), { isReferredTo: true, ...options });
  return files.get("labels.json");
}

test("has the label of each record that has one other than its key, in published order", async () => {
  expect(await labelsOf(["Ada", null, " ", "4", "<b>&", "עדה", "Ada"])).toBe(
    '{"labels":[[1,"Ada"],[5,"<b>&"],[6,"עדה"],[7,"Ada"]],"version":1}\n',
  );
  expect(await labelsOf([])).toBe('{"labels":[],"version":1}\n');
});

test("is the same with any threads", async () => {
  const names = Array.from({ length: 200 }, (_, at) => `Name ${at}`);
  expect(await labelsOf(names, { threads: 3, pages: 2, page: 9 })).toBe(await labelsOf(names));
});

test("cuts labels at 200 characters, and no character in two", async () => {
  const text = await labelsOf(["x".repeat(200), "x".repeat(5000), "🕊".repeat(200), "🕊".repeat(201)]);
  const labels = JSON.parse(text ?? "").labels.map(([, label]: [number, string]) => label);
  expect(labels).toEqual(["x".repeat(200), `${"x".repeat(199)}…`, "🕊".repeat(200), `${"🕊".repeat(199)}…`]);
});

test("is not there if no listing refers to it, if its key is its label, for more than 5,000 records, or above 1 MB", async () => {
  const many = (count: number, text = "Name") => Array.from({ length: count }, () => text);
  expect(await labelsOf(["Ada"], { isReferredTo: false })).toBeUndefined();
  const plain = contractOf(contractWith(["customer", "customers"], FIELDS, { path: "/c/" }));
  expect(await labelsOf(["Ada"], {}, plain)).toBeUndefined();
  expect(await labelsOf(many(MOST_LABELED), { page: 100 })).toMatch(/\[5000,"Name"\]\],"version":1\}\n$/);
  expect(await labelsOf(many(MOST_LABELED + 1), { page: 100 })).toBeUndefined();
  expect(await labelsOf(many(MOST_LABELED, "é".repeat(200)), { page: 100 })).toBeUndefined();
});

test.each([
  {},
  { version: 1 },
  { version: 2, labels: [] },
  { version: 1, labels: {} },
  { version: 1, labels: [[1]] },
  { version: 1, labels: [[null, "x"]] },
  { version: 1, labels: [["a", 1]] },
  { version: 1, labels: ["ab"] },
])("a file of another form has no labels: %j", (file) => {
  expect(parseLabels(file)).toBeUndefined();
});

test("a key may be called as a member of all objects", () => {
  const labels = parseLabels(JSON.parse('{"labels":[["__proto__","x"],["constructor","y"],[1,"z"]],"version":1}'));
  expect([...(labels ?? [])]).toEqual([
    ["__proto__", "x"],
    ["constructor", "y"],
    ["1", "z"],
  ]);
});
