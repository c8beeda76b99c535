/** Parses and writes the fragment of the explorer's URL: the shown record, or the place in the list. */

/** A facet value to filter by. */
export type Chosen = string | number | boolean | null;

/** The lowest and highest value of a range; empty where it is open. */
export type Range = readonly [from: string, to: string];

export interface Sort {
  path: string;
  isDescending: boolean;
}

/** The list: search, filters, order and columns. */
export interface ListPlace {
  /** The text to search for. */
  text: string;
  /** Path of the only field to search in; undefined for names and keys. */
  within?: string | undefined;
  /** From 1. */
  page: number;
  /** Chosen values by path. A record must have one of each path's. */
  where: ReadonlyMap<string, readonly Chosen[]>;
  /** Ranges of numbers and days by path. */
  ranges: ReadonlyMap<string, Range>;
  sort?: Sort | undefined;
  /** Paths of the shown columns; empty for the usual ones. */
  columns: readonly string[];
}

/** One record, by its key as text. */
export interface RecordPlace {
  key: string;
}

export type SeenPlace = ListPlace | RecordPlace;

export const BEGINNING: ListPlace = {
  text: "",
  page: 1,
  where: new Map(),
  ranges: new Map(),
  columns: [],
};

/** Names of parameters that are not paths. A path with such a name gets a dot before it. */
const OWN = /^(?:\.|(?:q|in|page|sort|desc|column)$|(?:from|to)\.)/;

/**
 * Parses `#/KEY` or `#?q=anna&in=note&page=3&status=open&status=new&from.joined=2024-01-01&desc=joined&column=name`. Invalid
 * pages are ignored; `appliedPlace` checks the rest.
 */
export function parseHash(hash: string): SeenPlace {
  if (hash.startsWith("#/")) return { key: decoded(hash.slice(2)) };
  const given = new URLSearchParams(hash.replace(/^#\??/, ""));
  const page = Number(given.get("page") ?? 1);
  const where = new Map<string, Chosen[]>();
  const ranges = new Map<string, Range>();
  for (const [name, text] of given) {
    const [, end, ranged = ""] = /^(from|to)\.(.*)$/s.exec(name) ?? [];
    const [from, to] = ranges.get(ranged) ?? ["", ""];
    if (end !== undefined) {
      if (text !== "") ranges.set(ranged, end === "from" ? [text, to] : [from, text]);
    } else if (name.startsWith(".") || !OWN.test(name)) {
      const path = name.replace(/^\./, "");
      where.set(path, [...new Set([...(where.get(path) ?? []), parseValue(text)])]);
    }
  }
  const descending = given.get("desc");
  const sorted = descending ?? given.get("sort");
  return {
    text: given.get("q") ?? "",
    within: given.get("in") ?? undefined,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    where,
    ranges,
    sort: sorted === null ? undefined : { path: sorted, isDescending: descending !== null },
    columns: given.getAll("column"),
  };
}

/** Writes the fragment that `parseHash` parses. */
export function addressOf(place: SeenPlace): string {
  if ("key" in place) return `#/${encodeURIComponent(place.key)}`;
  const { text, within, page, where, ranges, sort, columns } = place;
  const given = new URLSearchParams();
  if (text !== "") given.set("q", text);
  if (within !== undefined) given.set("in", within);
  if (page > 1) given.set("page", String(page));
  for (const [path, values] of where)
    for (const value of values) given.append(OWN.test(path) ? `.${path}` : path, writtenValue(value));
  for (const [path, [from, to]] of ranges) {
    if (from !== "") given.set(`from.${path}`, from);
    if (to !== "") given.set(`to.${path}`, to);
  }
  if (sort) given.set(sort.isDescending ? "desc" : "sort", sort.path);
  for (const path of columns) given.append("column", path);
  return `#?${given}`;
}

/** Writes a value: text as it is, unless it would parse as another value. */
function writtenValue(value: Chosen): string {
  return typeof value === "string" && parseValue(value) === value ? value : JSON.stringify(value);
}

function parseValue(text: string): Chosen {
  try {
    const value: unknown = JSON.parse(text);
    // 1e999 is read as infinite, which JSON cannot write.
    if (typeof value === "number") return Number.isFinite(value) ? value : text;
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
