/** Views: their pages hold the records of the listing by value and order, and are linked while they do not change. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WrittenViews } from "../../src/build/views/written-views.js";
import { contractOf } from "../../src/core/contract/contract.js";
import { segmentOf, type ViewValue } from "../../src/core/contract/segment.js";
import { viewsOf } from "../../src/core/contract/views.js";
import { CURRENT } from "../../src/core/release/layout.js";
import { StagedFiles } from "../../src/core/release/staging.js";
import { viewPathsOf } from "../../src/core/release/views.js";
import { type BuildOptions, build, buildShard } from "../../src/index.js";
import { checkSums, readTree, scratch } from "../support/files.js";
import { HARD_TAGS, PLACE_VIEWS, PLACES, type Place, places, writePlaces } from "../support/places.js";
import { SHOP, writeShop } from "../support/shop.js";

const BASE_URL = "https://data.example.com";

async function buildPlaces(dist: string, rows: readonly Place[], more: Partial<BuildOptions> = {}) {
  const db = writePlaces(join(dist, "..", "places.sqlite"), rows);
  const options = { db, table: "places", contract: PLACES, baseUrl: BASE_URL, dist, pageSize: 10, workers: 0 };
  return build({ ...options, views: PLACE_VIEWS, ...more });
}

const newDist = () => join(scratch(), "dist");
const read = (folder: string, path: string) => JSON.parse(readFileSync(join(folder, path), "utf8"));

/** The records of a value, read by following `next`. */
function recordsOf(folder: string, view: string, value?: ViewValue): Place[] {
  const path = value === undefined ? `views/${view}/` : `views/${view}/${segmentOf(value)}/`;
  const records: Place[] = [];
  for (let page = 1, next: string | null = ""; next !== null; page++) {
    const body = read(folder, `${path}pages/${page}.json`);
    expect(body.previous).toBe(page === 1 ? null : `${BASE_URL}/${path}?format=api&page=${page - 1}`);
    expect(body.results.length).toBeGreaterThan(body.count > 0 ? 0 : -1);
    records.push(...body.results);
    next = body.next;
    if (next !== null) expect(next).toBe(`${BASE_URL}/${path}?format=api&page=${page + 1}`);
    else expect(body.count).toBe(records.length);
  }
  return records;
}

const idsOf = (rows: readonly Place[]) => rows.map(({ id }) => id);
const LOWEST = -1e9;
/** By a number, nulls last; then by id. */
const byHeight = (one: Place, other: Place) => (other.height ?? LOWEST) - (one.height ?? LOWEST) || one.id - other.id;

/** By height, then by the UTF-8 bytes of the tag, nulls last. */
const byHeightAndTag = (one: Place, other: Place) =>
  (other.height ?? LOWEST) - (one.height ?? LOWEST) || byTag(one, other) || one.id - other.id;
const byTag = ({ tag }: Place, other: Place) =>
  Number(tag === null) - Number(other.tag === null) || Buffer.from(tag ?? "").compare(Buffer.from(other.tag ?? ""));

test("the pages of a view are the records of each value, in published order or in its own", async () => {
  const rows = places(230);
  const { folder } = await buildPlaces(newDist(), rows);
  checkSums(folder);
  for (const tag of HARD_TAGS)
    expect(idsOf(recordsOf(folder, "tag", tag)), String(tag)).toEqual(idsOf(rows.filter((row) => row.tag === tag)));
  expect(idsOf(recordsOf(folder, "-height"))).toEqual(idsOf(rows.toSorted(byHeight)));
  for (const topic of ["sea", "sun", "a/b"])
    expect(idsOf(recordsOf(folder, "topics", topic))).toEqual(
      idsOf(rows.filter(({ topics }) => topics.includes(topic))),
    );
  expect(idsOf(recordsOf(folder, "month", "1901-02"))).toEqual(
    idsOf(rows.filter(({ opened }) => opened?.startsWith("1901-02"))),
  );
  expect(idsOf(recordsOf(folder, "month", null))).toEqual(idsOf(rows.filter(({ opened }) => opened === null)));
  expect(recordsOf(folder, "open", false).length + recordsOf(folder, "open", true).length).toBe(230);
  expect(idsOf(recordsOf(folder, "kind-highest", "ruin"))).toEqual(
    idsOf(rows.filter(({ kind }) => kind === "ruin").toSorted(byHeightAndTag)),
  );
  expect(recordsOf(folder, "size", 11).every((row) => row.größe === 11)).toBe(true);
  // A value of an enum has a page without records.
  expect(read(folder, "views/kind-highest/lake/pages/1.json")).toEqual({
    count: 0,
    next: null,
    previous: null,
    results: [],
  });
});

