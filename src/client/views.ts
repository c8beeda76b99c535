/** Reads views: a listing's records by the values of a field, or in another order. */
import { pagesFor, pageUrl } from "../core/contract/links.js";
import { VIEWS } from "../core/contract/reader-files.js";
import { digestLines, mostSumBytes } from "./digests.js";
import { malformed, usage } from "./errors.js";
import { readKept } from "./kept.js";
import type { ListingView, ViewValue } from "./options.js";
import { decodeText, isPlainObject, objectOf } from "./utf8.js";
import { FILE_BYTES, type Host, type ProvedView, type View } from "./view.js";

/** A value of a view, its number of records, and the segment of its URL. */
interface ListedValue {
  value: ViewValue;
  records: number;
  segment: string;
}

/** The views of a snapshot. @throws ListingError (usage) if it has none, or if the host has no digests */
export async function listViews(host: Host, view: View, signal: AbortSignal | undefined): Promise<ListingView[]> {
  const { baseUrl } = host;
  if (view.proof === "none")
    throw usage(baseUrl, "has no digests, so its views cannot be verified; follow next of their pages");
  return readKept(view, VIEWS, signal, async (own) => {
    const url = `${baseUrl}/${VIEWS}`;
    const { state, views } = objectOf(await view.readFile(VIEWS, { maxBytes: FILE_BYTES }, own), url);
    if (state !== view.state) throw malformed(url, `state ${view.state}`, state);
    if (!Array.isArray(views) || !views.every(isView)) throw malformed(url, "a list of views", views);
    return views.map(({ name, by, part, order, values, pages }) => {
      return { name, by, part, order, values, pages };
    });
  });
}

function isView(found: unknown): found is ListingView {
  if (!isPlainObject(found)) return false;
  const { name, by, pages } = found;
  return (
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(`${name}`) &&
    (by === undefined || typeof by === "string") &&
    Number.isSafeInteger(pages)
  );
}

async function entryOf(host: Host, view: View, name: string, signal: AbortSignal | undefined): Promise<ListingView> {
  const views = await listViews(host, view, signal);
  const entry = views.find((one) => one.name === name);
  if (entry) return entry;
  throw usage(host.baseUrl, `has no view by ${name}: ${views.map((one) => one.name).join(", ")}`);
}

/** The values of a view, with their numbers of records. @throws ListingError (usage) for a view without values */
export async function readValues(
  host: Host,
  view: View,
  name: string,
  signal: AbortSignal | undefined,
): Promise<[value: ViewValue, records: number][]> {
  const entry = await entryOf(host, view, name, signal);
  if (entry.by === undefined) throw usage(host.baseUrl, `has no values of the view ${name}, which is of all records`);
  const values = await readIndex(host, view, name, signal);
  return values.map(({ value, records }) => [value, records]);
}

function readIndex(host: Host, view: View, name: string, signal: AbortSignal | undefined): Promise<ListedValue[]> {
  const file = `views/${name}.json`;
  return readKept(view, file, signal, async (own) => {
    const url = `${host.baseUrl}/${file}`;
    const { state, values } = objectOf(await view.readFile(file, { maxBytes: FILE_BYTES }, own), url);
    if (state !== view.state) throw malformed(url, `state ${view.state}`, state);
    if (!Array.isArray(values)) throw malformed(url, "a list of values", values);
    return values.map((entry: unknown) => {
      const [value, records, segment = `${value}`] = Array.isArray(entry) ? entry : [];
      const isValue = value === null || ["string", "number", "boolean"].includes(typeof value);
      if (!isValue || !Number.isSafeInteger(records) || !/^[\w~-][\w.~-]*$/.test(segment))
        throw malformed(url, "a value, a number of records and a segment", entry);
      return { value, records, segment };
    });
  });
}

/**
 * The records of a value, or of all records in the order of a view, as a view of the host. One without pages for a value that no
 * record has.
 * @param given the value; empty for a view without values.
 * @throws ListingError (usage) if there is no such view, or it needs a value
 */
export async function openView(
  host: Host,
  base: View,
  name: string,
  given: readonly ViewValue[],
  signal: AbortSignal | undefined,
): Promise<View> {
  const entry = await entryOf(host, base, name, signal);
  const hasValue = given.length > 0;
  if (hasValue && entry.by === undefined) throw usage(host.baseUrl, `has the view ${name}, which has no values`);
  if (!hasValue && entry.by !== undefined)
    throw usage(host.baseUrl, `needs a value of ${entry.by} for the view ${name}`);
  const [value = null] = given;
  const found = hasValue
    ? (await readIndex(host, base, name, signal)).find((one) => isSame(one.value, value))
    : { records: base.snapshot.count, segment: "" };
  const above = found && found.segment !== "" ? `${name}/${found.segment}/` : `${name}/`;
  const count = found?.records ?? 0;
  const pages = found ? pagesFor(count, base.snapshot.page_size) : 0;
  const snapshot = { ...base.snapshot, count, pages };
  const path = `/views/${above}`;
  const urlOf = (page: number) => pageUrl({ ...snapshot, baseUrl: host.baseUrl, path }, page);
  const digests = pages === 0 ? [] : await readPageDigests(host, base, { name, above, pages, of: entry.pages }, signal);
  return {
    ...base,
    snapshot,
    path,
    urlOf,
    view: hasValue ? `${name}=${value}` : name,
    ...(entry.order && { isReordered: true }),
    readPage: (page, own) => (base as ProvedView).readAt(urlOf(page), digests[page - 1] ?? "none", host.pages, own),
  };
}

/** Whether two values are the same. A view has values of one type, so the text of a number is enough. */
function isSame(one: ViewValue, other: ViewValue): boolean {
  return one === null || other === null ? one === other : `${one}` === `${other}`;
}

/** The digests of the pages in one folder of a view. @throws ListingError (malformed) unless exactly these are listed */
async function readPageDigests(
  host: Host,
  base: View,
  { name, above, pages, of }: { name: string; above: string; pages: number; of: number },
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const file = `views/${name}.sha256`;
  const url = `${host.baseUrl}/${file}`;
  const maxBytes = mostSumBytes(of, base.snapshot.encodings.length);
  const text = await readKept(base, file, signal, async (own) =>
    decodeText(await base.readFile(file, { maxBytes }, own), url),
  );
  const digests: string[] = [];
  for (const [path, digest] of digestLines(text, url))
    if (path === `${above}pages/${digests.length + 1}.json`) digests.push(digest);
  if (digests.length !== pages) throw malformed(url, `${pages} pages of ${above}`, digests.length);
  return digests;
}
