/** Parsing and writing of URL fragments are inverse. */
import { expect, test } from "vitest";
import { addressOf, BEGINNING, type Chosen, parseHash } from "../../../src/explorer/page/address.js";

const ADDRESSES = [
  ["#?", BEGINNING],
  [
    "#?q=anna&page=3&kyc_status=VERIFIED&kyc_status=NONE",
    { ...BEGINNING, text: "anna", page: 3, where: new Map([["kyc_status", ["VERIFIED", "NONE"]]]) },
  ],
  ["#?q=a%26b+%23", { ...BEGINNING, text: "a&b #" }],
  [
    "#?from.total=-5&to.total=9.5&to.a.b=2024-01-31&desc=a.b&column=total&column=a%2Cb",
    {
      ...BEGINNING,
      ranges: new Map([
        ["total", ["-5", "9.5"]],
        ["a.b", ["", "2024-01-31"]],
      ] as const),
      sort: { path: "a.b", isDescending: true },
      columns: ["total", "a,b"],
    },
  ],
  ["#?q=a&in=a.b", { ...BEGINNING, text: "a", within: "a.b" }],
  ["#?sort=-x", { ...BEGINNING, sort: { path: "-x", isDescending: false } }],
  [
    "#?is_active=true&year=-12&%C3%A9tat=null&text=%22true%22&name=",
    {
      ...BEGINNING,
      where: new Map<string, Chosen[]>([
        ["is_active", [true]],
        ["year", [-12]],
        ["état", [null]],
        ["text", ["true"]],
        ["name", [""]],
      ]),
    },
  ],
  // Paths that are called as the page's own parameters are.
  [
    "#?.q=1&.in=0&.page=2&..x=3&.sort=4&.desc=5&.column=6&.from.x=7&.to.x=8",
    {
      ...BEGINNING,
      where: new Map<string, Chosen[]>([
        ["q", [1]],
        ["in", [0]],
        ["page", [2]],
        [".x", [3]],
        ["sort", [4]],
        ["desc", [5]],
        ["column", [6]],
        ["from.x", [7]],
        ["to.x", [8]],
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
  ["#?from.x=&to.x=", "#?"],
  ["#?a=1&a=1", "#?a=1"],
  ["#?a=1e999&a=null", "#?a=1e999&a=null"],
  ["#q=y", "#?q=y"],
  ["#/%", "#/%25"],
])("reads the valid parts of %s, as %s", (address, meant) => {
  expect(addressOf(parseHash(address))).toBe(meant);
});
