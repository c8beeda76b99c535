/** The hosts' query patterns give the same page as the contract's function, and codings are chosen by q-values. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { requestedPage } from "../../src/core/contract/links.js";
import { encodingPatterns, literal, QUERY } from "../../src/host/patterns.js";
import { draws } from "../support/random.js";

/** The page of a query: as in hosts, the first pattern that matches decides. */
function read(query: string): number | undefined {
  const [, page] = new RegExp(QUERY.page).exec(query) ?? [];
  if (page !== undefined) return Number(page);
  return new RegExp(QUERY.other).test(query) ? undefined : 1;
}

const VALUES = ["", "1", "2", "0", "01", "10", "999999999", "1234567890", "+", "x", ";", "é", "-1"];
const parameter = fc
  .tuple(fc.constantFrom("Page", "xpage", "format", "pag", ""), fc.constantFrom(...VALUES))
  .map(([name, value]) => `${name}=${value}`);
const page = fc.constantFrom("page", ...VALUES.map((value) => `page=${value}`));
const query = fc
  .tuple(fc.array(parameter, { maxLength: 3 }), fc.option(page), fc.array(parameter, { maxLength: 3 }))
  .map(([before, given, after]) => [...before, ...(given === null ? [] : [given]), ...after].join("&"));

test("patterns find the same page as the contract for any query with one page, or none", () => {
  fc.assert(
    fc.property(query, (text) => {
      expect(read(text)).toBe(requestedPage(text));
    }),
    { numRuns: draws(20_000) },
  );
});

test("a literal matches its text, with any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
      const text = Buffer.from(bytes).toString("latin1");
      expect(new RegExp(`^${literal(bytes)}$`, "s").test(text)).toBe(true);
      expect(literal(bytes)).toMatch(/^[!#-&(-_a-~]*$/);
    }),
  );
});

test.each([
  ["", ""],
  ["gzip, deflate, br, zstd", ".br"],
  ["gzip", ".gz"],
  ["GZIP", ".gz"],
  ["br;q=0, gzip", ".gz"],
  ["br;q=0.5, gzip", ".gz"],
  ["gzip, deflate;q=0.8, br;q=0.5", ".gz"],
  ["gzip;q=1.0, br;q=0.9", ".gz"],
  ["gzip;q=0.5, br", ".br"],
  ["br;q=0.000,gzip;q=0.0", ""],
  ["xbr, brx", ""],
  ["identity", ""],
  ["gzip;q=0.001", ".gz"],
  ["br ; q=0", ""],
  ["br\t;\tQ=0.000 , gzip", ".gz"],
])("Accept-Encoding %j selects %j", (header, suffix) => {
  const found = encodingPatterns(["br", "gzip"]).find(({ pattern }) => new RegExp(pattern, "i").test(header));
  expect(found?.suffix ?? "").toBe(suffix);
});
