/** A host without SHA256SUMS is read only if allowed, and its answers must be consistent. */
import { describe, expect, test } from "vitest";
import { openListing, SnapshotChangedError } from "../../src/client/index.js";

const BASE = "https://drf.example.com";
const PATH = "/api/users/";
const COUNT = 25;

interface Envelope {
  count: number;
  next: string | null;
  previous: string | null;
  results: unknown[];
}

/** As a framework writes it: page 1 has no number. */
function page(number: number): Envelope {
  const link = (to: number) => (to === 1 ? `${BASE}${PATH}?format=api` : `${BASE}${PATH}?format=api&page=${to}`);
  return {
    count: COUNT,
    next: number < 3 ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
    results: Array.from({ length: number < 3 ? 10 : 5 }, (_, at) => ({ id: (number - 1) * 10 + at + 1 })),
  };
}

type Change = (envelope: Envelope, number: number, asked: number) => unknown;

function host(change: Change = (envelope) => envelope, others: Record<string, string> = {}, path = PATH) {
  const log: string[] = [];
  const fetch = async (input: unknown): Promise<Response> => {
    const url = new URL(String(input));
    log.push(url.pathname + url.search);
    const other = others[url.pathname];
    if (other !== undefined) return new Response(other);
    const number = Number(url.searchParams.get("page") ?? 0);
    const isThere = url.pathname.endsWith(path) && number > 0;
    if (!isThere) return new Response("<h1>Not Found</h1>", { status: 404 });
    return Response.json(change(page(number), number, log.length));
  };
  return { log, fetch: fetch as typeof globalThis.fetch };
}

async function read(given: ReturnType<typeof host>, path?: string) {
  const listing = openListing<{ id: number }>(BASE, {
    ...{ fetch: given.fetch, pausesMs: [1], unproved: true, path },
  });
  const found: number[] = [];
  let error: unknown;
  try {
    for await (const { id } of listing.records()) found.push(id);
  } catch (thrown) {
    error = thrown;
  }
  return { listing, found, error };
}

const numbers = (to: number) => Array.from({ length: to }, (_, at) => at + 1);

test("is an error that says what to do, unless allowed", async () => {
  const { fetch } = host();
  const error = await openListing(BASE, { fetch })
    .snapshot()
    .catch((error) => error);
  expect(error).toMatchObject({ code: "unproved", url: `${BASE}/snapshot.json`, received: "404" });
  expect(error.message).toContain("{ unproved: true }");
});

test("is read if allowed, and its proof says so", async () => {
  const given = host();
  const { listing, found } = await read(given);
  expect(found).toEqual(numbers(COUNT));
  expect(listing.proof).toBe("none");
  expect(await listing.snapshot()).toMatchObject({ count: COUNT, pages: 3, page_size: 10, base_url: BASE });
});

test("is never read unverified if a key is given", async () => {
  const { fetch } = host();
  const publicKey = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
  const error = await openListing(BASE, { fetch, publicKey, unproved: true, pausesMs: [] })
    .snapshot()
    .catch((error) => error);
  expect(error).toMatchObject({ code: "signature" });
  expect(error.message).not.toContain("unproved: true");
});

test("is read by the given path, or that of contract.json", async () => {
  const contract = JSON.stringify({ "x-listing": { path: `/v2${PATH}` } });
  const links = (envelope: Envelope) => JSON.parse(JSON.stringify(envelope).replaceAll(PATH, `/v2${PATH}`));
  for (const [given, path] of [
    [host(links, { "/contract.json": contract }), undefined],
    [host(links), `/v2${PATH}`],
  ] as const) {
    expect((await read(given, path)).found).toEqual(numbers(COUNT));
    expect(given.log.at(-1)).toBe(`/v2${PATH}?format=api&page=1`);
  }
});

