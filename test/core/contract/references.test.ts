/** Which fields of a site's listings lead to the records of a listing. */
import { expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import { referrersOf } from "../../../src/core/contract/references.js";
import { type GivenViews, viewsOf } from "../../../src/core/contract/views.js";
import { contractWith } from "../../support/contracts.js";

const integer = { type: "integer" } as const;
const parent = { type: ["integer", "null"], "x-references": "categories", "x-facet": true } as const;

test("a listing is referred to by fields of others and of its own that are facets, or have a view", () => {
  const contracts = {
    categories: contractWith(["category", "categories"], { id: integer, parent_id: parent }),
    customers: contractWith(["customer", "customers"], { id: integer }),
    products: contractWith(["product", "products"], {
      id: integer,
      category_id: { ...integer, "x-observed": { "x-references": "categories" }, "x-facet": true },
      other_id: { ...integer, "x-references": "categories" },
      seen_on: { type: "string", format: "date", "x-references": "categories" },
      viewed_id: { ...integer, "x-references": "categories" },
    }),
  };
  const given: GivenViews = {
    "-other": { order: ["-other_id"] },
    viewed: { by: "viewed_id", order: ["id"] },
    year: { by: "seen_on", part: "year" },
  };
  const listings = Object.entries(contracts).map(([name, file]) => {
    const contract = contractOf(file);
    const found = viewsOf(contract, name === "products" ? given : {});
    return { name, contract, views: "views" in found ? found.views : [] };
  });
  expect(referrersOf("categories", listings)).toEqual([
    { from: "categories", path: "parent_id", words: ["category", "categories"] },
    { from: "products", path: "category_id", words: ["product", "products"] },
    { from: "products", path: "viewed_id", words: ["product", "products"], view: "viewed" },
  ]);
  expect(referrersOf("products", listings)).toEqual([]);
});
