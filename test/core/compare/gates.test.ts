/** Which listings a gate is for. */
import { expect, test } from "vitest";
import { readGates } from "../../../src/core/compare/gates.js";
import type { Contract } from "../../../src/core/contract/contract.js";
import { checkContract } from "../../../src/core/contract/file/parse.js";
import { contractWith } from "../../support/contracts.js";

const checked = checkContract(
  contractWith(["order", "orders"], { id: { type: "integer" }, total: { type: "integer" } }),
);
if ("mistakes" in checked) throw new Error(checked.mistakes.join());
const orders: Contract = checked;

test("a gate on a field is for all listings that it may mean, since a name may have dots", () => {
  // A removed listing, whose fields are not known.
  const listings = new Map([
    ["shop", undefined],
    ["shop.orders", [orders]],
  ]);
  const gatesOf = readGates({ maxField: ["shop.orders.total=9"] }, listings);
  expect(gatesOf("shop.orders").maxField).toEqual(new Map([["total", "9"]]));
  expect(gatesOf("shop").maxField).toEqual(new Map([["orders.total", "9"]]));
});

test("a gate on a field without a listing is for those that have the field", () => {
  const listings = new Map([
    ["customers", []],
    ["orders", [orders]],
  ]);
  const gatesOf = readGates({ maxField: ["total=9"] }, listings);
  expect(gatesOf("orders").maxField).toEqual(new Map([["total", "9"]]));
  expect(gatesOf("customers").maxField).toEqual(new Map());
});
