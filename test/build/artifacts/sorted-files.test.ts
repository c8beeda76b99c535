/** The simple reader finds in a lookup exactly the records that it should. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LookupCollector, LookupMerger } from "../../../src/build/artifacts/lookup.js";
import { MAX_DIGITS, writeNumber } from "../../../src/build/artifacts/sorted-files.js";
import { type Contract, contractOf } from "../../../src/core/contract/contract.js";
import type { ContractFile } from "../../../src/core/contract/file/form.js";
import { keyTerm, type LookupIndex, nameFields, termOf, wordsOfRecord } from "../../../src/core/contract/lookup.js";
import { recordEncoder } from "../../../src/core/contract/record/encode.js";
import { valueAt } from "../../../src/core/contract/record/value.js";
import { USERS } from "../../../src/core/contract/users.js";
import { mergeContext } from "../../support/merging.js";
import { draws } from "../../support/random.js";
import { compareBytes, joinLines, lookUp, type PlainLine, readLines, readNumbers } from "./plain-reader.js";

type AnyRecord = Record<string, unknown>;
type Family = "keys" | "words";

const people = (key: "string" | "integer"): Contract =>
  contractOf({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Person",
    type: "object",
    "x-listing": { path: "/people/", words: ["person", "people"], key: "id", order: ["id"], label: "name", version: 1 },
    properties: {
      aname: { type: ["string", "null"] },
      extra: { "x-json": true },
      id: { type: key },
      name: { type: "string" },
      work: {
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
        additionalProperties: false,
      },
    },
    required: ["aname", "extra", "id", "name", "work"],
    additionalProperties: false,
  } as ContractFile);

const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "🕊", "字"), maxLength: 5 });
const hard = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  letters,
  letters.map((text) => `user0000${text}`),
  fc.constantFrom("", "\t", '"', '"a"', "a\nb", "\\", "\u{10ffff}", "a\u{10ffff}b", "a".repeat(60), "é".repeat(50)),
);
const wellFormed = hard.map((text) => Buffer.from(text).toString());
const words = fc
  .array(
    fc.oneof(
      letters,
      wellFormed,
      fc.constantFrom("İstanbul", "Straße", "IŞIK", "漢字かな", "Σίσυφος", "שלום", "naïve café"),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(" "));
const extra = fc.constantFrom(null, {}, [], { id: "x", name: "fake" }, "text", 1);

function recordsOf(key: fc.Arbitrary<string | number>): fc.Arbitrary<AnyRecord[]> {
  const record = fc.record({
    id: key,
    name: words,
    aname: fc.oneof(fc.constant(null), words),
    extra,
    work: fc.record({ title: words }),
    repeats: fc.boolean(),
  });
  return fc
    .uniqueArray(record, { selector: ({ id }) => id, maxLength: 30, size: "max" })
    .map((all) =>
      all.map(({ repeats, ...one }) => (repeats && typeof one.id === "string" ? { ...one, name: one.id } : one)),
    );
}

const listing = fc.oneof(
  fc.tuple(fc.constant(people("string")), recordsOf(wellFormed)),
  fc.tuple(fc.constant(people("integer")), recordsOf(fc.integer({ min: -500, max: 500 }))),
);

interface Made {
  files: Map<string, Buffer>;
  index: LookupIndex;
}

/** @param pages how many records each page has, and how many pages a piece; pieces are merged in another order. */
async function make(
  contract: Contract,
  records: readonly AnyRecord[],
  least: number,
  pages: number,
  together: number,
): Promise<Made> {
  const encode = recordEncoder(contract);
  const files = new Map<string, Buffer>();
  const context = mergeContext(contract, records.length, (path, bytes) => files.set(path, bytes));
  const merger = new LookupMerger(context, { minBytes: least });
  try {
    const collector = new LookupCollector(contract);
    const pieces = [];
    for (let at = 0, page = 1; at < records.length; at += pages, page++) {
      const texts = records.slice(at, at + pages).map((one) => encode(sorted(one)));
      const bytes = Buffer.from(texts.join(",\n"));
      collector.collect({ first: at, bytes, text: bytes.toString("latin1") });
      if (page % together === 0) pieces.push(collector.take());
    }
    pieces.push(collector.take());
    for (const piece of pieces.reverse()) merger.merge(piece);
    await merger.write(undefined);
  } finally {
    merger.close();
  }
  return { files, index: JSON.parse(String(files.get("lookup/index.json"))) };
}

