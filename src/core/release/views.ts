/** views.json, and the values and digests of each view: reads and writes them. */
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import { readAs } from "../contract/json.js";
import { MAX_PAGES } from "../contract/links.js";
import type { Collection } from "../contract/page.js";
import { SEGMENT, segmentOf, type ViewValue } from "../contract/segment.js";
import type { Snapshot } from "../contract/snapshot.js";
import { isViewName, MOST_VALUES, MOST_VIEWS, VIEW_PARTS, type View, type ViewPart } from "../contract/views.js";
import { codeOf, isMissing } from "../errors.js";
import { shorten } from "../print/text.js";
import {
  type Variant,
  VIEWS,
  VIEWS_FOLDER,
  type ViewFolder,
  ViewPaths,
  viewIndexPath,
  viewSumsPath,
} from "./layout.js";
import { hashPlain, readReleaseFile, sha256, withReleaseFile } from "./plain-files.js";
import { encodeSums, PageDigests, readSums, type Sums } from "./sums.js";

const whole = z.int().min(0);
const state = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe("The state of the snapshot that the views are made of.");
const part = z.exactOptional(z.enum(Object.keys(VIEW_PARTS) as [ViewPart, ...ViewPart[]]));
const version = z.literal(1).describe("The version of this format.");

const entrySchema = z
  .strictObject({
    name: z.string().refine(isViewName).describe("The name of the view: its folder in `views/`."),
    by: z.exactOptional(z.string()).describe("The path of the field by whose values records are divided."),
    part: part.describe("The part of dates and times that counts as the value."),
    order: z
      .exactOptional(z.array(z.string()).min(1))
      .describe("The fields by which records are sorted, with `-` before descending ones."),
    values: z.exactOptional(whole.max(MOST_VALUES.max)).describe("Number of values."),
    pages: whole.max(MAX_PAGES).describe("Number of pages of all values."),
    index: z.exactOptional(z.string()).describe("The path of the list of its values."),
    sums: z.string().describe("The path of the digests of its pages."),
  })
  .refine(({ name, by, order, values, index, sums }) => {
    const hasValues = by !== undefined;
    const isComplete = hasValues === (values !== undefined) && index === (hasValues ? viewIndexPath(name) : undefined);
    return isComplete && (hasValues || order !== undefined) && sums === viewSumsPath(name);
  });

/** The form of views.json. openapi.json shows its descriptions. */
export const viewsSchema = z.strictObject({
  state,
  version,
  views: z.array(entrySchema).min(1).max(MOST_VIEWS).describe("The views, sorted by name."),
});

/** views.json. */
type ViewsList = z.infer<typeof viewsSchema>;
/** A view of views.json. */
export type ViewEntry = ViewsList["views"][number];

const value = z.union([z.string(), z.int(), z.boolean(), z.null()]);

/** The form of a list of values, such as `views/country.json`. */
export const viewIndexSchema = z.strictObject({
  by: z.string().describe("The path of the field."),
  part,
  count: whole.describe("Number of records of the listing."),
  state,
  values: z
    .array(z.union([z.tuple([value, whole]), z.tuple([value, whole, z.string().regex(SEGMENT)])]))
    .max(MOST_VALUES.max)
    .describe("Each value, its number of records, and the segment of its URL where that is not the value itself."),
  version,
});

type ViewIndex = z.infer<typeof viewIndexSchema>;

/** A value of a view, and its number of records. */
export interface CountedValue {
  value: ViewValue;
  records: number;
}

/** A view of a release. */
export interface ReleaseView {
  entry: ViewEntry;
  /** The values in the order of their pages; undefined for a view without values. */
  values: readonly CountedValue[] | undefined;
  /** The digests of its pages, with paths relative to `views/`. */
  sums: Sums<ViewPaths>;
}

/** The fields of a view's order, as the config file has them. */
function orderOf({ order }: Pick<View, "order">): string[] {
  return order.map(({ field, isDescending }) => `${isDescending ? "-" : ""}${field.path}`);
}

/** What a view is made by. Views of two releases of the same records that are made by the same have the same pages. */
export function makingOf(view: View): Pick<ViewEntry, "name" | "by" | "part" | "order"> {
  const { name, by, part } = view;
  const order = orderOf(view);
  return {
    name,
    ...(by && { by: by.path }),
    ...(part !== undefined && { part }),
    ...(order.length > 0 && { order }),
  };
}

