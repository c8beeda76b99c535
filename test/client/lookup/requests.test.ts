/** Requests of lookups: few files, each once, and none after all callers have aborted. */
import { expect, test } from "vitest";
import { type ListingError, openListing, SnapshotChangedError } from "../../../src/client/index.js";
import { seeded } from "../../support/random.js";
import { until } from "../../support/until.js";
import { BASE, Host, PATH, type Published, publish, publishAll } from "../published.js";
import { chosen, lookupOf, type Person, people, wordsOf } from "./people.js";

const PAGE = 5;
const RECORDS = people(seeded(20_261_124), 300).map((one, at) => ({ ...one, id: `id-${at}`, country: "DE" }));
const RARE = { ...(RECORDS[150] as Person), name: "Zoltán Quux", nickname: null };
RECORDS[150] = RARE;
const SIZE = 100;
const FILES = lookupOf(RECORDS, SIZE);
const RELEASE = publishAll({ pageSize: PAGE }, RECORDS, FILES);
const pageUrl = (page: number) => `${PATH}?format=api&page=${page}`;

function open(release: Published<Person> = RELEASE) {
  const host = new Host(release);
  const listing = openListing<Person>(BASE, { fetch: host.fetch, pausesMs: [1, 1] });
  /** What is asked for from now on. */
  const ask = () => {
    const from = host.log.length;
    return () => host.urls().slice(from);
  };
  return { host, listing, ask };
}

async function all<R>(walk: AsyncIterable<R>): Promise<R[]> {
  const found: R[] = [];
  for await (const one of walk) found.push(one);
  return found;
}

const isSorted = (url: string) => /\d\.txt$/.test(url);
const isPage = (url: string) => url.includes(PATH);

test("a key needs the index, one file and one page; an unknown key no page", async () => {
  for (const [key, pages] of [
    [RARE.id, [pageUrl(31)]],
    ["nobody", []],
  ] as const) {
    const { listing, ask } = open();
    await listing.snapshot();
    const asked = ask();
    await listing.get(key);
    expect(asked()[0]).toBe("/lookup/index.json");
    expect(asked()[1]).toMatch(/^\/lookup\/keys\/\d+\.txt$/);
    expect(asked().slice(2)).toEqual(pages);
  }
});

test("shares requests of parallel and following lookups", async () => {
  const { listing, host } = open();
  const keys = [0, 1, 2, 3, 150, 151].map((at) => `id-${at}`);
  const records = await Promise.all([...keys, ...keys].map((key) => listing.get(key)));
  expect(records).toEqual([...keys, ...keys].map((key) => RECORDS.find(({ id }) => id === key)));
  await all(listing.find("zoltan"));
  await all(listing.find("zoltan qu"));
  const urls = host.urls();
  expect(urls.filter((url, at) => urls.indexOf(url) !== at)).toEqual([]);
  expect(urls.slice(0, 3)).toEqual(["/snapshot.json", "/SHA256SUMS", "/lookup/index.json"]);
});

test("a rare word with a common one reads little of the long list", async () => {
  const { host, ask } = open();
  const asked = ask();
  // Everybody is of this country, in a list of several files.
  expect(await all(chosen({ fetch: host.fetch }, "quux", { country: "DE" }))).toEqual([RARE]);
  expect([...FILES.keys()].filter((path) => path.startsWith("explorer/facets")).length).toBeGreaterThan(3);
  expect(asked().filter((url) => url.startsWith("/explorer/facets")).length).toBeLessThan(3);
  expect(asked().filter(isPage)).toEqual([pageUrl(31)]);
});

test("reads only as many matches as are used, a few pages at a time", async () => {
  const { host, ask } = open();
  const asked = ask();
  const walk = chosen({ fetch: host.fetch }, "", { country: "DE" });
  for (const record of RECORDS.slice(0, 8)) expect((await walk.next()).value).toEqual(record);
  expect(asked().filter(isPage)).toEqual([pageUrl(1), pageUrl(2), pageUrl(3)]);
  expect(asked().filter(isSorted)).toEqual(["/explorer/facets/1.txt"].slice(0, asked().filter(isSorted).length));
  expect(await all(walk)).toEqual(RECORDS.slice(8));
  expect(host.mostAtOnce).toBeLessThanOrEqual(8);
  expect(asked().filter(isPage)).toEqual(Array.from({ length: RECORDS.length / PAGE }, (_, at) => pageUrl(at + 1)));
});

