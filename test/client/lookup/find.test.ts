/** Lookups in files of any size find the same records as a full search. */
import { beforeAll, describe, expect, test } from "vitest";
import { openListing } from "../../../src/client/index.js";
import { foldedWords } from "../../../src/core/contract/lookup.js";
import { draws, seeded } from "../../support/random.js";
import { BASE, Host, publishAll } from "../published.js";
import { chosen, lookupOf, type Person, people, wordsOf } from "./people.js";

async function all<R>(walk: AsyncIterable<R>): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

describe.each([40, 150, 1000, 65_536])("in files of %i characters", (size) => {
  const random = seeded(size);
  const records = people(random, 150);
  const host = new Host(publishAll({ pageSize: 7 }, records, lookupOf(records, size)));
  const listing = openListing<Person>(BASE, { fetch: host.fetch, pausesMs: [1] });
  beforeAll(async () => void (await listing.snapshot()));

  test("get returns the record of each key, and undefined for others", async () => {
    for (const record of records) expect(await listing.get(record.id)).toEqual(record);
    for (const { id } of records.slice(0, draws(records.length))) {
      for (const other of [`${id}x`, id.slice(0, -1), ""])
        expect(await listing.get(other)).toEqual(records.find(({ id }) => id === other));
    }
  });

  test("find returns the records with the words, in order", async () => {
    for (let tries = 0; tries < 25; tries++) {
      const { name, nickname } = random.of(records);
      const words = Array.from(new Set(foldedWords(`${name} ${nickname ?? ""}`)));
      const some = words.filter(() => random.chance(0.5));
      const last = Array.from(random.of(words))
        .slice(0, 1 + random.below(4))
        .join("");
      const text = [...some, last].join(" ");
      const wanted = records.filter((one) => {
        const own = wordsOf(one);
        const asked = foldedWords(text);
        const begins = (at: number) => at === asked.length - 1 || /^[\p{sc=Han}\p{So}]/u.test(asked[at] ?? "");
        return asked.every((word, at) => own.some((has) => (begins(at) ? has.startsWith(word) : has === word)));
      });
      expect([text, await all(listing.find(text))]).toEqual([text, wanted]);
    }
  });

  test("find by key prefix returns all matches", async () => {
    for (let tries = 0; tries < 25; tries++) {
      const { id } = random.of(records);
      const text = Array.from(id)
        .slice(0, 1 + random.below(5))
        .join("");
      expect(await all(listing.find(text, { by: "key" }))).toEqual(records.filter((one) => one.id.startsWith(text)));
    }
  });

  test("find by facet values returns the records with all of them", async () => {
    for (const country of ["AT", "DE", 'q"\t', "XX"]) {
      const of = records.filter((one) => one.country === country);
      expect(await all(chosen({ fetch: host.fetch }, "", { country }))).toEqual(of);
      const both = { country, tags: "b" };
      expect(await all(chosen({ fetch: host.fetch }, "", both))).toEqual(of.filter(({ tags }) => tags.includes("b")));
      const named = of.filter((one) => wordsOf(one).some((word) => word.startsWith("an")));
      expect(await all(chosen({ fetch: host.fetch }, "an", { country }))).toEqual(named);
    }
  });
});
