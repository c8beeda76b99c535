/** The content of index.html, for users and for other contracts. */
import { describe, expect, test } from "vitest";
import { type AnyRecord, contractOf } from "../../src/core/contract/contract.js";
import type { FieldSchema } from "../../src/core/contract/file/form.js";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { explorerAssets } from "../../src/explorer/html.js";
import { headingOf, meaningOf } from "../../src/explorer/meaning.js";
import { contractWith } from "../support/contracts.js";
import { person } from "../support/diffs.js";
import { STATIONS, STATIONS_CONTRACT, stations } from "../support/stations.js";
import { hostileCollection, pageOf, TEXTS } from "./collection.js";

const users = (count: number): AnyRecord[] =>
  Array.from({ length: count }, (_, at) => {
    const date_joined = `2026-11-${20 - (at % 9)}T12:00:00.000000Z`;
    return person(at, { referrals_count: (at * at) % 70, date_joined }) as unknown as AnyRecord;
  });
const observed = (count: number): AnyRecord[] => stations(count).map(({ record }): AnyRecord => record);

test("the script for views is in releases that have views, or that others refer to by views", () => {
  const assets = (files: readonly string[], view: { view?: string } = {}) => {
    const referrer = { from: "orders", path: "customer_id", words: ["order", "orders"], ...view } as const;
    return explorerAssets({ files, referrers: [referrer] }).map(([path]) => path);
  };
  const scripts = assets(["views.json"]);
  expect(scripts).toContain("explorer/views.js");
  expect(assets([], { view: "customer_id" })).toEqual(scripts);
  expect(assets([])).toEqual(scripts.filter((path) => path !== "explorer/views.js"));
});

test("shows the host, the number of records, their times and their description", async () => {
  const page = await pageOf(USERS_CONTRACT, users(1204));
  expect(page).toContain('<p class="product">https://people.example.org/directory</p>');
  expect(page).toContain("<h1>Users</h1>");
  expect(page).toContain(`<p class="lead">${USERS_CONTRACT.file.description?.replace("'", "&#39;")}</p>`);
  expect(page).toMatch(/<p class="since">1,204 users · Date joined: <time datetime="(\d{4}-\d\d-\d\d)">\1<\/time> to /);
  expect(await pageOf(USERS_CONTRACT, users(1))).toMatch(
    /<p class="since">1 user · Date joined: <time datetime="[\d-]+">[\d-]+<\/time><\/p>/,
  );
  expect(page).toContain("<title>Users at people.example.org</title>");
});

test("describes each field in the contract's words", async () => {
  const page = await pageOf(USERS_CONTRACT, users(3));
  const plain = page.replaceAll("<wbr>", "");
  for (const { path } of USERS_CONTRACT.fields) expect(plain).toContain(`<code class="path">${path}</code>`);
  expect(page).toContain("<p>UTC, always with six fraction digits and Z.</p>");
  expect(page).toContain("Whole number from 0.");
});

test("is headed by the listing's title, with links only for URLs and e-mail addresses", async () => {
  expect(await pageOf(STATIONS_CONTRACT, [])).not.toContain("Publisher");
  const listing = {
    ...{ title: "<b>Weather</b>", description: "All\nstations.", publisher: "https://a.example/" },
    ...{ license: "CC-BY-4.0", source: "https://a.example/?a&b", contact: "data@a.example" },
  };
  const contract = contractOf({ ...STATIONS, "x-listing": { ...STATIONS["x-listing"], ...listing } });
  const page = await pageOf(contract, []);
  expect(page).toContain("<h1>&lt;b&gt;Weather&lt;/b&gt;</h1>");
  expect(page).toContain('<p class="lead">All stations.</p>');
  for (const [name, shown] of [
    ["Publisher", "https://a.example/"],
    ["License", "CC-BY-4.0"],
    ["Source", '<a href="https://a.example/?a&amp;b" rel="noreferrer">https://a.example/?a&amp;b</a>'],
    ["Contact", '<a href="mailto:data@a.example" rel="noreferrer">data@a.example</a>'],
  ])
    expect(page).toContain(`${name}: ${shown}`);
});

