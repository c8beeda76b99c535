/** What is looked for: the lists that its records are on, and whether a record is one of them. */
import { isAmong, keyTerm, termOf, type WantedWord, wantedWords, wordsOfRecord } from "../../contract/lookup.js";
import { valueAt } from "../../contract/record/value.js";
import { type AnyObject, objectOf } from "../checked.js";
import { ListingError, malformed } from "../errors.js";
import type { SearchOptions } from "../options.js";
import { readKept } from "./kept.js";
import type { SortedSource, Wanted } from "./sorted.js";

/** How records are looked for by who looks for more than a reader of a listing can ask for: see chosen.ts. */
export interface InnerSearch extends SearchOptions {
  /** By keys: only the record whose key is the whole text. */
  isWhole?: boolean | undefined;
  /** Further lists that a record is on. */
  also?: ((source: SortedSource) => Promise<Sought>) | undefined;
}

/** What somebody looks for. */
export interface Query extends Pick<InnerSearch, "by" | "isWhole" | "also"> {
  text: string;
}

export interface Sought {
  /** A record that is looked for is on each of these lists, the shortest of which mostly come first; none where nothing is looked for. */
  lists: Wanted[];
  /** Whether it is looked for. Lists may have others, too. */
  fits(record: unknown): boolean;
}

const INDEX_BYTES = 16_000_000;

/**
 * Asks for what says where files begin.
 * @throws ListingError (usage) where the release has not what it takes
 */
export async function openSearch(reader: SortedSource, { text, by, isWhole, also }: Query): Promise<Sought> {
  const more = await also?.(reader);
  const lists: Wanted[] = [];
  const demands = more ? [more.fits] : [];
  const add = (folder: string, said: unknown, url: string, term: string, isBeginning: boolean) =>
    lists.push({ folder, said, url, term, isBeginning });
  // A key may be empty.
  if (text !== "" || isWhole) {
    const [{ key, fields, version, keys, words }, url] = await readIndex(reader, "lookup/index.json");
    if (version !== 2 || !Array.isArray(fields) || ![key, ...fields].every(isNames))
      throw malformed(url, "an index of version 2", version);
    const keyField = { names: key as string[] };
    if (by === "key") {
      const term = keyTerm(text);
      add("lookup/keys", keys, url, term, !isWhole && term === text);
      demands.push((record) => {
        const own = `${valueAt(record, keyField)}`;
        return isWhole ? own === text : own.startsWith(text);
      });
    } else {
      const wanted = wantedWords(text);
      for (const { word, isBeginning } of longestFirst(wanted))
        add("lookup/words", words, url, termOf(word), isBeginning);
      const names = fields.map((field) => ({ names: field }));
      demands.push((record) => {
        const own = wordsOfRecord(keyField, names, record);
        return wanted.every((one) => isAmong(one, own));
      });
    }
  }
  if (more) lists.push(...more.lists);
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}

/** The longer a word, the fewer have it, mostly; of words as long, those at both ends have the least to do with each other. */
function longestFirst(wanted: readonly WantedWord[]): WantedWord[] {
  const fromEnd = (at: number) => Math.min(at, wanted.length - 1 - at);
  return wanted
    .map((one, at) => ({ one, at }))
    .sort((a, b) => b.one.word.length - a.one.word.length || fromEnd(a.at) - fromEnd(b.at))
    .map(({ one }) => one);
}

/** What says where sorted files begin. Its folder is called as the flag that a release has to be built with. */
export async function readIndex(
  { view, baseUrl, signal }: SortedSource,
  file: string,
): Promise<[said: AnyObject, url: string]> {
  const url = `${baseUrl}/${file}`;
  try {
    const read = async (own: AbortSignal) => objectOf(await view.readFile(file, INDEX_BYTES, own), url);
    return [await readKept(view, file, signal, read), url];
  } catch (error) {
    const { code, received } = error as Partial<ListingError>;
    // A host without proof has it, or answers that it has nothing there.
    if (code !== "usage" && !(code === "status" && received?.startsWith("4"))) throw error;
    const [flag] = file.split("/");
    throw new ListingError("usage", baseUrl, `has no ${flag}; build with --${flag}`, undefined, undefined, error);
  }
}

/** Whether it is the path of a field, as its names. */
export function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