test("the index lists values by the bytes of their JSON, and segments that differ from them", async () => {
  const { folder } = await buildPlaces(newDist(), places(24, ["b", "a b", null, "ü"]));
  const { state } = read(folder, "snapshot.json");
  const values = [
    ["a b", 6, "a~20b"],
    ["b", 6],
    ["ü", 6, "~C3~BC"],
    [null, 6, "~null"],
  ];
  expect(read(folder, "views/tag.json")).toEqual({ by: "tag", count: 24, state, values, version: 1 });
  const { views } = read(folder, "views.json");
  expect(views.map(({ name }: { name: string }) => name)).toEqual(Object.keys(PLACE_VIEWS));
  expect(views[5]).toEqual({
    by: "tag",
    index: "views/tag.json",
    name: "tag",
    pages: 4,
    sums: "views/tag.sha256",
    values: 4,
  });
});

test.each([0, 1, 9, 10, 11])("a listing of %i records has views", async (count) => {
  const { folder } = await buildPlaces(newDist(), places(count));
  expect(recordsOf(folder, "-height")).toHaveLength(count);
  expect(recordsOf(folder, "open", true).length + recordsOf(folder, "open", false).length).toBe(count);
  expect(read(folder, "views/tag.json").values).toHaveLength(count);
});

test("without views, no file differs", async () => {
  const rows = places(50);
  const plain = await buildPlaces(newDist(), rows, { views: undefined });
  const made = await buildPlaces(newDist(), rows);
  expect(made.id).toBe(plain.id);
  const before = readTree(plain.folder);
  const own = [...readTree(made.folder)].filter(([path]) => !/^(?:views|SHA256SUMS|openapi\.json)/.test(path));
  expect(own).toEqual([...before].filter(([path]) => path !== "SHA256SUMS" && path !== "openapi.json"));
});

test("unchanged data makes nothing again, and a changed record makes the pages of its values alone", async () => {
  const dist = newDist();
  const rows = places(230, ["x", "y", "z"]);
  const first = await buildPlaces(dist, rows);
  expect(await buildPlaces(dist, rows)).toMatchObject({ new: false, switched: false, name: first.name });
  const changed = rows.map((row) => (row.id === 2 ? { ...row, größe: 5 } : row));
  const next = await buildPlaces(dist, changed);
  expect(next.new).toBe(true);
  const inodes = (folder: string, path: string) => statSync(join(folder, path)).ino;
  const isSame = (path: string) => inodes(first.folder, path) === inodes(next.folder, path);
  const pages = [...readTree(next.folder).keys()].filter((path) => /^views\/tag\/.*pages/.test(path));
  expect(pages.filter((path) => !isSame(path))).toEqual(["views/tag/y/pages/1.json"]);
  const other = await buildPlaces(dist, changed, { views: { tag: { by: "tag" } } });
  expect(other).toMatchObject({ new: true, id: next.id });
});

test("a page of the last release that was damaged is made again", async () => {
  const dist = newDist();
  const rows = places(40);
  const first = await buildPlaces(dist, rows);
  const page = join(first.folder, "views/tag/DE/pages/1.json");
  chmodSync(page, 0o644);
  writeFileSync(page, "{}\n");
  const next = await buildPlaces(dist, rows);
  expect(next).toMatchObject({ new: true, id: first.id });
  expect(recordsOf(next.folder, "tag", "DE")).toHaveLength(2);
});

test("a view with too many values is refused, and the current release stays", async () => {
  const dist = newDist();
  const first = await buildPlaces(dist, places(20));
  const byKey = buildPlaces(dist, places(30), { views: { id: { by: "id", most: 29 } } });
  await expect(byKey).rejects.toMatchObject({
    exitCode: 1,
    message:
      'views.id has 30 values, and most is 29; raise it in the config file, as in "views": {"id":{"by":"id","most":10000}}, or use --lookup to find records by name.',
  });
  expect(statSync(join(dist, CURRENT)).ino).toBe(statSync(first.folder).ino);
  const nearly = await buildPlaces(dist, places(24), { views: { id: { by: "id", most: 30 } } });
  expect(nearly.notes).toContain("views.id has 24 values; a build refuses more than 30, its most");
});