test.each([{}, { path: "/" }])(
  "is read at its base URL itself if contract.json has the listing %j",
  async (listing) => {
    const atBase = (envelope: Envelope) => JSON.parse(JSON.stringify(envelope).replaceAll(PATH, "/"));
    const given = host(atBase, { "/contract.json": JSON.stringify({ "x-listing": listing }) }, "/");
    expect((await read(given)).found).toEqual(numbers(COUNT));
    expect(given.log.at(-1)).toBe("/?format=api&page=1");
  },
);

describe("is refused with", () => {
  const at =
    (which: number, change: (envelope: Envelope) => unknown): Change =>
    (envelope, number) =>
      number === which ? change(envelope) : envelope;

  test.each<[what: string, change: Change, found: number]>([
    [
      "an endless next",
      (envelope, number) => ({ ...envelope, next: `${BASE}${PATH}?format=api&page=${number + 1}` }),
      20,
    ],
    ["a next to another origin", at(1, (one) => ({ ...one, next: `https://evil.example${PATH}?page=2` })), 0],
    ["a next to another scheme", at(2, (one) => ({ ...one, next: `http://drf.example.com${PATH}?page=3` })), 10],
    ["a next to another path", at(2, (one) => ({ ...one, next: `${BASE}/api/admins/?page=3` })), 10],
    ["a next that is this page", at(2, (one) => ({ ...one, next: `${BASE}${PATH}?page=2` })), 10],
    ["a next that leaves a page out", at(1, (one) => ({ ...one, next: `${BASE}${PATH}?page=3` })), 0],
    ["a next with two pages", at(1, (one) => ({ ...one, next: `${BASE}${PATH}?page=2&page=3` })), 0],
    ["a next that is no URL", at(2, (one) => ({ ...one, next: "javascript:alert(1)" })), 10],
    ["a next that is true", at(2, (one) => ({ ...one, next: true })), 10],
    ["an end too early", at(2, (one) => ({ ...one, next: null })), 10],
    ["a previous that is another page", at(3, (one) => ({ ...one, previous: `${BASE}${PATH}?page=1` })), 20],
    ["another count", at(2, (one) => ({ ...one, count: 26 })), 10],
    ["a count that contradicts page 1", at(1, (one) => ({ ...one, count: 9 })), 0],
    ["a count that is text", at(1, (one) => ({ ...one, count: "25" })), 0],
    ["a count below 0", at(1, (one) => ({ ...one, count: -1 })), 0],
    ["a count beyond all", at(1, (one) => ({ ...one, count: 1e15 })), 0],
    ["fewer results", at(2, (one) => ({ ...one, results: one.results.slice(1) })), 10],
    ["results that are no objects", at(2, (one) => ({ ...one, results: one.results.map(() => 1) })), 10],
    ["results that are no list", at(2, (one) => ({ ...one, results: { length: 10 } })), 10],
    ["too many results", at(1, (one) => ({ ...one, count: 2000, results: Array(1500).fill({}) })), 0],
    ["a list", at(2, () => []), 10],
  ])("%s", async (_, change, records) => {
    const given = host(change);
    const { found, error } = await read(given);
    expect(error).toMatchObject({ name: "ListingError", code: "malformed" });
    expect(found).toEqual(numbers(records));
    expect(given.log.every((path) => /^\/(snapshot|contract)\.json$|^\/api\/users\//.test(path))).toBe(true);
  });
});

test("that changes meanwhile is reported at the end, by page 1", async () => {
  const { found, error } = await read(
    host((envelope, number, asked) => (number === 1 && asked > 4 ? { ...envelope, count: 24 } : envelope)),
  );
  expect(found).toEqual(numbers(COUNT));
  expect(error).toBeInstanceOf(SnapshotChangedError);
  expect(error).toMatchObject({ position: { page: 3, index: 5 }, from: { count: 25 }, to: { count: 24 } });
});

test("without records is read", async () => {
  const none = { count: 0, next: null, previous: null, results: [] };
  expect(await read(host(() => none))).toMatchObject({ found: [], error: undefined });
});
