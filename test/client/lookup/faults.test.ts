/** Malicious sorted files, even if signed, give an error or nothing, in bounded time. */
import { describe, expect, test } from "vitest";
import { openListing } from "../../../src/client/index.js";
import { draws, seeded } from "../../support/random.js";
import { BASE, Host, publishAll } from "../published.js";
import { chosen, lookupOf, type Person, people, wordsOf } from "./people.js";

const RANDOM = seeded(20_261_124);
const RECORDS = people(RANDOM, 120).map((one, at) => ({
  ...one,
  id: `id-${at}`,
  name: `Anna Nr${at}`,
  nickname: null,
}));
const FILES = lookupOf(RECORDS, 200);
const COUNT = RECORDS.length;
const TEXT = "anna nr1";
const WANTED = RECORDS.filter((one) => wordsOf(one).some((word) => word.startsWith("nr1")));

type Files = Map<string, string>;

/** Every kind of look-up, one after the other: what came, or the error. */
async function lookUp(files: Files, { isProved = true } = {}): Promise<unknown[]> {
  const host = new Host(publishAll({ pageSize: 5 }, RECORDS, files));
  if (!isProved)
    host.fault = ({ url }) =>
      /SHA256SUMS$|snapshot.json$/.test(url) ? new Response(null, { status: 404 }) : undefined;
  const given = { fetch: host.fetch, pausesMs: [], unproved: !isProved };
  const results: unknown[] = [];
  for (const look of [
    (listing: ReturnType<typeof openListing<Person>>) => listing.get("id-7"),
    async (listing: ReturnType<typeof openListing<Person>>) => {
      const found: Person[] = [];
      for await (const one of listing.find(TEXT)) found.push(one);
      return found;
    },
    async () => {
      const found: Person[] = [];
      for await (const one of chosen(given, "", { country: "DE" })) found.push(one);
      return found;
    },
  ]) {
    results.push(await look(openListing<Person>(BASE, given)).catch((error: unknown) => error));
  }
  // A listing asks for few things more than there are.
  expect(host.log.length).toBeLessThan(3 * (FILES.size + COUNT));
  return results;
}

const RIGHT = [RECORDS[7], WANTED, RECORDS.filter(({ country }) => country === "DE")];

const index = (change: (index: { [name: string]: unknown[] }) => unknown) => (files: Files) => {
  for (const path of ["lookup/index.json", "explorer/summary.json"]) {
    const said = JSON.parse(files.get(path) ?? "");
    files.set(path, JSON.stringify(change(said) ?? said));
  }
};
const sorted = (change: (text: string) => string) => (files: Files) => {
  for (const [path, text] of files) if (path.endsWith(".txt")) files.set(path, change(text));
};

test("correct files give the records, with and without proof", async () => {
  expect(await lookUp(FILES)).toEqual(RIGHT);
  expect(await lookUp(FILES, { isProved: false })).toEqual(RIGHT);
});

describe.each([true, false])("with proof: %s is malformed", (isProved) => {
  test.each<[what: string, change: (files: Files) => void]>([
    ["an index that is a list", index(() => [])],
    ["an index of another version", index((all) => ({ ...all, version: 1, lists: 2 }))],
    [
      "an index without families",
      index(() => ({ key: ["id"], fields: [["name"]], version: 2, facets: [{ path: "country", names: ["country"] }] })),
    ],
    [
      "an index with numbers",
      index(({ keys, words, lists, ...rest }) => ({ ...rest, keys: [1], words: [1], lists: [1] })),
    ],
    [
      "an index that begins within a list",
      index((all) => ({ ...all, keys: [["a", 1]], words: [["a", 1]], lists: [["a", 1]] })),
    ],
    ["an index that descends", index((all) => ({ ...all, keys: ["b", "a"], words: ["b", "a"], lists: ["b", "a"] }))],
    [
      "an index that says a place twice",
      index((all) => ({ ...all, keys: ["a", "a"], words: ["a", "a"], lists: ["a", "a"] })),
    ],
    [
      "records in the index that descend",
      index((all) => ({
        ...all,
        keys: ["a", ["b", 5], ["b", 4]],
        words: ["a", ["b", 5], ["b", 4]],
        lists: ["a", ["b", 5], ["b", 4]],
      })),
    ],
    ["a last line that is cut", sorted((text) => text.slice(0, -1))],
    ["lines without a tab", sorted((text) => text.replaceAll("\t", " "))],
    ["lines with another mark", sorted((text) => text.replaceAll("\t", "\t!"))],
    ["terms of broken JSON", sorted((text) => text.replaceAll(/^(?=.)/gm, '"'))],
    [
      "lines out of order",
      sorted((text) => text.split("\n").slice(0, -1).reverse().concat("").join("\n").replace(/^/, "\u{10fff0}\tf\n")),
    ],
    ["numbers beyond all records", sorted((text) => text.replaceAll(/[\w-]+$/gm, "D4f"))],
    ["numbers beyond all numbers", sorted((text) => text.replaceAll(/[\w-]+$/gm, `${"Z".repeat(300)}f`))],
    ["numbers without an end", sorted((text) => text.replaceAll(/[\w-]+$/gm, "B"))],
    ["a number twice", sorted((text) => text.replaceAll(/([\w-])$/gm, "$1g"))],
    ["no numbers", sorted((text) => text.replaceAll(/[\w-]+$/gm, ""))],
  ])("%s", async (_, change) => {
    const files = new Map(FILES);
    change(files);
    const results = await lookUp(files, { isProved });
    for (const error of results) expect(error).toMatchObject({ name: "ListingError", code: "malformed" });
  });
});

test("randomly damaged files give correct records, fewer, or an error", async () => {
  let errors = 0;
  for (let tries = 0; tries < draws(200); tries++) {
    const files = new Map(FILES);
    const [one, other] = [RANDOM.of([...files.keys()]), RANDOM.of([...files.keys()])];
    const [text, more] = [files.get(one) ?? "", files.get(other) ?? ""];
    const [at, from] = [RANDOM.below(text.length), RANDOM.below(more.length)];
    files.set(
      one,
      RANDOM.of([text.slice(0, at) + more.slice(from), text.slice(0, at) + text.slice(at + 1), text + more]),
    );
    for (const [which, result] of (await lookUp(files)).entries()) {
      if (result instanceof Error) {
        expect(result).toMatchObject({ name: "ListingError" });
        errors++;
      } else if (result !== undefined) {
        for (const record of [result].flat()) expect([RIGHT[which]].flat()).toContainEqual(record);
      }
    }
  }
  expect(errors).toBeGreaterThan(2);
});

test("reads a file that is too large only up to the limit", async () => {
  const host = new Host(publishAll({ pageSize: 5 }, RECORDS, FILES));
  let sent = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 1_000_000;
          controller.enqueue(new Uint8Array(1_000_000).fill(65));
        },
      }),
    );
  host.fault = ({ url }) => (/keys\/\d+\.txt$/.test(url) ? endless() : undefined);
  const error = await openListing(BASE, { fetch: host.fetch, pausesMs: [] })
    .get("id-7")
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "too-large" });
  expect(sent).toBeLessThan(40_000_000);
});