test("what a site says of a view names its listing", async () => {
  const folder = scratch();
  const db = writeShop(folder);
  const buildShop = (views: BuildOptions["views"]) => {
    const orders = { ...SHOP.orders, views };
    return build({ db, dist: join(folder, "dist"), baseUrl: BASE_URL, listings: { ...SHOP, orders }, workers: 0 });
  };
  await expect(buildShop(["custmer_id"])).rejects.toMatchObject({
    exitCode: 2,
    message: "listings.orders.views.custmer_id: the contract has no field custmer_id; did you mean customer_id?",
  });
  await expect(buildShop(["custmer_id", "tottal"])).rejects.toMatchObject({
    details: [
      "listings.orders.views.custmer_id: the contract has no field custmer_id; did you mean customer_id?",
      "listings.orders.views.tottal: the contract has no field tottal; did you mean total?",
    ],
  });
  const few = buildShop({ customer: { by: "customer_id", most: 5 } });
  await expect(few).rejects.toThrow(/^listings\.orders\.views\.customer has 6 values, and most is 5; /);
  const { notes } = await buildShop({ customer: { by: "customer_id", most: 6 } });
  expect(notes).toContain("listings.orders.views.customer has 6 values; a build refuses more than 6, its most");
  // Nothing has changed but the limit.
  const fewer = buildShop({ customer: { by: "customer_id", most: 5 } });
  await expect(fewer).rejects.toThrow(/^listings\.orders\.views\.customer has 6 values, and most is 5; /);
});

test("values that differ only by case are noted", async () => {
  const { notes } = await buildPlaces(newDist(), places(24), { views: ["tag"] });
  expect(notes).toContain(
    "views.tag has the values DE and de, which differ only by case; a host whose folders ignore case cannot serve both",
  );
});

test("values that differ only by case are refused if the file system ignores case", async () => {
  const folder = scratch();
  const contract = contractOf(PLACES);
  const found = viewsOf(contract, ["tag"]);
  const [view] = "views" in found ? found.views : [];
  if (!view) throw new Error("The view does not fit its contract.");
  const values = ["DE", "de"].map((value) => ({ value, records: 1 }));
  const collection = { baseUrl: BASE_URL, path: "/places/", links: "query", count: 2, pages: 1, pageSize: 10 } as const;
  const files = new StagedFiles(folder, "/places/", undefined, () => {});
  const written = new WrittenViews({
    name: "",
    contract,
    collection,
    encodings: [],
    files,
    previous: undefined,
    workers: 0,
  });
  // The second folder exists before it is made, as in a file system that ignores case.
  mkdirSync(join(folder, "views/tag/de"), { recursive: true });
  const sorted = { view, values, paths: viewPathsOf("tag", values, collection), numbers: Uint32Array.of(0, 1) };
  await expect(written.make(sorted, undefined)).rejects.toMatchObject({
    exitCode: 1,
    message: `views.tag has the values DE and de, which differ only by case, and the file system of ${folder} ignores case. Build on one that does not, or make the values alike.`,
  });
});

test.each([1, 3, 8])("%i shards make the bytes of one machine", async (count) => {
  const folder = scratch();
  const db = writePlaces(join(folder, "places.sqlite"), places(230));
  const shape = {
    table: "places",
    contract: PLACES,
    baseUrl: BASE_URL,
    pageSize: 10,
    workers: 0,
    compress: ["br"],
  } as const;
  const options = { db, ...shape, dist: join(folder, "dist"), views: PLACE_VIEWS };
  const alone = await build({ ...options, dist: join(folder, "alone") });
  const parts = join(folder, "parts");
  for (let shard = 0; shard < count; shard++) await buildShard({ ...options, parts, shard: `${shard}/${count}` });
  const joined = await build({ ...options, join: parts });
  expect(joined.id).toBe(alone.id);
  expect(readTree(joined.folder)).toEqual(readTree(alone.folder));
});
