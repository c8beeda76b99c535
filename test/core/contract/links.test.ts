import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "../../../src/core/contract/base-url.js";
import {
  basePath,
  canParse,
  isPublishableUrl,
  LINK_STYLES,
  pageNumber,
  pagesFor,
  pageUrl,
  parsePageUrl,
  requestedPage,
} from "../../../src/core/contract/links.js";
import { ExitCode } from "../../../src/core/errors.js";

describe("parseBaseUrl", () => {
  test.each([
    ["https://directory.example.com/", "https://directory.example.com", ""],
    ["HTTPS://Directory.Example.com:443/A/b//", "https://directory.example.com/A/b", "/A/b"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080", ""],
    ["http://[::1]:80/x/../y", "http://[::1]/y", "/y"],
    ["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4", "/%C3%A4"],
  ])("%s becomes %s below %j", (text, normal, path) => {
    expect(parseBaseUrl(text)).toBe(normal);
    expect(basePath(normal)).toBe(path);
  });

  test.each([
    ["", "not an absolute"],
    ["//example.com", "not an absolute"],
    ["https://", "not an absolute"],
    ["ftp://example.com", "not an absolute"],
    ["https://exa mple.com", "not an absolute"],
    ["https://example.com/a b", "white space"],
    ["https://example.com\\x", "backslash"],
    ["https://example.com/?", "query"],
    ["https://example.com/#", "fragment"],
    ["https://user:secret@example.com", "credentials"],
    ["https://example.com/%zz", "does not begin an escape"],
  ])("refuses %j: %s", (text, why) => {
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ exitCode: ExitCode.usage }));
    expect(() => parseBaseUrl(text)).toThrow(why);
  });
});

test.each([
  ["", 1],
  ["page=", 1],
  ["format=api", 1],
  ["xpage=2", 1],
  ["?page=2", 1],
  ["page=2", 2],
  ["page=2&format=json", 2],
  ["format=api&page=999999999", 999_999_999],
  ["page=%32", 2],
  ["p%61ge=2", 2],
  ["page=0", undefined],
  ["page=-1", undefined],
  ["page=01", undefined],
  ["page=%2B1", undefined],
  ["page=1%20", undefined],
  ["page=1.0", undefined],
  ["page=1e3", undefined],
  ["page=abc", undefined],
  ["page=%D9%A1", undefined],
  ["page=1000000000", undefined],
  ["page=1&page=2", undefined],
  ["page=&page=2", undefined],
])("the query %j asks for page %s", (query, page) => {
  expect(requestedPage(query)).toBe(page);
});

test("accepts only canonical decimal page numbers", () => {
  expect(["1", "10", "999999999"].map(pageNumber)).toEqual([1, 10, 999_999_999]);
  expect(["", "0", "01", "1000000000", "1\n", "١"].map(pageNumber)).toEqual(Array(6).fill(undefined));
});

test.each([
  [0, 100, 1],
  [100, 100, 1],
  [101, 100, 2],
  [1000, 1, 1000],
])("%i users, %i a page, fill %i pages", (count, pageSize, pages) => {
  expect(pagesFor(count, pageSize)).toBe(pages);
});

test("both link styles", () => {
  const place = { baseUrl: "https://a.example/x", path: "/api/users/" };
  expect(pageUrl({ ...place, links: "query" }, 7)).toBe("https://a.example/x/api/users/?format=api&page=7");
  expect(pageUrl({ ...place, links: "path" }, 7)).toBe("https://a.example/x/api/users/pages/7.json");
});

test("an avatar's URL", () => {
  const good = ["https://a.example/b.jpg", "http://127.0.0.1:1/", "HTTPS://a.example", "https://a.example/ü?q=1#f"];
  const bad = [
    "",
    "a.jpg",
    "//a.example/x",
    "ftp://a.example",
    "javascript:alert(1)",
    "https://",
    "https://?",
    "http:a",
  ];
  const worse = [
    " https://a.example",
    "https://a.example/a b",
    "https://a.example/\n",
    "data:text/html,x",
    "https://[::",
  ];
  expect(good.map(isPublishableUrl)).toEqual(good.map(() => true));
  expect([...bad, ...worse].map(isPublishableUrl)).toEqual([...bad, ...worse].map(() => false));
});

test("keeps accepting a non-ASCII URL after many calls", () => {
  const host = "https://bücher.example/";
  for (let times = 0; times < 20_000; times++) {
    expect.assert(canParse(`${host}ä`) && canParse("ä", host) && canParse("https://a.example"), `time ${times}`);
    expect.assert(!canParse("ü") && !canParse("https://ü:x/") && !canParse("a"), `time ${times}`);
  }
});

test("messages do not repeat a password", () => {
  expect(() => parseBaseUrl("https://ada:secret@example.com")).toThrow(/^Base URL "https:\/\/\.\.\.@example\.com" has/);
});

describe.each(["/v1.0/stations/", "/"])("with the listing at %s, parseBaseUrl", (path) => {
  test.each([
    ["?format=api&page=2", ""],
    ["?page=2#top", "/x"],
    ["pages/3.json", ""],
    ["pages/3.json?v=1", "/x/y"],
    ["/?page=2", "/pages"],
  ])("refuses a page: %s below %j", (page, base) => {
    for (const listing of [path, path.toUpperCase()])
      expect(() => parseBaseUrl(`https://a.example${base}${listing}${page}`, path)).toThrow(
        `is the URL of the listing itself, and every link adds ${path}; give https://a.example${base}.`,
      );
  });

  test.each(["", "/api/users", "/v1x0/stations", "/v1.0/stations", "/pages", "/pages/3"])("takes %j", (base) => {
    expect(parseBaseUrl(`https://a.example${base}`, path)).toBe(`https://a.example${base}`);
    expect(parseBaseUrl(`https://a.example${base}/`, path)).toBe(`https://a.example${base}`);
  });
});

describe.each(["/api/users/", "/"])("pages of a listing at %s", (path) => {
  test.each(["https://a.example", "https://a.example/x", "https://a.example/pages", "http://[::1]:8080"])(
    "below %s",
    (baseUrl) => {
      for (const links of LINK_STYLES) {
        const place = { baseUrl, path, links };
        expect(parsePageUrl(pageUrl(place, 7), path)).toEqual({ ...place, page: 7 });
      }
    },
  );

  test("have no other form", () => {
    for (const other of ["", "?page=2", "?format=api&page=02", "pages/0.json", "pages/2.json/", "pages/2.json.br"])
      expect(parsePageUrl(`https://a.example${path}${other}`, path)).toBe(undefined);
  });
});
