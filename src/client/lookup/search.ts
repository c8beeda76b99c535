/** What is looked for: the lists that its records are on, and whether a record is one of them. */
import {
  facetTerm,
  facetTermsOf,
  foldedWords,
  keyTerm,
  type LookupIndex,
  termOf,
  wordsOfRecord,
} from "../../contract/lookup.js";
import { valueAt } from "../../contract/record/value.js";
import { type AnyObject, isPlainObject, objectOf } from "../checked.js";
import { ListingError, quoted } from "../errors.js";
import type { SearchOptions } from "../options.js";
import type { Ground } from "../proof/ground.js";
import { readKept } from "./kept.js";
import type { List } from "./list.js";
import { type Sorted, sortedFiles } from "./sorted.js";

/** What somebody looks for. */
export interface Query extends Pick<SearchOptions, "by" | "isWhole" | "where"> {
  text: string;
}

export interface Sought {
  /** A record that is looked for is on each of these; none where there is no such record. */
  lists: List[];
  /** Whether it is looked for. Lists may have others, too. */
  fits(record: unknown): boolean;
}

/** What a record has to have: how each of its lists is found, and whether it has it. */
interface Demand {
  finds: (() => Promise<List | undefined>)[];
  fits(record: unknown): boolean;
}

/** Where sorted files are asked for, and until when. */
interface Reader {
  ground: Ground;
  baseUrl: string;
  signal: AbortSignal | undefined;
}

const INDEX_BYTES = 16_000_000;

/**
 * Asks for what says where files begin, and for one file at most for each word.
 * @throws ListingError (usage) where the release has not what it takes, or has no such field to choose by
 */
export async function openSearch(
  reader: Reader,
  { text, by = "names", isWhole = false, where = {} }: Query,
  atOnce: number,
): Promise<Sought> {
  const demands: Demand[] = [];
  // A key may be empty.
  if (text !== "" || isWhole)
    demands.push(by === "key" ? await keyDemand(reader, text, isWhole) : await nameDemand(reader, text));
  const chosen = Object.entries(where);
  if (chosen.length > 0) demands.push(await facetDemand(reader, chosen));
  const finds = demands.flatMap((demand) => demand.finds);
  const lists: List[] = [];
  for (let at = 0; at < finds.length; at += atOnce) {
    const some = await Promise.all(finds.slice(at, at + atOnce).map((find) => find()));
    for (const list of some) {
      if (!list) return { lists: [], fits: () => false };
      lists.push(list);
    }
  }
  // Whoever follows the shortest one skips most of the others.
  lists.sort((one, other) => one.size - other.size);
  return { lists, fits: (record) => demands.every((demand) => demand.fits(record)) };
}

async function keyDemand(reader: Reader, text: string, isWhole: boolean): Promise<Demand> {
  const { index, sorted } = await openLookup(reader, "keys");
  const term = keyTerm(text);
  return {
    finds: [() => sorted.find(term, !isWhole && term === text, reader.signal)],
    fits(record) {
      const key = `${valueAt(record, { names: index.key })}`;
      return isWhole ? key === text : key.startsWith(text);
    },
  };
}

/** All words of a text, the last one as a beginning. */
async function nameDemand(reader: Reader, text: string): Promise<Demand> {
  const { index, sorted } = await openLookup(reader, "words");
  const words = foldedWords(text);
  const isBeginning = (at: number) => at === words.length - 1;
  const fields = index.fields.map((names) => ({ names }));
  return {
    finds: words.map((word, at) => () => sorted.find(termOf(word), isBeginning(at), reader.signal)),
    fits(record) {
      const own = wordsOfRecord({ names: index.key }, fields, record);
      return words.every((word, at) => own.some((one) => one === word || (isBeginning(at) && one.startsWith(word))));
    },
  };
}

async function openLookup(reader: Reader, family: "keys" | "words"): Promise<{ index: LookupIndex; sorted: Sorted }> {
  const { ground, baseUrl } = reader;
  const { said, url } = await readIndex(reader, "lookup/index.json", "lookup");
  const index = said as unknown as LookupIndex;
  const { key, fields, version } = index;
  if (version !== 1 || !isList(fields, isNames) || !isNames(key))
    throw new ListingError("malformed", url, "is no index of this version", "1", quoted(version));
  return { index, sorted: sortedFiles(ground, baseUrl, `lookup/${family}`, index[family], url) };
}

async function facetDemand(
  reader: Reader,
  chosen: readonly (readonly [path: string, value: unknown])[],
): Promise<Demand> {
  const { ground, baseUrl, signal } = reader;
  const { said, url } = await readIndex(reader, "explorer/summary.json", "explorer");
  const facets = Array.isArray(said["facets"]) ? said["facets"].filter(isPlainObject) : [];
  const sorted = sortedFiles(ground, baseUrl, "explorer/facets", said["lists"], url);
  const wanted = chosen.map(([path, value]) => {
    const names = facets.find((facet) => facet["path"] === path)?.["names"];
    if (isNames(names)) return { field: { path, names }, term: facetTerm({ path }, value) };
    const paths = facets.map((facet) => facet["path"]).join(", ");
    throw new ListingError("usage", url, "has no such field to choose by", `one of ${paths}`, quoted(path));
  });
  return {
    finds: wanted.map(
      ({ term }) =>
        () =>
          sorted.find(term, false, signal),
    ),
    fits: (record) => wanted.every(({ field, term }) => facetTermsOf([field], record).includes(term)),
  };
}

/** @param flag what the release has to be built with. */
async function readIndex(
  { ground, baseUrl, signal }: Reader,
  file: string,
  flag: string,
): Promise<{ said: AnyObject; url: string }> {
  const url = `${baseUrl}/${file}`;
  const read = (own: AbortSignal) => ground.readFile(file, INDEX_BYTES, own);
  try {
    return { said: objectOf(await readKept(ground, file, signal, read, Number.POSITIVE_INFINITY), url), url };
  } catch (error) {
    const { code, received } = error instanceof ListingError ? error : { code: undefined, received: undefined };
    // A host without proof has it, or answers that it has nothing there.
    if (code !== "usage" && !(code === "status" && received?.startsWith("4"))) throw error;
    throw new ListingError("usage", baseUrl, `has no ${flag}; build with --${flag}`, undefined, undefined, error);
  }
}

function isNames(value: unknown): value is string[] {
  return isList(value, (one) => typeof one === "string");
}

function isList(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
