/** People with hard names, and their lookup in files of any size. */
import type { ListingOptions } from "../../../src/client/index.js";
import { latestView } from "../../../src/client/kept.js";
import { search } from "../../../src/client/lookup/find.js";
import { openHost } from "../../../src/client/open-host.js";
import { objectOf } from "../../../src/client/utf8.js";
import { facetTermsOf, keyTerm, termOf, wordsOfRecord } from "../../../src/core/contract/lookup.js";
import { chosenLists, type Where } from "../../../src/explorer/page/chosen.js";
import type { ExplorerSummary } from "../../../src/explorer/summary.js";
import type { Random } from "../../support/random.js";
import { BASE } from "../published.js";
import { sortPlainly } from "./plain.js";

export interface Person {
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

export function people(random: Random, count: number): Person[] {
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

export function lookupOf(records: readonly Person[], size: number): Map<string, string> {
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
  files.set("lookup/index.json", JSON.stringify({ key: KEY.names, fields, keys, words, version: 2 }));
  files.set("explorer/summary.json", JSON.stringify({ facets: FACETS, lists }));
  return files;
}

/** The words that a person is found by. */
export function wordsOf(person: Person): string[] {
  return wordsOfRecord(KEY, NAMES, person);
}

/** Searches as the explorer does. */
export async function* chosen(options: ListingOptions, text: string, where: Where): AsyncGenerator<Person, void> {
  const host = openHost(BASE, options);
  const { baseUrl, concurrency, files } = host;
  const view = await latestView(host, undefined);
  const bytes = await view.readFile("explorer/summary.json", files);
  const others = chosenLists(objectOf(bytes, baseUrl) as unknown as ExplorerSummary, FACETS, where, baseUrl);
  const query = { text, others };
  for await (const [record] of search<Person>({ view, baseUrl, signal: undefined }, query, concurrency)) yield record;
}