/** The paths of a view's pages. @param values undefined for a view without values */
export function viewPathsOf(
  name: string,
  values: readonly CountedValue[] | undefined,
  { count, pageSize }: Pick<Collection, "count" | "pageSize">,
): ViewPaths {
  const folders = values?.map(({ value, records }) => ({ segment: segmentOf(value), records }));
  return new ViewPaths(name, folders ?? [{ segment: "", records: count }], pageSize);
}

/** The text of views.json. */
export function encodeViews(state: string, views: readonly ViewEntry[]): string {
  const list: ViewsList = { state, version: 1, views: [...views] };
  return `${stringify(list)}\n`;
}

/** The entry of a view in views.json. */
export function entryOf(view: View, { values, pages }: ViewPaths): ViewEntry {
  const { name, by } = view;
  const ofValues = by ? { values: values.length, index: viewIndexPath(name) } : {};
  return { ...makingOf(view), ...ofValues, pages, sums: viewSumsPath(name) };
}

/** The text of a list of values. @param count the number of records of the listing */
export function encodeViewIndex(
  { by, part }: Pick<View, "by" | "part">,
  values: readonly CountedValue[],
  count: number,
  state: string,
): string {
  const listed = values.map(({ value, records }): ViewIndex["values"][number] => {
    const segment = segmentOf(value);
    return segment === String(value) ? [value, records] : [value, records, segment];
  });
  const index: ViewIndex = {
    by: by?.path ?? "",
    ...(part !== undefined && { part }),
    count,
    state,
    values: listed,
    version: 1,
  };
  return `${stringify(index)}\n`;
}

/** The text of a view's digests, one line a page. */
export function encodeViewSums(sums: Sums<ViewPaths>): string {
  return [...encodeSums(sums)].join("");
}

/** Segments that differ from an earlier one only by case, each with that one. */
export function findCaseTwins(values: readonly Pick<ViewFolder, "segment">[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const twins = new Map<string, string>();
  for (const { segment } of values) {
    const other = first.get(segment.toLowerCase());
    if (other === undefined) first.set(segment.toLowerCase(), segment);
    else twins.set(segment, other);
  }
  return twins;
}

/** What a sentence says of two values of a view that differ only by case. @param twin a pair of `findCaseTwins` */
export function describeTwins(view: string, [one, other]: readonly [segment: string, other: string]): string {
  return `views.${view} has the values ${other} and ${one}, which differ only by case`;
}

/** Adds a problem of a release. */
type AddProblem = (check: "digests" | "files" | "views", path: string, found: string, expected: string) => void;

const LONGEST_SHOWN = 200;

/**
 * Reads the views of the release in a folder, and compares what is read with SHA256SUMS.
 * @param add gets what is wrong. A view whose files are unusable is left out.
 */
export async function readReleaseViews(
  folder: string,
  sums: Sums,
  snapshot: Snapshot,
  add: AddProblem,
): Promise<ReleaseView[]> {
  if (!sums.others.has(VIEWS)) return [];
  const list = await readListed(folder, VIEWS, sums, add, (text) => readAs(viewsSchema, text));
  if (!list) return [];
  if (list.state !== snapshot.state)
    add("views", VIEWS, `state ${list.state}`, `${snapshot.state}, as in snapshot.json`);
  const views: ReleaseView[] = [];
  for (const entry of list.views) {
    const view = await readView(folder, entry, sums, snapshot, add);
    if (view) views.push(view);
  }
  return views;
}

/** Reads and parses a file that SHA256SUMS lists. @returns undefined, after a problem, if it is unusable */
async function readListed<Value extends object>(
  folder: string,
  path: string,
  { others }: Sums,
  add: AddProblem,
  parse: (text: string) => Value | { why: string },
): Promise<Value | undefined> {
  const bytes = await reading(path, add, () => readReleaseFile(join(folder, path)));
  if (!bytes) return undefined;
  const listed = others.get(path);
  const found = sha256(bytes);
  if (found !== listed) {
    add("digests", path, `other bytes, ${found}`, listed ?? "a line in SHA256SUMS");
    return undefined;
  }
  const value = parse(String(bytes));
  if (!("why" in value)) return value;
  add("views", path, `a file that ${shorten(String(value.why), LONGEST_SHOWN)}`, "the JSON that Rollcall writes");
  return undefined;
}

/** Runs a step that reads a file. @returns undefined, after a problem, if the system refuses it */
async function reading<T>(path: string, add: AddProblem, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    add("files", path, isMissing(error) ? "no such file" : `no file that can be read (${code})`, "a plain file");
    return undefined;
  }
}

