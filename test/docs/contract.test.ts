/** docs/reference/http.md and docs/guides/your-data.md say of the listing and of each field what the built-in contract says. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CREATE_USERS } from "../../scripts/sample/schema.js";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { expectTable } from "../support/docs.js";
import { columnTable, fieldTable, listingTable } from "../support/fields.js";

const DOC = readFileSync(new URL("../../docs/reference/http.md", import.meta.url), "utf8");

test("the listing is the contract's", () => {
  expectTable("docs/reference/http.md", "## Path and order", listingTable());
});

test("the fields are the contract's", () => {
  expectTable("docs/reference/http.md", "## Fields of a user", fieldTable());
});

test("the columns of a source are the contract's, in the order of the sample's table", () => {
  const columns = [...CREATE_USERS.matchAll(/^ {2}(\w+) (?:TEXT|INTEGER)/gm)].map(([, name = ""]) => name);
  expect(columns.toSorted()).toEqual(USERS_CONTRACT.fields.map(({ column }) => column).sort());
  expectTable("docs/guides/your-data.md", "## The directory of users", columnTable(columns));
});

test("every field has a description", () => {
  expect(USERS_CONTRACT.fields.filter(({ schema }) => !schema.description).map(({ path }) => path)).toEqual([]);
});

test("every address that the page names is the listing's", () => {
  const named = [...DOC.matchAll(/\/api\/[\w/]*/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !`${path}/`.startsWith(USERS_CONTRACT.listing.path))).toEqual([]);
});