test("links exactly the files that the release has", async () => {
  const links = (page: string) => [...page.matchAll(/<a href="\.\/([^"]+)"/g)].map(([, path]) => path);
  const usual = [
    ...["api/users/pages/1.json", "snapshot.json", "openapi.json", "contract.json", "lookup/index.json"],
    ...["bulk.json", "records.csv.gz", "records.parquet", "datapackage.json", "changes.json", "feed.xml"],
    ...["SHA256SUMS", "SHA256SUMS.minisig"],
  ];
  const all = await pageOf(USERS_CONTRACT, users(3), {
    files: [
      ...["bulk.json", "records.csv.gz", "records.parquet", "datapackage.json", "changes.json", "feed.xml"],
      "SHA256SUMS.minisig",
    ],
  });
  // People find the download at the top, too.
  expect(links(all)).toEqual(["records.csv.gz", ...usual]);
  const few = await pageOf(USERS_CONTRACT, users(3), { files: [] });
  expect(links(few)).toEqual(usual.filter((path) => !/bulk|csv|parquet|package|changes|feed|minisig/.test(path)));
});

test("has noindex, runs only its own script, and uses only relative URLs", async () => {
  const page = await pageOf(USERS_CONTRACT, users(3));
  expect(page).toContain('<meta name="robots" content="noindex">');
  const [, policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
  expect(policy.replaceAll("&#39;", "'").split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  const urls = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = ""]) => url);
  expect(urls.filter((url) => !/^(?:#|\.\/|explorer\/)/.test(url))).toEqual([]);
  expect([...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    '<script type="module" src="explorer/app.js">',
    '<script type="application/json" id="facts">',
  ]);
  expect(page).not.toMatch(/ style=| on[a-z]+=/);
});

describe("figures", () => {
  const figures = (page: string) => [...page.matchAll(/<figure id="([^"]+)">/g)].map(([, id]) => id);
  const ofNumbers = (page: string) =>
    [...page.matchAll(/<h3 id="number\d+-title">([^<]+)</g)].map(([, title]) => title);
  const POSITION = ["Position latitude", "Position longitude"];

  test("show the counts as tables, and below charts", async () => {
    const records = observed(200).map((record, at) => ({ ...record, readings: at % 9 }));
    const page = await pageOf(STATIONS_CONTRACT, records);
    expect(figures(page)).toEqual(["times", "facet1", "facet2", "number1", "number2", "number3"]);
    // Fields of decimals are shown, too, in the order of the contract.
    expect(ofNumbers(page)).toEqual([...POSITION, "Readings"]);
    // Charts have a table that is closed at first.
    expect(page.match(/<table>/g)).toHaveLength(6);
    expect(page.match(/<details>/g)).toHaveLength(4);
    expect(page).toContain(
      '<th scope="row">AT</th><td class="number">50<meter max="200" value="50" aria-hidden="true"></meter></td><td>25 %</td>',
    );
    expect(page).toContain('<h3 id="facet1-title">Country</h3>');
  });

  test("are not shown for no records, one value, or unique values", async () => {
    expect(figures(await pageOf(USERS_CONTRACT, []))).toEqual([]);
    expect(figures(await pageOf(USERS_CONTRACT, users(1)))).toEqual([]);
    const { file } = STATIONS_CONTRACT;
    const { name, ...others } = file.properties;
    const named = contractOf({ ...file, properties: { ...others, name: { ...name, "x-facet": true } } });
    const unlike = observed(200).map((record, at) => ({ ...record, name: `Station ${at}`, country: "AT" }));
    expect(await pageOf(named, unlike)).not.toContain(">Name</h3>");
  });

  test("are not shown for keys, unique integers and times", async () => {
    expect(ofNumbers(await pageOf(STATIONS_CONTRACT, observed(200)))).toEqual(POSITION);
    const { file } = STATIONS_CONTRACT;
    const { readings, ...others } = file.properties;
    for (const [name, first, isDrawn] of [
      ["owner_id", 0, false],
      ["seen_at", 1_700_000_000, false],
      ["seenAt", 1_700_000_000_000, false],
      ["seen_at", 0, true],
      ["population", 1_700_000_000, true],
    ] as const) {
      const properties = { ...others, [name]: { type: "integer" } } as const;
      const renamed = contractOf({ ...file, properties, required: Object.keys(properties) });
      const records = observed(200).map(({ readings: _, ...record }, at) => ({ ...record, [name]: first + (at % 9) }));
      const shown = ofNumbers(await pageOf(renamed, records));
      expect([name, shown]).toEqual([
        name,
        isDrawn ? [...POSITION, headingOf({ names: [name], schema: {} })] : POSITION,
      ]);
    }
  });

  test("show an integer time field as times", async () => {
    const { file } = STATIONS_CONTRACT;
    const properties = { ...file.properties, created_at: { type: "integer" } } as const;
    const listing = { ...file["x-listing"], order: ["created_at", "code"] };
    const timed = contractOf({ ...file, "x-listing": listing, properties, required: Object.keys(properties) });
    const records = observed(200).map((record, at) => ({ ...record, created_at: 1_700_000_000 + at * 86_400 }));
    const page = await pageOf(timed, records);
    expect(figures(page)).toContain("times");
    expect(page).toContain('Created at: <time datetime="2023-11-14">2023-11-14</time> to ');
  });

  test("are at most a dozen of each kind", async () => {
    const fields = (prefix: string, schema: FieldSchema) =>
      Object.fromEntries(Array.from({ length: 400 }, (_, at): [string, FieldSchema] => [`${prefix}${at}`, schema]));
    const properties: Record<string, FieldSchema> = {
      key: { type: "integer" },
      ...fields("flag", { type: "boolean" }),
      ...fields("size", { type: "integer" }),
    };
    const wide = contractOf(contractWith(["thing", "things"], properties, { path: "/t/", key: "key" }));
    const given = (name: string, key: number) => (name.startsWith("flag") ? key > 0 : key % 2);
    const records = [0, 1, 2].map((key) => ({
      ...Object.fromEntries(Object.keys(properties).map((name) => [name, given(name, key)])),
      key,
    }));
    const page = await pageOf(wide, records);
    expect(figures(page)).toHaveLength(24);
  });
});

test("hostile text stays text", async () => {
  const { contract, records } = hostileCollection();
  const page = await pageOf(contract, records, { baseUrl: "https://evil.example/%22%3E%3Csvg" });
  for (const text of TEXTS.filter((each) => /[<"]/.test(each))) expect(page).not.toContain(text);
  expect(page).not.toMatch(/[\u202e\u2028\u2029\u200b\ufeff]/);
});

test.each<[FieldSchema, string]>([
  [{ type: "string" }, "Text"],
  [{ type: ["string", "null"], format: "date-time" }, "Time, or nothing (null)"],
  [{ type: "string", minLength: 2, maxLength: 4 }, "Text of 2 to 4 characters"],
  [{ type: "string", maxLength: 9 }, "Text of at most 9 characters"],
  [{ type: "integer", minimum: 0 }, "Whole number from 0"],
  [{ type: "number", minimum: -90, maximum: 90 }, "Number from -90 to 90"],
  [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 10 }, "Whole number above 0 below 10"],
  [{ type: "boolean" }, "True or false"],
  [{ enum: ["a", "b", null] }, "One of a list of values, or nothing (null)"],
  [{ const: "fr" }, 'Always "fr"'],
  [{ anyOf: [{ const: "never" }, { type: "string", format: "date" }] }, '"never", or day'],
  [{ type: "array", items: { enum: ["temp", "wind"] } }, 'List of "temp", "wind"'],
  [{ type: "array", items: { type: "string" } }, "List, each item: text"],
  [{ "x-json": true }, "Any JSON value"],
])("%j is described as: %s", (schema, words) => {
  expect(meaningOf(schema).kind).toBe(words);
});

test.each<[readonly string[], FieldSchema, string]>([
  [["off_chain", "tokens"], {}, "Off chain tokens"],
  [["kyc_status"], {}, "KYC status"],
  [["image", "url"], {}, "Image URL"],
  [["owner_ids"], {}, "Owner IDs"],
  [["https"], {}, "HTTPS"],
  [["valid"], {}, "Valid"],
  [["iso2"], { title: "Country" }, "Country"],
  [["_"], {}, "_"],
])("%j with %j is headed %s", (names, schema, heading) => {
  expect(headingOf({ names, schema })).toBe(heading);
});
