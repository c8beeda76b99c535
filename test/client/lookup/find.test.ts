/** Look-ups in files that are cut anywhere: as many records as a search through all of them finds, and hostile files that lead nowhere. */
import { beforeAll, describe, expect, test } from "vitest";
import { openListing } from "../../../src/client/index.js";
import { facetTermsOf, foldedWords, keyTerm, termOf, wordsOfRecord } from "../../../src/contract/lookup.js";
import { drawSeed, type Random, seeded } from "../../support/random.js";
import { BASE, Host, publishAll } from "../listing/published.js";
import { sortPlainly } from "./plain.js";

interface Person {
  id: string;
  name: string;
  nickname: string | null;
  country: string;
  tags: string[];
}

const KEY = { names: ["id"] };
const NAMES = [{ names: ["name"] }, { names: ["nickname"] }];
const FACETS = ["country", "tags"].map((path) => ({ path, names: [path] }));
const SYLLABLES = [
  "an",
  "na",
  "ma",
  "ri",
  "o",
  "ka",
  "Şe",
  "ß",
  "ı",
  "é",
  "王",
  "小",
  "👩‍👩‍👧",
  "שלום",
  "\u{1f54a}",
  "\uffee",
  "ﬁ",
];

function people(random: Random, count: number): Person[] {
  const word = () => Array.from({ length: 1 + random.below(4) }, () => random.of(SYLLABLES)).join("");
  const name = () => Array.from({ length: 1 + random.below(3) }, word).join(random.of([" ", "-", ", ", "\n"]));
  return Array.from({ length: count }, (_, at) => ({
    id: `${random.of(["", "", '"', "\n", "a\u{10ffff}", "é", "\u{1f54a}"])}${random.below(1000)}-${at}`,
    name: random.chance(0.02) ? "x".repeat(60) + word() : name(),
    nickname: random.chance(0.3) ? null : name(),
    country: random.of(["AT", "DE", "DE", "DE", "FR", 'q"\t']),
    tags: ["a", "b", "c"].filter(() => random.chance(0.4)),
  }));
}

function lookupOf(records: readonly Person[], size: number): Map<string, string> {
  const families = {
    "lookup/keys": (one: Person) => [keyTerm(one.id)],
    "lookup/words": (one: Person) => wordsOfRecord(KEY, NAMES, one).map(termOf),
    "explorer/facets": (one: Person) => facetTermsOf(FACETS, one),
  };
  const files = new Map<string, string>();
  const [keys, words, lists] = Object.entries(families).map(([folder, termsOf]) => {
    const terms = new Map<string, Set<number>>();
    for (const [number, one] of records.entries())
      for (const term of termsOf(one)) terms.set(term, (terms.get(term) ?? new Set()).add(number));
    const sorted = sortPlainly(terms, size, folder !== "explorer/facets");
    for (const [at, text] of sorted.files.entries()) files.set(`${folder}/${at + 1}.txt`, text);
    return sorted.beginnings;
  });
  const fields = NAMES.map(({ names }) => names);
  files.set("lookup/index.json", JSON.stringify({ key: KEY.names, fields, keys, words, version: 1 }));
  files.set("explorer/summary.json", JSON.stringify({ facets: FACETS, lists }));
  return files;
}

async function all<R>(walk: AsyncIterable<R>): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

const seed = drawSeed();

describe.each([40, 150, 1000, 65_536])("in files of %i letters", (size) => {
  const random = seeded(seed);
  const records = people(random, 400);
  const host = new Host(publishAll({ pageSize: 7 }, records, lookupOf(records, size)));
  const listing = openListing<Person>(BASE, { fetch: host.fetch, pausesMs: [1] });
  beforeAll(async () => void (await listing.snapshot()));

  test("get gives the record of each key, and of no other", async () => {
    for (const record of records) {
      expect(await listing.get(record.id)).toEqual(record);
      for (const other of [`${record.id}x`, record.id.slice(0, -1), ""])
        expect(await listing.get(other)).toEqual(records.find(({ id }) => id === other));
    }
  });

  test("find gives the records with the words, in order", async () => {
    for (let tries = 0; tries < 300; tries++) {
      const { name, nickname } = random.of(records);
      const words = Array.from(new Set(foldedWords(`${name} ${nickname ?? ""}`)));
      const some = words.filter(() => random.chance(0.5));
      const last = Array.from(random.of(words))
        .slice(0, 1 + random.below(4))
        .join("");
      const text = [...some, last].join(" ");
      const wanted = records.filter((one) => {
        const own = wordsOfRecord(KEY, NAMES, one);
        return (
          some.every((word) => own.includes(word)) && own.some((word) => word.startsWith(foldedWords(last)[0] ?? "?"))
        );
      });
      expect([text, await all(listing.find(text))]).toEqual([text, wanted]);
    }
  });

  test("find by beginnings of keys gives all that begin so", async () => {
    for (let tries = 0; tries < 200; tries++) {
      const { id } = random.of(records);
      const text = Array.from(id)
        .slice(0, 1 + random.below(5))
        .join("");
      expect(await all(listing.find(text, { by: "key" }))).toEqual(records.filter((one) => one.id.startsWith(text)));
    }
  });

  test("find by values gives the records that have them all, with words and without", async () => {
    for (const country of ["AT", "DE", 'q"\t', "XX"]) {
      const of = records.filter((one) => one.country === country);
      expect(await all(listing.find("", { where: { country } }))).toEqual(of);
      const both = { country, tags: "b" };
      expect(await all(listing.find("", { where: both }))).toEqual(of.filter(({ tags }) => tags.includes("b")));
      const named = of.filter((one) => wordsOfRecord(KEY, NAMES, one).some((word) => word.startsWith("an")));
      expect(await all(listing.find("an", { where: { country } }))).toEqual(named);
    }
  });
});
