/** Parsing and writing of URL fragments are inverse. */
import { expect, test } from "vitest";
import { addressOf, type Chosen, chosenIn, parseHash } from "../../src/explorer/page/address.js";

const ADDRESSES = [
  ["#?", { text: "", page: 1, where: new Map() }],
  ["#?q=anna&page=3&kyc_status=VERIFIED", { text: "anna", page: 3, where: new Map([["kyc_status", "VERIFIED"]]) }],
  ["#?q=a%26b+%23", { text: "a&b #", page: 1, where: new Map() }],
  [
    "#?is_active=true&year=-12&%C3%A9tat=null&text=%22true%22&name=",
    {
      text: "",
      page: 1,
      where: new Map<string, Chosen>([
        ["is_active", true],
        ["year", -12],
        ["état", null],
        ["text", "true"],
        ["name", ""],
      ]),
    },
  ],
  // Paths that are called as the page's own parameters are.
  [
    "#?.q=1&.page=2&..x=3",
    {
      text: "",
      page: 1,
      where: new Map<string, Chosen>([
        ["q", 1],
        ["page", 2],
        [".x", 3],
      ]),
    },
  ],
  ["#/7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53", { key: "7f3c2a10-0d5e-4b8e-9c41-2f6b8d1e0a53" }],
  ["#/a%2Fb%3F%23%25%20%22%0A%F0%9F%95%8A", { key: 'a/b?#% "\n🕊' }],
  ["#/", { key: "" }],
] as const;

test.each(ADDRESSES)("%s", (address, place) => {
  expect(parseHash(address)).toEqual(place);
  expect(addressOf(place)).toBe(address);
});

test.each([
  ["", "#?"],
  ["#", "#?"],
  ["#?page=0", "#?"],
  ["#?page=-1&q=", "#?"],
  ["#?page=1.5", "#?"],
  ["#?page=x&q=y", "#?q=y"],
  ["#q=y", "#?q=y"],
  ["#/%", "#/%25"],
])("reads the valid parts of %s, as %s", (address, meant) => {
  expect(addressOf(parseHash(address))).toBe(meant);
});

test("ignores filters by fields that are not facets", () => {
  const where = new Map([
    ["garbage", ""],
    ["__proto__", "1"],
    ["kyc_status", "VERIFIED"],
  ]);
  expect([...chosenIn(where, [{ path: "kyc_status" }, { path: "is_active" }])]).toEqual([["kyc_status", "VERIFIED"]]);
});
