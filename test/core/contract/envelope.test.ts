/** Reads pages: canonical ones by lines, others as JSON, and refuses anything else. */
import { expect, test } from "vitest";
import { type Envelope, readBody, readFrame } from "../../../src/core/contract/envelope.js";
import { pageUrl } from "../../../src/core/contract/links.js";
import { encodePage } from "../../../src/core/contract/page.js";

const POSITION = {
  page: 2,
  pages: 3,
  count: 7,
  baseUrl: "https://example.com/people",
  path: "/api/users/",
  links: "query",
} as const;
const RECORDS = ['{"bio":"a\\n},{\u2028"}', '{"bio":"😀"}', '{"bio":""}'];
const page = encodePage(POSITION, RECORDS).join("");
const read = (text: string) => {
  const body = readBody(Buffer.from(text));
  return "why" in body ? body : { envelope: body.envelope };
};

test("the frame of a canonical page locates each record", () => {
  const bytes = Buffer.from(page);
  const { records = [], ...frame } = readFrame(bytes) ?? {};
  const link = (to: number) => pageUrl(POSITION, to);
  expect(frame).toEqual({ count: 7, next: link(3), previous: link(1) });
  expect(records.map(([begin, end]) => bytes.toString("utf8", begin, end))).toEqual(RECORDS);
  expect(read(page)).toEqual({ envelope: { ...frame, records: 3 } });
});

test("reads an empty page, and a page of one user", () => {
  const empty = encodePage({ ...POSITION, page: 1, pages: 1, count: 0 }, []).join("");
  const envelope: Envelope = { count: 0, next: null, previous: null, records: 0 };
  expect(read(empty)).toEqual({ envelope });
  expect(readFrame(Buffer.from(empty))?.records).toEqual([]);
  const one = encodePage({ ...POSITION, page: 1, pages: 1, count: 1 }, ["{}"]).join("");
  expect(read(one)).toEqual({ envelope: { ...envelope, count: 1, records: 1 } });
});

test.each([
  ["white space", page.replace('"count":7', '"count": 7')],
  ["keys in another order", page.replace(/"next":("[^"]*"),"previous":("[^"]*")/, '"previous":$2,"next":$1')],
  ["a record over two lines", page.replace('{"bio":""}', '{"bio":\n""}')],
  ["no final newline", page.slice(0, -1)],
  ["an empty line", page.replace("},\n{", "},\n\n{")],
  ["an escaped link", page.replace("https:", "https\\u003a")],
  ["another key", page.replace('{"count"', '{"a":1,"count"')],
])("a page with %s is valid but not canonical", (_name, text) => {
  expect(text).not.toBe(page);
  expect(readFrame(Buffer.from(text))).toBe(undefined);
  expect(read(text)).toEqual(read(page));
});

test.each([
  ["", "is empty"],
  ["  <!doctype html>", "is HTML"],
  ["Not found", "is not JSON"],
  ["null", "is JSON, but not a page"],
  ["{}", "is not a page: its count must be an integer"],
  ['{"count":-1,"next":null,"previous":null,"results":[]}', "is not a page: its count must not be negative"],
  ['{"count":1e99,"next":null,"previous":null,"results":[]}', "is not a page: its count must be an integer"],
  ['{"count":1,"previous":null,"results":[]}', "is not a page: its next must be a URL or null"],
  ['{"count":1,"next":null,"previous":null,"results":{}}', "is not a page: its results must be an array"],
  ['{"count":1,"next":null,"previous":null,"results":[1]}', "is not a page: its results.0 must be an object"],
  [page.slice(0, 200), "is not JSON"],
])("%s %s", (text, why) => expect(read(text)).toEqual({ why }));
