/** What is looked for: the lists that its records are on, and whether a record is one of them. */
import { facetTerm, facetTermsOf, foldedWords, keyTerm, termOf, wordsOfRecord } from "../../contract/lookup.js";
import { valueAt } from "../../contract/record/value.js";
import { type AnyObject, isPlainObject, objectOf } from "../checked.js";
import { ListingError, malformed, quoted } from "../errors.js";
import type { SearchOptions } from "../options.js";
import { readKept } from "./kept.js";
import type { SortedSource, Wanted } from "./sorted.js";

/** What somebody looks for. */
export interface Query extends Pick<SearchOptions, "by" | "isWhole" | "where"> {
  text: string;
}

export interface Sought {
  /** A record that is looked for is on each of these lists; none where nothing is looked for. */
  lists: Wanted[];
  /** Whether it is looked for. Lists may have others, too. */
  fits(record: unknown): boolean;
}

const INDEX_BYTES = 16_000_000;

/**
 * Asks for what says where files begin.
 * @throws ListingError (usage) where the release has not what it takes, or has no such field to choose by
 */
export async function openSearch(reader: SortedSource, { text, by, isWhole, where = {} }: Query): Promise<Sought> {
  const lists: Wanted[] = [];
  const demands: Sought["fits"][] = [];
  const add = (folder: string, said: unknown, url: string, term: string, isBeginning: boolean) =>
    lists.push({ folder, said, url, term, isBeginning });
  // A key may be empty.
  if (text !== "" || isWhole) {
    const [{ key, fields, version, keys, words }, url] = await readIndex(reader, "lookup/index.json", "lookup");
    if (version !== 1 || !Array.isArray(fields) || ![key, ...fields].every(isNames))
      throw malformed(url, "an index of version 1", version);
    const keyField = { names: key as string[] };
    if (by === "key") {
      const term = keyTerm(text);
      add("lookup/keys", keys, url, term, !isWhole && term === text);
      demands.push((record) => {
        const own = `${valueAt(record, keyField)}`;
        return isWhole ? own === text : own.startsWith(text);
      });
    } else {
      const wanted = foldedWords(text);
      const isLast = (at: number) => at === wanted.length - 1;
      for (const [at, word] of wanted.entries()) add("lookup/words", words, url, termOf(word), isLast(at));
      const names = fields.map((field) => ({ names: field }));
      demands.push((record) => {
        const own = wordsOfRecord(keyField, names, record);
        return wanted.every((word, at) => own.some((one) => one === word || (isLast(at) && one.startsWith(word))));
      });
    }
  }
  for (const [path, value] of Object.entries(where)) {
    const [{ facets, lists: said }, url] = await readIndex(reader, "explorer/summary.json", "explorer");
    const all = Array.isArray(facets) ? facets.filter(isPlainObject) : [];
    const names = all.find((facet) => facet["path"] === path)?.["names"];
    if (!isNames(names)) {
      const paths = all.map((facet) => facet["path"]).join(", ");
      throw new ListingError("usage", url, "has no such field to choose by", `one of ${paths}`, quoted(path));
    }
    const term = facetTerm({ path }, value);
    add("explorer/facets", said, url, term, false);
    demands.push((record) => facetTermsOf([{ path, names }], record).includes(term));
  }
  return { lists, fits: (record) => demands.every((fits) => fits(record)) };
}

/** @param flag what the release has to be built with. */
async function readIndex(
  { ground, baseUrl, signal }: SortedSource,
  file: string,
  flag: string,
): Promise<[said: AnyObject, url: string]> {
  const url = `${baseUrl}/${file}`;
  try {
    const read = async (own: AbortSignal) => objectOf(await ground.readFile(file, INDEX_BYTES, own), url);
    return [await readKept(ground, file, signal, read), url];
  } catch (error) {
    const { code, received } = error as Partial<ListingError>;
    // A host without proof has it, or answers that it has nothing there.
    if (code !== "usage" && !(code === "status" && received?.startsWith("4"))) throw error;
    throw new ListingError("usage", baseUrl, `has no ${flag}; build with --${flag}`, undefined, undefined, error);
  }
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
