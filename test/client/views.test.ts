/** The client reads views, verified by digests that SHA256SUMS covers. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openListing } from "../../src/client/index.js";
import { build } from "../../src/index.js";
import { openRoutes } from "../../src/serve/routes.js";
import { createStore } from "../../src/serve/store.js";
import { scratch } from "../support/files.js";
import { PLACE_VIEWS, PLACES, type Place, places, writePlaces } from "../support/places.js";

const BASE_URL = "https://data.example.com";

/** A host in memory: a `fetch`, which counts requests, and the function that publishes rows. */
function createHost() {
  const folder = scratch();
  const asked: string[] = [];
  let answer: Awaited<ReturnType<typeof openRoutes>>["answer"] | undefined;
  const show = async (release: string) => {
    const more = { cacheControl: "public", downloads: { running: 0, most: 1 }, log: () => {} };
    const routes = await openRoutes(
      release,
      { ...more, store: createStore(1, () => {}) },
      new AbortController().signal,
    );
    answer = routes.answer;
  };
  const publish = async (rows: readonly Place[]) => {
    const db = writePlaces(join(folder, "places.sqlite"), rows);
    const options = { db, table: "places", contract: PLACES, baseUrl: BASE_URL, dist: join(folder, "dist") };
    const { folder: release } = await build({ ...options, pageSize: 10, workers: 0, views: PLACE_VIEWS });
    await show(release);
    return release;
  };
  const fetch = async (input: string | URL | Request) => {
    const { pathname, search } = new URL(String(input));
    asked.push(pathname + search);
    const found = answer?.({ method: "GET", target: pathname + search, headers: {} });
    const body = Uint8Array.from(found?.body ?? []);
    return new Response(body, { status: found?.head.status ?? 500 });
  };
  const listing = () => openListing<Place>(BASE_URL, { fetch, pausesMs: [0] });
  return { publish, listing, asked, fetch };
}

async function idsOf(records: AsyncIterable<Place>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of records) ids.push(id);
  return ids;
}

test("reads the records of a value, in order, and all in another order", async () => {
  const host = createHost();
  const rows = places(230, ["de", "DE", "a b", null]);
  await host.publish(rows);
  const listing = host.listing();
  expect(await listing.views()).toContainEqual({
    name: "tag",
    by: "tag",
    part: undefined,
    order: undefined,
    values: 4,
    pages: 24,
  });
  expect(await listing.values("tag")).toEqual([
    ["DE", 58],
    ["a b", 57],
    ["de", 58],
    [null, 57],
  ]);
  for (const tag of ["de", "a b", null]) {
    const own = rows.filter((row) => row.tag === tag).map(({ id }) => id);
    expect(await idsOf(listing.view("tag", tag).records())).toEqual(own);
    expect(await listing.view("tag", tag).count()).toBe(own.length);
  }
  expect(await idsOf(listing.view("size", 11).records())).toEqual(await idsOf(listing.view("size", "11").records()));
  const heights: (number | null)[] = [];
  for await (const { height } of listing.view("-height").records()) heights.push(height);
  expect(heights).toHaveLength(230);
  const known = heights.filter((height) => height !== null);
  expect(known).toEqual(known.toSorted((one, other) => other - one));
  expect((await listing.view("tag", "DE").page(6)).results).toHaveLength(8);
});

test("null and the text null are two values", async () => {
  const host = createHost();
  const rows = places(5, ["null", null]);
  await host.publish(rows);
  const listing = host.listing();
  for (const tag of ["null", null]) {
    const own = rows.filter((row) => row.tag === tag).map(({ id }) => id);
    expect(await idsOf(listing.view("tag", tag).records())).toEqual(own);
  }
});

test("a value that no record has has no pages, and needs no request", async () => {
  const host = createHost();
  await host.publish(places(30, ["de"]));
  const view = host.listing().view("tag", "fr");
  expect(await view.count()).toBe(0);
  const before = host.asked.length;
  expect(await view.count()).toBe(0);
  expect(host.asked.length).toBe(before);
  expect(await idsOf(view.records())).toEqual([]);
  await expect(view.page(1)).rejects.toMatchObject({ code: "usage" });
});

test("names of views and values are checked", async () => {
  const host = createHost();
  await host.publish(places(30, ["de"]));
  const listing = host.listing();
  await expect(listing.view("kind").count()).rejects.toThrow(
    "has no view by kind: -height, kind-highest, month, open, size, tag, topics.",
  );
  await expect(listing.view("tag").count()).rejects.toThrow("needs a value of tag for the view tag");
  await expect(listing.view("-height", 5).count()).rejects.toThrow("has the view -height, which has no values");
  await expect(listing.values("-height")).rejects.toMatchObject({ code: "usage" });
});

test("a walk ends with an error when its value vanishes, and its position is of its view alone", async () => {
  const host = createHost();
  await host.publish(places(230, ["de", "fr"]));
  const listing = openListing<Place>(BASE_URL, { fetch: host.fetch, pausesMs: [0], concurrency: 1 });
  const walk = listing.view("tag", "fr").records();
  for (let at = 0; at < 15; at++) await walk.next();
  const { position } = walk;
  expect(position).toMatchObject({ page: 2, index: 5, view: "tag=fr" });
  const other = listing.view("tag", "de").records({ after: position });
  await expect(other.next()).rejects.toMatchObject({ code: "usage" });
  await expect(listing.records({ after: position }).next()).rejects.toMatchObject({ code: "usage" });
  expect((await listing.view("tag", "fr").records({ after: position }).next()).value?.id).toBe(32);
  await host.publish(places(230, ["de"]));
  await expect(idsOf(walk)).rejects.toMatchObject({ code: "changed" });
  expect(await listing.view("tag", "fr").count()).toBe(0);
});

test("other bytes of a page are refused, with the page's URL", async () => {
  const host = createHost();
  const release = await host.publish(places(230, ["de", "DE"]));
  cpSync(join(release, "views/tag/DE/pages/1.json"), join(release, "views/tag/de/pages/1.json"), { force: true });
  const listing = host.listing();
  await expect(idsOf(listing.view("tag", "de").records())).rejects.toThrow(`${BASE_URL}/views/tag/de/`);
});

test.each(["views.json", "views/tag.json", "views/tag.sha256"])("another %s is refused by name", async (file) => {
  const host = createHost();
  await host.publish(places(230, ["de", "DE"]));
  const listing = openListing<Place>(BASE_URL, {
    pausesMs: [0],
    fetch: async (url) => {
      const response = await host.fetch(url);
      if (!String(url).includes(`/${file}`)) return response;
      return new Response(`${await response.text()} `, { status: 200 });
    },
  });
  await expect(listing.view("tag", "de").page(1)).rejects.toMatchObject({
    code: "mismatch",
    url: `${BASE_URL}/${file}`,
  });
});
