/** What the explorer reads of a listing with views that has too many records to load. */
import { expect, test } from "vitest";
import type { ViewValue } from "../../../src/client/options.js";
import type { Host, View } from "../../../src/client/view.js";
import { type ListPlace, parseHash } from "../../../src/explorer/page/address.js";
import type { ListingFacts } from "../../../src/explorer/page/reader.js";
import { hasPagesOf } from "../../../src/explorer/page/scope.js";
import { viewedScope } from "../../../src/explorer/page/views.js";

const STATE = "a".repeat(64);
const PAGE_SIZE = 1000;
const VIEWS = [
  { name: "-height", order: ["-height"], pages: 60 },
  { name: "kind", by: "kind", values: 3, pages: 60 },
  { name: "kind-highest", by: "kind", order: ["-height", "tag"], values: 3, pages: 60 },
  { name: "opened", by: "opened", order: ["height"], values: 1, pages: 60 },
  { name: "opened-year", by: "opened", part: "year", values: 1, pages: 60 },
  { name: "tag", by: "tag", values: 4, pages: 60 },
];
type Values = readonly (readonly [value: ViewValue, records: number, segment?: string])[];
const KINDS: Values = [
  ["castle", 40_000],
  ["lake", 0],
  ["ruin", 20_000],
];
/** The values of each view; of one without values, its only folder. */
const VALUES: Readonly<Record<string, Values>> = {
  "-height": [["", 60_000, ""]],
  kind: KINDS,
  "kind-highest": KINDS,
  opened: [["1916-01-01", 60_000]],
  tag: [
    ["5", 7],
    ["a/b", 59_000, "a~2Fb"],
    ["true", 1],
    [null, 900, "~null"],
  ],
};

/** The text of a file of views. */
function fileAt(path: string): string {
  if (path === "views.json") return JSON.stringify({ state: STATE, version: 1, views: VIEWS });
  const [, name = "", ending] = /^views\/(.+)\.(json|sha256)$/.exec(path) ?? [];
  const values = VALUES[name] ?? [];
  return ending === "json" ? JSON.stringify({ state: STATE, values }) : sumsOf(name, values);
}

/** The digests of all pages of a view. */
function sumsOf(name: string, values: Values): string {
  const folders = values.map(([value, records, segment = `${value}`]) => {
    const folder = segment === "" ? name : `${name}/${segment}`;
    const pages = Array.from({ length: Math.max(1, records / PAGE_SIZE) }, (_, at) => at + 1);
    return pages.map((page) => `${STATE}  ${folder}/pages/${page}.json\n`).join("");
  });
  return folders.join("");
}

/** A listing of 60,000 records. Kinds are facets; tags and times are not. */
function createListing() {
  const asked: string[] = [];
  const snapshot = {
    count: 60_000,
    pages: 60,
    page_size: PAGE_SIZE,
    encodings: [],
    links: "path",
    base_url: "http://a",
  };
  const readFile = async (path: string) => {
    asked.push(path);
    return new TextEncoder().encode(fileAt(path));
  };
  const view = { proof: "digests", state: STATE, path: "/", snapshot, readFile } as unknown as View;
  const facet = { path: "kind", names: ["kind"], values: [], more: 0 };
  const known = { view, snapshot, summary: { facets: [facet] }, loaded: [] } as unknown as ListingFacts;
  const scopeOf = (hash: string) =>
    viewedScope({ baseUrl: "http://a" } as Host, known, parseHash(hash) as ListPlace, new AbortController().signal);
  return { scopeOf, asked };
}

const FALLING = { path: "height", isDescending: true };
const RISING = { path: "height", isDescending: false };

test.each([
  ["#?", "/", { orders: [FALLING] }],
  ["#?desc=height", "/views/-height/", { order: FALLING, orders: [FALLING] }],
  ["#?sort=height", "/", { orders: [FALLING] }],
  ["#?kind=castle", "/views/kind/castle/", { by: "kind", orders: [FALLING] }],
  ["#?kind=castle&desc=height", "/views/kind-highest/castle/", { by: "kind", order: FALLING, orders: [FALLING] }],
  ["#?kind=castle&sort=height", "/views/kind/castle/", { by: "kind", orders: [FALLING] }],
  ["#?kind=castle&kind=ruin", "/", { orders: [] }],
  ["#?kind=castle&q=x", "/", { orders: [] }],
  ["#?q=x&desc=height", "/", { orders: [] }],
  // Few enough to load.
  ["#?kind=ruin&desc=height&q=x", "/views/kind/ruin/", { by: "kind", orders: [] }],
  ["#?kind=castle&tag=null", "/views/tag/~null/", { by: "tag", orders: [] }],
  ["#?tag=%225%22&kind=ruin&from.height=1", "/views/tag/5/", { by: "tag", orders: [] }],
  // Other types, and values that no record has, have no records.
  ["#?tag=5", "/", { by: "tag", count: 0, orders: [] }],
  ["#?tag=true", "/", { by: "tag", count: 0, orders: [] }],
  ["#?kind=lake", "/", { by: "kind", count: 0, orders: [] }],
  // Not a facet: found alone.
  ["#?tag=a/b", "/views/tag/a~2Fb/", { by: "tag", orders: [] }],
  ["#?tag=a/b&kind=castle", "/views/kind/castle/", { by: "kind", orders: [FALLING] }],
  ["#?tag=a/b&tag=null&desc=height", "/views/-height/", { order: FALLING, orders: [FALLING] }],
  // A view that only has an order, or a part of times.
  ["#?opened=1916-01-01", "/views/opened/1916-01-01/", { by: "opened", order: RISING, orders: [RISING] }],
  ["#?opened=1916-01-01&sort=height", "/views/opened/1916-01-01/", { by: "opened", order: RISING, orders: [RISING] }],
  ["#?opened=1916", "/", { by: "opened", count: 0, order: RISING, orders: [] }],
  ["#?other=1", "/", { orders: [FALLING] }],
])("%s is read from %s", async (hash, path, { by, order, orders, count }: Expected) => {
  const { view, ...scope } = await createListing().scopeOf(hash);
  expect(view.path).toBe(path);
  expect({ by: scope.by, order: scope.order, orders: scope.orders }).toEqual({ by, order, orders });
  if (count !== undefined) expect(view.snapshot).toMatchObject({ count, pages: 0 });
  expect(scope.fields).toEqual(["kind", "opened", "tag"]);
});

interface Expected {
  by?: string;
  order?: ListPlace["sort"];
  orders: readonly ListPlace["sort"][];
  count?: number;
}

test("a view stays open while its value is chosen, and its pages are those of the value alone", async () => {
  const { scopeOf, asked } = createListing();
  const alone = await scopeOf("#?kind=ruin");
  const sorted = await scopeOf("#?kind=ruin&sort=tag&page=3");
  expect(sorted.loaded).toBe(alone.loaded);
  expect(asked).toEqual(["views.json", "views/kind.json", "views/kind.sha256"]);
  expect(hasPagesOf(alone, parseHash("#?kind=ruin&page=7&column=tag") as ListPlace)).toBe(true);
  for (const hash of [
    "#?",
    "#?kind=ruin&q=a",
    "#?kind=ruin&tag=a",
    "#?kind=ruin&from.height=1",
    "#?kind=ruin&sort=tag",
  ])
    expect(hasPagesOf(alone, parseHash(hash) as ListPlace)).toBe(false);
});
