/** openapi.json depends only on the contract and the release, and its examples and schemas are valid. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiDescription } from "../../../src/artifacts/openapi/described.js";
import { sampleOf } from "../../../src/artifacts/openapi/examples.js";
import { describeApi, OPTIONAL_FILES } from "../../../src/artifacts/openapi/openapi.js";
import { type Contract, contractOf, USERS_CONTRACT } from "../../../src/contract/contract.js";
import { checkContract } from "../../../src/contract/file/parse.js";
import { recordCheck } from "../../../src/contract/record/schema.js";
import { sha256 } from "../../../src/release/plain-files.js";
import { anyTable } from "../../contract/random.js";
import { FOREIGN } from "../../support/foreign.js";
import { draws } from "../../support/random.js";
import { STATIONS, STATIONS_CONTRACT, stationsAt } from "../../support/stations.js";
import { reading } from "./described.js";

const PLAIN: ApiDescription = { baseUrl: "https://directory.example.com", links: "query", encodings: [], files: [] };
const FULL: ApiDescription = { ...PLAIN, encodings: ["br", "gzip"], files: OPTIONAL_FILES };
const CASES = new URL("../../cases", import.meta.url).pathname;

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

  test("changes its digest with every word: then update FORMS and the digest here", () => {
    const files = [[], ["bulk.json", "changes.json"], ["lookup/index.json"], OPTIONAL_FILES];
    const text = files
      .flatMap((files) => [PLAIN, { ...FULL, files }, { ...FULL, files, links: "path" } as const])
      .flatMap((described) => [describeApi(USERS_CONTRACT, described), describeApi(STATIONS_CONTRACT, described)])
      .join("");
    expect([new Set(text.match(/(?<="x-form": )\d+/g)), sha256(text)]).toEqual([new Set(["1", "2", "3"]), DIGEST]);
  });

  test("of a listing at the base URL itself has pages there, and the explorer by its file name", () => {
    const pathsOf = (contract: Contract) => Object.entries(reading(describeApi(contract, FULL)).document.paths);
    const here = pathsOf(stationsAt("/")).map(([path, { get }]) => [path, get.operationId]);
    expect(here.slice(0, 2)).toEqual([
      ["/", "getPage"],
      ["/pages/{page}.json", "getPageByPath"],
    ]);
    expect(here).toContainEqual(["/index.html", "getExplorerFile"]);
    expect(here.every(([path = ""]) => path.startsWith("/"))).toBe(true);
    // All but the redirect of a missing slash, and the explorer's other URL.
    expect(here).toHaveLength(pathsOf(STATIONS_CONTRACT).length - 2);
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
      ...{ contact: { name: "The service", url: contact }, license: { name: "The publisher's terms", url: license } },
      externalDocs: { description: "Where the data comes from", url: source },
    });
  });

  test("says once that schemas allow additional fields, and forbids them nowhere", () => {
    const text = describeApi(USERS_CONTRACT, FULL);
    expect(text.match(/additional fields/g)).toHaveLength(1);
    expect(text).not.toContain('"additionalProperties": false');
    expect(text.match(/"x-[a-z-]+":/g)).toEqual(['"x-listing":', '"x-form":']);
  });
});

const DIGEST = "3b0990b7dd33e95335b87e23677d01d26e4a2e71fa0ba02522e90f8498a6a164";

describe("examples", () => {
  const contracts = [USERS_CONTRACT, STATIONS_CONTRACT, ...FOREIGN.map(({ contract }) => contractOf(contract))];

  test.each(contracts)("$listing.path: the example page and record are valid", (contract) => {
    const { example, record, schema } = reading(describeApi(contract, PLAIN));
    expect(schema("Page")(example)).toBe(true);
    const [first] = (example as { results: unknown[] }).results;
    expect(schema(record)(first)).toBe(true);
    expect(recordCheck(contract)(first)).toEqual([]);
  });

  test("prefers the contract's examples, and omits invalid ones", () => {
    const code = { type: "string", pattern: "^[A-Z]{4}$", examples: ["no", "KLAX"] } as const;
    const contract = contractOf({ ...STATIONS, properties: { ...STATIONS.properties, code } });
    const { example, document } = reading(describeApi(contract, PLAIN));
    expect(example).toMatchObject({ results: [{ code: "KLAX" }] });
    expect(document.components["schemas"]?.["Station"]?.["properties"]?.["code"]?.["examples"]).toEqual(["KLAX"]);
  });

  test("omits examples that cannot be found", () => {
    const code = { type: "string", pattern: "^(?=.*7)[a-z7]{9}$" } as const;
    const contract = contractOf({ ...STATIONS, properties: { ...STATIONS.properties, code } });
    const text = describeApi(contract, PLAIN);
    expect(reading(text).example).toBeUndefined();
    expect(text).not.toContain('"examples": {');
  });

  test("of random contracts are valid and small", () => {
    let found = 0;
    fc.assert(
      fc.property(anyTable, ({ file }) => {
        const contract = checkContract(file);
        if ("mistakes" in contract) throw new Error(contract.mistakes.join("\n"));
        const { example, schema } = reading(describeApi(contract, PLAIN));
        if (example === undefined) return;
        found++;
        expect(schema("Page")(example)).toBe(true);
        expect(recordCheck(contract)((example as { results: unknown[] }).results[0])).toEqual([]);
      }),
      { numRuns: draws(100) },
    );
    expect(found).toBeGreaterThan(0);
  });

  test.each([
    ["^[A-Z0-9]{4,8}$", "AAAA"],
    ["^0x[0-9a-fA-F]{40}$", `0x${"A".repeat(40)}`],
    ["^[A-Z]{2,8}(-[A-Z0-9]{1,8})*$", "AA-A"],
    ["^\\d+(\\.\\d+)?$", "1.1"],
    ["\\.[0-9]{6}Z$", ".111111Z"],
    ["^(?:left|right)$", "left"],
    ["^[^a-z\\]]+-[-_]$", "A--"],
    ["^.{1,3}$", "a"],
    ["^(?=a)a$", undefined],
    ["^\\p{L}*$", undefined],
    ["^(?:(?:a{90}){90}){90}$", undefined],
    ["a{2000}", undefined],
  ])("%s takes %s", (pattern, sample) => {
    expect(sampleOf(pattern)).toBe(sample);
  });
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

  test("contract.json and every openapi.json match", () => {
    takes("Contract", JSON.parse(readFileSync(join(CASES, "one-page/expected/contract.json"), "utf8")));
    const forms: ApiDescription[] = [PLAIN, { ...PLAIN, links: "path" }, { ...PLAIN, files: ["avatar.svg"] }, FULL];
    for (const form of forms) takes("Description", JSON.parse(describeApi(USERS_CONTRACT, form)));
  });

  test("accept additional fields at any depth, and no other change", () => {
    const { example } = reading(describeApi(USERS_CONTRACT, PLAIN));
    const [user] = (example as { results: [{ off_chain: object }] }).results;
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
