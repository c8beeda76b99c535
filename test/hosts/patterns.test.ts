/** The hosts' query patterns give the same page as the contract's function. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { requestedPage } from "../../src/contract/links.js";
import { DIGITS, encodingPatterns, literal, QUERY, WHOLE_QUERY } from "../../src/hosts/patterns.js";
import { draws } from "../support/random.js";

/** The page of a query: as in hosts, the first pattern that matches decides. */
function read(query: string): number | undefined {
  if (new RegExp(QUERY.twice).test(query)) return undefined;
  const page = new RegExp(QUERY.page).exec(query);
  if (page) {
    const whole = new RegExp(WHOLE_QUERY).exec(query);
    const digits = (found: RegExpExecArray | null) => DIGITS.map((group) => found?.[group] ?? "").join("");
    expect(digits(whole)).toBe(digits(page));
    return Number(digits(page));
  }
  if (new RegExp(QUERY.empty).test(query)) return 1;
  return new RegExp(QUERY.other).test(query) ? undefined : 1;
}

const PARTS = [
  "page",
  "p%61ge",
  "%70%61%67%65",
  "Page",
  "xpage",
  "page%20",
  "=",
  "&",
  "&&",
  "1",
  "2",
  "%31",
  "%3",
  "0",
  "01",
  "10",
  "999999999",
  "1234567890",
  "+",
  "%",
  "x",
  "format=api",
  "",
  ";",
  "page=",
  "%00",
  "é",
];
const query = fc.array(fc.constantFrom(...PARTS), { maxLength: 9 }).map((parts) => parts.join(""));

test("patterns find the same page as the contract for any query", () => {
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
  ["br;q=0.000,gzip;q=0.0", ""],
  ["*", ".br"],
  ["br;q=0, *", ""],
  ["xbr, brx", ""],
  ["identity", ""],
  ["gzip;q=0.001", ".gz"],
  ["br ; q=0", ""],
  ["br ; q = 0", ""],
  ["br\t;\tQ\t=\t0.000 , gzip", ".gz"],
  ["br ; q = 0, *", ""],
])("Accept-Encoding %j selects %j", (header, suffix) => {
  const found = encodingPatterns(["br", "gzip"]).find(({ pattern }) => new RegExp(pattern, "i").test(header));
  expect(found?.suffix ?? "").toBe(suffix);
});
