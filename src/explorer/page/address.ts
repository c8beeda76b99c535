/** Parses and writes the fragment of the explorer's URL: the shown record, or the search, filters and page of the list. */

/** A facet value to filter by. */
export type Chosen = string | number | boolean | null;

/** The list, with search and filters. */
export interface ListPlace {
  /** The text to search for. */
  text: string;
  /** From 1. Search results show all pages up to this one. */
  page: number;
  /** Chosen values by path. */
  where: ReadonlyMap<string, Chosen>;
}

/** One record, by its key as text. */
export interface RecordPlace {
  key: string;
}

export type SeenPlace = ListPlace | RecordPlace;

export const BEGINNING: ListPlace = { text: "", page: 1, where: new Map() };

/** Names of parameters that are not paths. A path with such a name gets a dot before it. */
const OWN = /^(?:\.|q$|page$)/;

/** Parses `#/KEY` or `#?q=anna&page=3&status=open`. Invalid parts are ignored; `chosenIn` checks the paths. */
export function parseHash(hash: string): SeenPlace {
  if (hash.startsWith("#/")) return { key: decoded(hash.slice(2)) };
  const given = new URLSearchParams(hash.replace(/^#\??/, ""));
  const page = Number(given.get("page") ?? 1);
  const chosen = [...given].filter(([name]) => name !== "q" && name !== "page");
  return {
    text: given.get("q") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    where: new Map(chosen.map(([name, text]) => [name.replace(/^\./, ""), parseValue(text)])),
  };
}

/** Keeps only filters by existing facets. */
export function chosenIn(where: ListPlace["where"], facets: readonly { path: string }[]): ListPlace["where"] {
  return new Map([...where].filter(([path]) => facets.some((facet) => facet.path === path)));
}

/** Writes the fragment that `parseHash` parses. */
export function addressOf(place: SeenPlace): string {
  if ("key" in place) return `#/${encodeURIComponent(place.key)}`;
  const { text, page, where } = place;
  const given = new URLSearchParams();
  if (text !== "") given.set("q", text);
  if (page > 1) given.set("page", String(page));
  for (const [path, value] of where) given.set(OWN.test(path) ? `.${path}` : path, writtenValue(value));
  return `#?${given}`;
}

/** Writes a value: text as it is, unless it would parse as another value. */
function writtenValue(value: Chosen): string {
  return typeof value === "string" && parseValue(value) === value ? value : JSON.stringify(value);
}

function parseValue(text: string): Chosen {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? text : (value as Chosen);
  } catch {
    return text;
  }
}

/** Decodes percent escapes; returns an invalid text unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