async function readView(
  folder: string,
  entry: ViewEntry,
  sums: Sums,
  { state, count, page_size: pageSize, encodings }: Snapshot,
  add: AddProblem,
): Promise<ReleaseView | undefined> {
  const { name, by, part, pages } = entry;
  const path = by === undefined ? VIEWS : viewIndexPath(name);
  let values: CountedValue[] | undefined;
  if (by !== undefined) {
    const index = await readListed(folder, path, sums, add, (text) => readAs(viewIndexSchema, text));
    if (!index) return undefined;
    values = index.values.map(([value, records]) => ({ value, records }));
    const found = { by: index.by, part: index.part, state: index.state, count: index.count, values: values.length };
    const why = whyNotIndex(index) ?? differenceOf(found, { by, part, state, count, values: entry.values });
    if (why !== undefined) {
      add("views", path, why, `what ${VIEWS} and snapshot.json say`);
      return undefined;
    }
  }
  const paths = viewPathsOf(name, values, { count, pageSize });
  if (paths.pages !== pages) {
    add("views", path, `${paths.pages} pages of ${name}`, `${pages}, as in ${VIEWS}`);
    return undefined;
  }
  const own = await readPageSums(folder, paths, ["identity", ...encodings], sums, add);
  return own && { entry, values, sums: own };
}

/** Says why a list of values is not one that Rollcall writes; undefined if it is. */
function whyNotIndex({ values }: ViewIndex): string | undefined {
  const wrong = values.find(([value, , segment]) => (segment ?? String(value)) !== segmentOf(value));
  if (wrong) return `the segment ${wrong[2] ?? wrong[0]} for the value ${JSON.stringify(wrong[0])}`;
  const seen = new Set<string>();
  for (const [value] of values) {
    const segment = segmentOf(value);
    if (seen.has(segment)) return `the value ${JSON.stringify(value)} twice`;
    seen.add(segment);
  }
  return undefined;
}

/** The first member in which two objects differ, as found; undefined if there is none. */
function differenceOf(found: Readonly<Record<string, unknown>>, expected: Readonly<Record<string, unknown>>) {
  const key = Object.keys(found).find((name) => found[name] !== expected[name]);
  return key === undefined ? undefined : `${key} ${JSON.stringify(found[key])}, not ${JSON.stringify(expected[key])}`;
}

async function readPageSums(
  folder: string,
  paths: ViewPaths,
  variants: readonly Variant[],
  { others }: Sums,
  add: AddProblem,
): Promise<Sums<ViewPaths> | undefined> {
  const path = viewSumsPath(paths.view);
  const { pages } = paths;
  const none = { paths, pages: new PageDigests(0, variants), others: new Map() };
  const own = await reading(path, add, () =>
    // Without values, there are no pages, and the file is empty.
    withReleaseFile(join(folder, path), async (file, size) => {
      return pages === 0 && size === 0 ? none : readSums({ file, size }, { paths, pages, variants });
    }),
  );
  if (!own) return undefined;
  const found = hashPlain(join(folder, path));
  if (found !== others.get(path)) {
    add("digests", path, `other bytes, ${found}`, others.get(path) ?? "a line in SHA256SUMS");
    return undefined;
  }
  const why = "why" in own ? own.why : whyNotPages(own);
  if (why === undefined) return own as Sums<ViewPaths>;
  add("views", path, `a file that ${why}`, `one line for each page in ${VIEWS_FOLDER}/${paths.view}`);
  return undefined;
}

/** Digests of a view are of its pages only. */
function whyNotPages({ others }: Sums<ViewPaths>): string | undefined {
  const [other] = others.keys();
  return other === undefined ? undefined : `lists ${other}, which is not one of its pages`;
}