function sorted(record: AnyRecord): AnyRecord {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Which records have each term, by the functions that readers use. */
function model(contract: Contract, records: readonly AnyRecord[]): Record<Family, Map<string, number[]>> {
  const families = { keys: new Map<string, number[]>(), words: new Map<string, number[]>() };
  const add = (terms: Map<string, number[]>, term: string, number: number) => {
    const list = terms.get(term) ?? [];
    if (list.at(-1) !== number) terms.set(term, [...list, number]);
  };
  for (const [number, record] of records.entries()) {
    add(families.keys, keyTerm(valueAt(record, contract.key) as string), number);
    for (const word of wordsOfRecord(contract.key, nameFields(contract), record))
      add(families.words, termOf(word), number);
  }
  return families;
}

const beginningsOf = (term: string) =>
  Array.from(term, (_, at) =>
    Array.from(term)
      .slice(0, at + 1)
      .join(""),
  );

const union = (lists: readonly (readonly number[])[]) => [...new Set(lists.flat())].sort((one, other) => one - other);

function checkFamily(name: Family, { files, index }: Made, terms: Map<string, number[]>, least: number): void {
  const own = [...files].filter(([path]) => path.startsWith(`lookup/${name}/`));
  expect(own.map(([path]) => path)).toEqual(own.map((_, at) => `lookup/${name}/${at + 1}.txt`));
  const bytes = own.map(([, file]) => file);
  const lines = readLines(bytes);
  const joined = joinLines(lines);
  const all = [...terms.keys()].sort(compareBytes);
  const begins = (beginning: string) => all.filter((term) => term.startsWith(beginning));

  // Terms in the order of their bytes, each as short as it may be.
  const ofTerms = joined.filter(({ mark }) => mark === "" || mark === "~");
  expect(ofTerms.map(({ term, mark, numbers }) => ({ term, mark, numbers }))).toEqual(
    all.map((term) => {
      const numbers = terms.get(term) ?? [];
      const short =
        numbers.length === 1 ? beginningsOf(term).find((beginning) => begins(beginning).length === 1) : term;
      return short === undefined || short === term ? { term, mark: "", numbers } : { term: short, mark: "~", numbers };
    }),
  );

  // A beginning has a line exactly when its terms lie in several files, behind all of them.
  const filesOf = new Map<string, Set<number>>();
  const note = (beginning: string, file: number) =>
    filesOf.set(beginning, (filesOf.get(beginning) ?? new Set()).add(file));
  for (const { term, file } of lines.filter(({ mark }) => mark === "" || mark === "~"))
    for (const beginning of beginningsOf(term)) note(beginning, file);
  const wide = [...filesOf].filter(([, found]) => found.size > 1).map(([beginning]) => beginning);
  const ofAll = joined.filter(({ mark }) => mark === "*" || mark === "=");
  expect(new Set(ofAll.map(({ term }) => term))).toEqual(new Set(wide));
  expect(ofAll).toHaveLength(wide.length);
  for (const { term, numbers } of ofAll)
    expect(numbers).toEqual(union(begins(term).map((other) => terms.get(other) ?? [])));
  const places = joined.map(({ term, mark }) => (mark === "*" || mark === "=" ? `${term}\u{10ffff}` : term));
  expect(places).toEqual(places.toSorted(compareBytes));

  // The index says what each file begins with.
  expect(index[name]).toEqual(
    bytes.map((_, file) => {
      const at = lines.findIndex((line) => line.file === file);
      const [before, first] = [lines[at - 1], lines[at] as PlainLine];
      const place = first.mark === "*" ? `${first.term}\u{10ffff}` : first.term;
      return before && before.term === first.term && before.mark === first.mark ? [place, first.numbers[0]] : place;
    }),
  );
  // Of very many, the later ones are larger.
  for (const [file, one] of files.size > 400 ? [] : bytes.entries())
    if (one.length > least) expect(lines.filter((line) => line.file === file)).toHaveLength(1);

  // A reader finds what it looks for, and nothing that it would not have to confirm.
  const step = Math.max(1, Math.floor(all.length / MOST_LOOKED_UP));
  const some = all.filter((_, at) => at % step === 0);
  for (const wanted of new Set([...some, ...some.flatMap(beginningsOf), "b", "zz", "user"])) {
    const whole = lookUp(index[name], bytes, wanted, true);
    expect((terms.get(wanted) ?? []).filter((number) => !whole.includes(number))).toEqual([]);
    expect(whole.length).toBeLessThanOrEqual((terms.get(wanted) ?? []).length + 1);
    // Skip the empty prefix.
    if (wanted === "") continue;
    const found = lookUp(index[name], bytes, wanted, false);
    const expected = union(begins(wanted).map((term) => terms.get(term) ?? []));
    expect(expected.filter((number) => !found.includes(number))).toEqual([]);
    expect(found.length - expected.length).toBeLessThanOrEqual(1);
  }
}

/** Terms that are looked for, with their beginnings. */
const MOST_LOOKED_UP = 12;

test("files locate each record, for any words and file sizes", async () => {
  const sizes = fc.record({
    least: fc.constantFrom(1, 20, 40, 100, 100_000),
    pages: fc.integer({ min: 1, max: 20 }),
    together: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(listing, sizes, async ([contract, records], { least, pages, together }) => {
      const made = await make(contract, records, least, pages, together);
      const terms = model(contract, records);
      checkFamily("keys", made, terms.keys, least);
      checkFamily("words", made, terms.words, least);
      // Nothing depends on who gathered what.
      const again = await make(contract, records, least, 7, 1);
      expect(again.files).toEqual(made.files);
    }),
    { numRuns: draws(100) },
  );
});

test("reads numbers of any length as written", () => {
  const bytes = new Uint8Array(MAX_DIGITS);
  for (const power of [0, 5, 10, 15, 20, 25, 30])
    for (const number of [2 ** power - 1, 2 ** power, 2 ** power + 1]) {
      const end = writeNumber(bytes, 0, number);
      expect(readNumbers(Buffer.from(bytes.subarray(0, end)).toString())).toEqual([number]);
    }
});

test("later files are larger if there would be too many", async () => {
  const records = Array.from({ length: 3000 }, (_, at) => {
    const id = `${String((at * 7919) % 100_000).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const name = `name${(at * 31) % 997} everybody${at % 3} ${"é".repeat(at % 40)}`;
    return { id, display_name: name, username: `user${at}`, first_name: "", last_name: "" };
  });
  const { files } = await make(contractOf(USERS), records, 1, 100, 1);
  expect(files.size).toBeGreaterThan(590);
  expect(files.size).toBeLessThan(1200);
});
