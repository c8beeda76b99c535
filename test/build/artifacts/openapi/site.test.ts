/** The openapi.json at the top of a site: all paths of all listings, and links between them. */
import { expect, test } from "vitest";
import type { ApiDescription } from "../../../../src/build/artifacts/openapi/described.js";
import { describeApi, describeSiteApi, OPTIONAL_FILES } from "../../../../src/build/artifacts/openapi/openapi.js";
import { contractOf } from "../../../../src/core/contract/contract.js";
import type { ContractFile } from "../../../../src/core/contract/file/form.js";
import { SHOP } from "../../../support/shop.js";
import { reading } from "./described.js";

const SITE = "https://shop.example.com";
/** The optional files that a site has at its top, and not in its listings. */
const AT_TOP = ["datapackage.json", "feed.xml"];

/** The shop, with names that become equal without their slashes, and all optional files in one listing. */
function described() {
  const contracts: [string, ContractFile][] = [
    ...Object.entries(SHOP).map(([name, { contract }]): [string, ContractFile] => [name, contract]),
    ["v1.orders", SHOP.orders.contract],
    ["v1/orders", SHOP.orders.contract],
  ];
  return contracts.map(([name, file]) => {
    const described: ApiDescription = {
      baseUrl: `${SITE}/${name}`,
      links: "query",
      encodings: ["br"],
      files: name === "customers" ? OPTIONAL_FILES.filter((path) => !AT_TOP.includes(path)) : [],
      isInSite: true,
    };
    return { name, contract: contractOf(file), described };
  });
}

test("it has all paths of each listing below its name, and the files at the top", () => {
  const { document } = reading(describeSiteApi({ baseUrl: SITE, dataPackage: true, feed: true }, described()));
  const expected = described().flatMap(({ name, contract, described }) => {
    const own = reading(describeApi(contract, described)).document;
    return Object.keys(own.paths).map((path) => `/${name}${path}`);
  });
  const top = [
    "/snapshot.json",
    "/openapi.json",
    "/SHA256SUMS",
    "/SHA256SUMS.minisig",
    ...AT_TOP.map((path) => `/${path}`),
  ];
  expect(Object.keys(document.paths).sort()).toEqual([...expected, ...top].sort());
});

test("it has the title and the description of the site", () => {
  const site = { baseUrl: SITE, title: "Shop", description: "All that is sold." };
  const { info } = JSON.parse(describeSiteApi(site, described()));
  expect(info).toMatchObject({ title: "Shop", description: expect.stringMatching(/^All that is sold\.\n\n/) });
});

test("all references lead to components, and all names are of one operation", () => {
  const text = describeSiteApi({ baseUrl: SITE, dataPackage: true, feed: true }, described());
  const { document } = reading(text);
  for (const [, kind = "", name = ""] of text.matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g))
    expect(document.components[kind], `${kind} ${name}`).toHaveProperty([name]);
  const names = [...text.matchAll(/"operationId": "(\w*\.?\w*\.?\w*get\w+)",\n\s+"summary"/g)];
  const operations = Object.values(document.paths).map(({ get }) => get);
  expect(names).toHaveLength(operations.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

test("each reference is a link from the pages of its listing to the lookup of the other one, or to its pages", () => {
  const { document } = reading(describeSiteApi({ baseUrl: SITE }, described()));
  const linksOf = (name: string) => Object(document.components["responses"]?.[`${name}_Page`])["links"];
  expect(linksOf("orders")).toEqual({
    customer_id: {
      operationId: "customers_getLookup",
      description: "customer_id is the key of a record of customers. Its lookup finds the record.",
    },
    agent_id: {
      operationId: "customers_getLookup",
      description: "agent_id is the key of a record of customers. Its lookup finds the record.",
    },
  });
  expect(linksOf("products").category_id.operationId).toBe("categories_getPage");
  expect(linksOf("customers")).toBeUndefined();
  const operations = Object.values(document.paths).map(({ get }) => get.operationId);
  expect(operations).toContain("customers_getLookup");
  expect(operations).toContain("categories_getPage");
});

test("its schemas are those of the listings", () => {
  const site = reading(describeSiteApi({ baseUrl: SITE }, described()));
  const page = { count: 1, next: null, previous: null, results: [{ id: 1, name: "A", parent_id: null }] };
  expect(site.schema("categories_Page")(page)).toBe(true);
  expect(site.schema("customers_Page")({ ...page, results: [{ id: 1 }] })).toBe(false);
  const listings = { orders: { count: 1, id: "0123456789ab", pages: 1, state: "0".repeat(64) } };
  expect(site.schema("Site")({ id: "0123456789ab", base_url: SITE, listings })).toBe(true);
  expect(site.schema("Site")({ id: "0123456789ab", base_url: SITE, listings: { orders: {} } })).toBe(false);
});

test("equal listings give equal bytes", () => {
  const text = describeSiteApi({ baseUrl: SITE }, described());
  expect(describeSiteApi({ baseUrl: SITE }, described())).toBe(text);
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});
