/** openapi.json depends only on the contract and the release, and its examples and schemas are valid. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApiDescription } from "../../../../src/build/artifacts/openapi/described.js";
import { describeApi, OPTIONAL_FILES } from "../../../../src/build/artifacts/openapi/openapi.js";
import { type Contract, contractOf } from "../../../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { STATIONS, STATIONS_CONTRACT, stationsAt } from "../../../support/stations.js";
import { reading } from "./described.js";

const PLAIN: ApiDescription = { baseUrl: "https://directory.example.com", links: "query", encodings: [], files: [] };
const FULL: ApiDescription = { ...PLAIN, encodings: ["br", "gzip"], files: OPTIONAL_FILES };
const CASES = new URL("../../../cases", import.meta.url).pathname;

describe("the text", () => {
  test("depends only on the contract and on each setting", () => {
    const others: [Contract, ApiDescription][] = [
      [USERS_CONTRACT, PLAIN],
      [USERS_CONTRACT, { ...PLAIN, baseUrl: "https://directory.example.com/people" }],
      [USERS_CONTRACT, { ...PLAIN, links: "path" }],
      [USERS_CONTRACT, { ...PLAIN, encodings: ["gzip"] }],
      [USERS_CONTRACT, { ...PLAIN, encodings: ["br", "gzip"] }],
      ...OPTIONAL_FILES.map((path): [Contract, ApiDescription] => [USERS_CONTRACT, { ...PLAIN, files: [path] }]),
      [STATIONS_CONTRACT, PLAIN],
    ];
    const texts = others.map((given) => describeApi(...given));
    expect(new Set(texts).size).toBe(texts.length);
    expect(others.map((given) => describeApi(...given))).toEqual(texts);
    expect(describeApi(USERS_CONTRACT, { ...PLAIN, files: ["other.txt"] })).toBe(texts[0]);
    for (const text of texts) expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  test("of the sample data with an explorer has at most 45 kB", () => {
    const files = ["avatar.svg", "lookup/index.json", "index.html"];
    expect(describeApi(USERS_CONTRACT, { ...PLAIN, files }).length).toBeLessThanOrEqual(45_000);
  });

  test("of a listing at the base URL itself has pages there", () => {
    const pathsOf = (contract: Contract) => Object.entries(reading(describeApi(contract, FULL)).document.paths);
    const here = pathsOf(stationsAt("/")).map(([path, { get }]) => [path, get.operationId]);
    expect(here.slice(0, 2)).toEqual([
      ["/", "getPage"],
      ["/pages/{page}.json", "getPageByPath"],
    ]);
    expect(here.every(([path = ""]) => path.startsWith("/"))).toBe(true);
    expect(here).toHaveLength(pathsOf(STATIONS_CONTRACT).length);
  });

  test("has publisher, licence and contact of the contract", () => {
    const describe = (listing: object) => {
      const contract = contractOf({ ...STATIONS, "x-listing": { ...STATIONS["x-listing"], ...listing } });
      const { info, externalDocs } = JSON.parse(describeApi(contract, PLAIN));
      return { ...info, externalDocs };
    };
    const [license, contact, source] = ["https://a.example/terms", "https://a.example/ask", "https://a.example/data"];
    expect(describe({ description: "Since 1950.", publisher: "The service", license, contact, source })).toEqual({
      ...{
        title: "Stations",
        version: "1",
        description: expect.stringMatching(/^Since 1950\.\n\nA weather station\./),
      },
      contact: { name: "The service", url: contact },
      license: { name: "The publisher's terms", url: license },
      externalDocs: { description: "Where the data comes from", url: source },
    });
  });

  test("says once that schemas allow additional fields, and forbids them nowhere", () => {
    const text = describeApi(USERS_CONTRACT, FULL);
    expect(text.match(/additional fields/g)).toHaveLength(1);
    expect(text).not.toContain('"additionalProperties": false');
    expect(text).not.toContain('"x-');
  });
});

test("has the contract's examples, without invalid ones, and no others", () => {
  const code = { type: "string", pattern: "^[A-Z]{4}$", examples: ["no", "KLAX"] } as const;
  const contract = contractOf({ ...STATIONS, properties: { ...STATIONS.properties, code } });
  const { components } = reading(describeApi(contract, PLAIN)).document;
  expect(components["schemas"]?.["Station"]?.["properties"]?.["code"]?.["examples"]).toEqual(["KLAX"]);
  expect(describeApi(contract, PLAIN).match(/"examples"/g)).toHaveLength(1);
});

describe("schemas", () => {
  const { schema, record } = reading(describeApi(USERS_CONTRACT, { ...PLAIN, files: ["avatar.svg"] }));
  const names = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, "expected/api/users")));
  const takes = (schemaName: string, value: unknown) => {
    const validate = schema(schemaName);
    expect(validate(value) || validate.errors).toBe(true);
  };

  test.each(names)("%s: snapshot.json and pages match", (name) => {
    const read = (path: string) => JSON.parse(readFileSync(join(CASES, name, "expected", path), "utf8"));
    takes("Snapshot", read("snapshot.json"));
    for (const page of readdirSync(join(CASES, name, "expected/api/users/pages"))) {
      if (page.endsWith(".json")) takes("Page", read(`api/users/pages/${page}`));
    }
  });

  test("accept additional fields at any depth, and no other change", () => {
    const page = readFileSync(join(CASES, "one-page/expected/api/users/pages/1.json"), "utf8");
    const [user] = JSON.parse(page).results;
    const takes = schema(record);
    expect(takes({ ...user, further: 1, off_chain: { ...user.off_chain, further: [] } })).toBe(true);
    expect(takes({ ...user, country: "Germany" })).toBe(false);
    expect(takes({ ...user, referrals_count: 2 ** 53 })).toBe(false);
    expect(takes({ ...user, off_chain: {} })).toBe(false);
  });
});

test.each([
  ["Weather station", "WeatherStation"],
  ["Page", "Station"],
  ["Größe", "Station"],
  ["Error", "Station"],
])("a record titled %s has the component name %s", (title, name) => {
  const contract = contractOf({ ...STATIONS, title });
  expect(reading(describeApi(contract, PLAIN)).record).toBe(name);
});

test.each(["Lookup", "Changes"])("a record titled %s gets another name if a file's schema has that name", (title) => {
  const contract = contractOf({ ...STATIONS, title });
  expect(reading(describeApi(contract, PLAIN)).record).toBe(title);
  expect(reading(describeApi(contract, FULL)).record).toBe("Station");
});

test("a record without an ASCII name is called Record", () => {
  const contract = contractOf({
    ...STATIONS,
    title: "Größe",
    "x-listing": { ...STATIONS["x-listing"], words: ["été", "étés"] },
  });
  expect(reading(describeApi(contract, PLAIN)).record).toBe("Record");
});
