/** The fragment of the page's address: which record is shown, or which part of the list. */

/** A value by which records are chosen. */
export type Chosen = string | number | boolean | null;

/** The list, or what is searched and chosen of it. */
export interface ListPlace {
  /** The text to search for. */
  text: string;
  /** From 1. Search results show this many pages one below the other. */
  page: number;
  /** By path, the value that is chosen. */
  where: ReadonlyMap<string, Chosen>;
}

/** One record, by its key as text. */
export interface RecordPlace {
  key: string;
}

export type SeenPlace = ListPlace | RecordPlace;

export const BEGINNING: ListPlace = { text: "", page: 1, where: new Map() };

/** Parameters that are no paths. A path that is called so has a dot before it. */
const OWN = /^(?:\.|q$|page$)/;

/** `#/KEY`, `#?q=anna&page=3&status=open`. What cannot be is left out; for paths that takes a contract, see `chosenIn`. */
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

/** Keeps the facets that exist: an address may be made up, or of an older contract. */
export function chosenIn(where: ListPlace["where"], facets: readonly { path: string }[]): ListPlace["where"] {
  return new Map([...where].filter(([path]) => facets.some((facet) => facet.path === path)));
}

/** The reverse of `parseHash`. */
export function addressOf(place: SeenPlace): string {
  if ("key" in place) return `#/${encodeURIComponent(place.key)}`;
  const { text, page, where } = place;
  const given = new URLSearchParams();
  if (text !== "") given.set("q", text);
  if (page > 1) given.set("page", String(page));
  for (const [path, value] of where) given.set(OWN.test(path) ? `.${path}` : path, writtenValue(value));
  return `#?${given}`;
}

/** A text as it is, unless it could be read as another value. */
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

/** A text of an address as it is meant, or as it stands. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