test("aborting ends only one's own pending requests", async () => {
  const { listing, host } = open();
  await listing.snapshot();
  const waits: ((error: unknown) => void)[] = [];
  host.fault = ({ url, init }) =>
    isSorted(url)
      ? new Promise((resolve, reject) => {
          waits.push(() => resolve(undefined));
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        })
      : undefined;
  const [one, other] = [new AbortController(), new AbortController()];
  const results = [one, other].map(({ signal }) => listing.get(RARE.id, { signal }));
  await until(() => waits.length === 1);
  one.abort(new Error("enough"));
  await expect(results[0]).rejects.toThrow("enough");
  const last = host.log.at(-1);
  expect(last?.init.signal?.aborted).toBe(false);
  waits[0]?.(undefined);
  expect(await results[1]).toEqual(RARE);

  const alone = new AbortController();
  const result = listing.get("id-7", { signal: alone.signal }).catch((error: unknown) => error);
  const walk = listing.find("ma", { signal: alone.signal });
  const next = walk.next().catch((error: unknown) => error);
  await until(() => waits.length > 1);
  alone.abort(new Error("enough"));
  expect([await result, await next]).toMatchObject([{ message: "enough" }, { message: "enough" }]);
  await until(() => host.atOnce === 0);
});

test("after an error, a search continues", async () => {
  const wanted = RECORDS.filter((one) => wordsOf(one).some((word) => word.startsWith("a")));
  const { listing, host } = open();
  let count = 0;
  // Every third request fails for good.
  host.fault = ({ url }) =>
    (isSorted(url) || isPage(url)) && ++count % 3 === 0 ? new Response(null, { status: 404 }) : undefined;
  const retrying = openListing<Person>(BASE, { fetch: host.fetch, pausesMs: [] });
  await listing.snapshot();
  const walk = retrying.find("a");
  const found: Person[] = [];
  for (let errors = 0; ; ) {
    try {
      const { done, value } = await walk.next();
      if (done) {
        expect(errors).toBeGreaterThan(3);
        break;
      }
      found.push(value);
    } catch (error) {
      expect(error).toMatchObject({ code: "status" });
      errors++;
    }
  }
  expect(found).toEqual(wanted);
});

test("a switch is reported, and the next call reads the new snapshot", async () => {
  const others = RECORDS.map((one) => ({ ...one, country: "AT" }));
  const next = publishAll({ pageSize: PAGE, version: "b" }, others, lookupOf(others, SIZE));
  const requests = async (fault: (at: number, host: Host<Person>) => void) => {
    const { host, listing } = open();
    host.fault = () => void fault(host.log.length, host);
    const found: Person[] = [];
    let error: unknown;
    try {
      for await (const one of listing.find("ma")) found.push(one);
    } catch (thrown) {
      error = thrown;
    }
    return { host, listing, found, error };
  };
  const { host: still } = await requests(() => {});
  for (let at = 1; at < still.log.length; at++) {
    const { listing, found, error } = await requests((asked, host) => {
      if (asked > at) host.release = next;
    });
    expect(new Set(found.map(({ country }) => country)).size).toBeLessThan(2);
    if (error) expect(error).toBeInstanceOf(SnapshotChangedError);
    expect((await all(listing.find("ma")))[0]).toMatchObject({ country: "AT" });
    expect(await listing.get(RARE.id)).toEqual({ ...RARE, country: "AT" });
  }
});

test("a word longer than a term costs few requests if there is no match", async () => {
  const long = "x".repeat(48);
  const records = people(seeded(20_261_124), 300).map((one, at) => ({
    ...one,
    id: `id-${at}`,
    name: `${long}y`,
    country: "DE",
  }));
  const { listing, host } = open(publishAll({ pageSize: PAGE }, records, lookupOf(records, SIZE)));
  await expect(all(listing.find(`${long}z`))).rejects.toMatchObject({ code: "usage" });
  expect(host.log.length).toBeLessThanOrEqual(10);
  expect(await all(listing.find(`${long}y`))).toHaveLength(300);
});

test("get finds a key among many that begin with it and the highest code point", async () => {
  const records = people(seeded(1), 20).map((one, at) => ({ ...one, id: at === 19 ? "a" : `a\u{10ffff}${at}` }));
  const { listing } = open(publishAll({ pageSize: PAGE }, records, lookupOf(records, SIZE)));
  for (const record of records) expect(await listing.get(record.id)).toEqual(record);
  expect(await listing.get("b")).toBeUndefined();
});

test("a text without words sends no request", async () => {
  const { listing, ask } = open();
  await listing.snapshot();
  const asked = ask();
  expect(await all(listing.find(""))).toEqual([]);
  expect(asked()).toEqual([]);
  expect(await all(listing.find(" ?! "))).toEqual([]);
});

test("the error for a release without lookup names the flag", async () => {
  const host = new Host(publish());
  const listing = openListing(BASE, { fetch: host.fetch });
  const failed = async (promise: Promise<unknown>) =>
    promise.catch((error: ListingError) => [error.code, error.message]);
  expect(await failed(listing.get(1))).toEqual(["usage", `${BASE} has no lookup; build with --lookup.`]);
  expect(await failed(listing.find("a").next())).toEqual(["usage", `${BASE} has no lookup; build with --lookup.`]);
});
