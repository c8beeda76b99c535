/** Bytes from a host as what they must be: text, JSON, snapshot.json, a page. */
import { isObject, parseJson } from "../contract/json.js";
import { LINK_STYLES, type LinkStyle, MAX_PAGES, neighbours, PAGE_SIZE, pagesFor } from "../contract/links.js";
import type { Page } from "../contract/page.js";
import type { Snapshot } from "../contract/snapshot.js";
import { ListingError } from "./errors.js";
import { shown } from "./requests.js";

/** As many as any page of so many records has. */
const MOST_VALUES_A_RECORD = 2000;

export function textOf(bytes: Uint8Array, url: string): string {
  try {
    // A mark at the beginning stays: JSON has none.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ListingError("malformed", url, "is not UTF-8", { cause });
  }
}

/** @param records how many it may hold. @throws ListingError (malformed) */
export function jsonOf(bytes: Uint8Array, url: string, records = 100): unknown {
  const text = textOf(bytes, url);
  const read = parseJson(text, Math.max(100, records) * MOST_VALUES_A_RECORD);
  if ("value" in read) return read.value;
  throw new ListingError("malformed", url, /^\s*</.test(text) ? "is HTML, where JSON is expected" : read.why);
}

/** What snapshot.json says. Further members are allowed. @throws ListingError (malformed) */
export function snapshotOf(bytes: Uint8Array, url: string): Snapshot {
  const value = jsonOf(bytes, url);
  const said = isObject(value) ? value : {};
  const isCount = (name: string, min = 0, max = Number.MAX_SAFE_INTEGER) => {
    const number = said[name];
    return Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max;
  };
  const is = (name: string, pattern: RegExp) => typeof said[name] === "string" && pattern.test(said[name]);
  const { pages, count, page_size, links, encodings, warnings, state } = said;
  const checks: Record<string, boolean> = {
    id: is("id", /^[0-9a-f]{12}$/),
    contract: isCount("contract", 1),
    count: isCount("count"),
    page_size: isCount("page_size", PAGE_SIZE.min, PAGE_SIZE.max),
    pages: isCount("pages", 1, MAX_PAGES) && pages === pagesFor(count as number, page_size as number),
    base_url: is("base_url", /^https?:\/\/./),
    links: LINK_STYLES.includes(links as LinkStyle),
    encodings: Array.isArray(encodings) && encodings.every((one) => typeof one === "string"),
    skipped: isCount("skipped"),
    state: state === undefined || is("state", /^[0-9a-f]{64}$/),
    warnings: isObject(warnings),
  };
  const wrong = Object.keys(checks).find((name) => !checks[name]);
  if (wrong === undefined) return value as Snapshot;
  throw new ListingError("malformed", url, "is no snapshot.json of a release", {
    expected: `a valid ${wrong}`,
    received: shown(JSON.stringify(said[wrong]) ?? "none"),
  });
}

/** A page of a snapshot, whose envelope must be the one that snapshot.json promises. @throws ListingError (malformed) */
export function pageOf<T>(bytes: Uint8Array, url: string, number: number, path: string, snapshot: Snapshot): Page<T> {
  const { count, page_size, pages, links, base_url: baseUrl } = snapshot;
  const value = jsonOf(bytes, url, page_size);
  const page = isObject(value) ? value : {};
  const records = Math.max(0, Math.min(page_size, count - (number - 1) * page_size));
  const expected = { count, ...neighbours({ baseUrl, path, links, page: number, pages }) };
  for (const [name, promised] of Object.entries(expected)) {
    if (page[name] !== promised) throw notPromised(url, name, promised, page[name]);
  }
  const { results } = page;
  const isFull = Array.isArray(results) && results.length === records && results.every(isObject);
  if (!isFull) throw notPromised(url, "results", `${records} objects`, results);
  return value as Page<T>;
}

function notPromised(url: string, name: string, promised: unknown, found: unknown): ListingError {
  return new ListingError("malformed", url, `is no page of this listing by its ${name}`, {
    expected: typeof promised === "string" ? promised : JSON.stringify(promised),
    received: shown(JSON.stringify(found) ?? "none"),
  });
}
