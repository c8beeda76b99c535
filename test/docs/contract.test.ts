/** docs/contract.md says of the listing and of each field what the built-in contract says. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { expectTable } from "../support/docs.js";
import { fieldTable, listingTable } from "../support/fields.js";

const DOC = readFileSync(new URL("../../docs/contract.md", import.meta.url), "utf8");

test("the listing is the contract's", () => {
  expectTable("docs/contract.md", "### Where it is, and in which order", listingTable());
});

test("the fields are the contract's", () => {
  expectTable("docs/contract.md", "## A user", fieldTable());
});

test("every field has a description", () => {
  expect(USERS_CONTRACT.fields.filter(({ schema }) => !schema.description).map(({ path }) => path)).toEqual([]);
});

test("every address that the page names is the listing's", () => {
  const named = [...DOC.matchAll(/\/api\/[\w/]*/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !`${path}/`.startsWith(USERS_CONTRACT.listing.path))).toEqual([]);
});
