import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderTerm } from "../../../src/build/artifacts/views.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { isWellFormed } from "../../../src/core/contract/json.js";
import { toBytes } from "../../../src/core/contract/record/key.js";
import { SEGMENT, segmentOf, type ViewValue } from "../../../src/core/contract/segment.js";
import { type GivenViews, noteOnTimes, type View, viewsOf } from "../../../src/core/contract/views.js";
import { ViewPaths } from "../../../src/core/release/layout.js";
import { HARD_TAGS, PLACES } from "../../support/places.js";

const CONTRACT = contractOf(PLACES);

describe("segments", () => {
  test.each<[ViewValue, string]>([
    ["DE", "DE"],
    ["v1.2", "v1.2"],
    ["2026-01-31", "2026-01-31"],
    ["New York", "New~20York"],
    ["a/b", "a~2Fb"],
    ["ü", "~C3~BC"],
    ["..", "~2E~2E"],
    ["...x", "~2E~2E~2Ex"],
    ["x.", "x~2E"],
    ["~null", "~7Enull"],
    ["%41", "~2541"],
    ["\0", "~00"],
    ["CON", "~43ON"],
    ["nul.txt", "~6Eul.txt"],
    ["console", "console"],
    ["pages", "pages"],
    [null, "~null"],
    ["", "~empty"],
    [true, "true"],
    [-5, "-5"],
    ["x".repeat(101), `${"x".repeat(60)}~~c675a2e604b0cd12`],
  ])("%j is %s", (value, segment) => expect(segmentOf(value)).toBe(segment));

  test("are different for different values, and plain names of files", () => {
    expect(new Set(HARD_TAGS.map(segmentOf)).size).toBe(HARD_TAGS.length);
    const hard = fc.string({ unit: fc.constantFrom("~", ".", "a", "A", "/", "%", "é", "\0", "2", "E"), maxLength: 50 });
    const texts = fc.oneof(hard, fc.string({ unit: "grapheme", maxLength: 80 })).filter(isWellFormed);
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const segment = segmentOf(one);
        expect(segment).toMatch(SEGMENT);
        expect(segment.startsWith(".")).toBe(false);
        expect(segment === segmentOf(other)).toBe(one === other);
        if (!segment.includes("~~") && one !== "") expect(decodeURIComponent(segment.replaceAll("~", "%"))).toBe(one);
      }),
    );
  });
});

describe("orders", () => {
  test("terms sort as numbers do, with null last", () => {
    const numbers = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()));
    fc.assert(
      fc.property(numbers, (all) => {
        const sorted = all.map((number) => number + 0).sort((one, other) => one - other);
        const isSorted = (terms: readonly string[]) =>
          terms.every((term, at) => at === 0 || (terms[at - 1] ?? "") <= term);
        expect(isSorted(sorted.map((number) => orderTerm(JSON.stringify(number), false)))).toBe(true);
        expect(isSorted(sorted.reverse().map((number) => orderTerm(JSON.stringify(number), true)))).toBe(true);
      }),
    );
    for (const isDescending of [false, true])
      for (const json of ["-1e308", "1e308", '"\u00ff"', "true"])
        expect(orderTerm(json, isDescending) < orderTerm("null", isDescending)).toBe(true);
  });

  test("terms sort as bytes of texts do, also with more terms behind them", () => {
    const texts = fc.string({
      unit: fc.constantFrom("\0", "\x01", "a", "b", "ü", "\u{1f54a}", "\uffee", '"'),
      maxLength: 6,
    });
    const term = (text: string, isDescending: boolean) => orderTerm(toBytes(JSON.stringify(text)), isDescending);
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (one, other, isDescending) => {
        if (one === other) return;
        const isLess = Buffer.from(one).compare(Buffer.from(other)) < 0;
        const isFirst = term(one, isDescending) + term("z", false) < term(other, isDescending) + term("a", false);
        expect(isFirst).toBe(isLess !== isDescending);
      }),
    );
  });
});

test("paths of pages lead to numbers and back", () => {
  const values = [250, 1, 0, 100, 101].map((records, at) => ({ segment: `v${at}`, records }));
  const paths = new ViewPaths("country", values, 100);
  expect(paths.pages).toBe(3 + 1 + 1 + 1 + 2);
  const all = Array.from({ length: paths.pages }, (_, at) => paths.path(at + 1));
  expect(all).toEqual(
    [
      ...["v0/pages/1.json", "v0/pages/2.json", "v0/pages/3.json", "v1/pages/1.json", "v2/pages/1.json"],
      ...["v3/pages/1.json", "v4/pages/1.json", "v4/pages/2.json"],
    ].map((path) => `country/${path}`),
  );
  for (const [at, path] of all.entries()) expect(paths.find(path)).toEqual({ page: at + 1, variant: "identity" });
  expect(paths.find(paths.path(4, "br"))).toEqual({ page: 4, variant: "br" });
  for (const path of [
    "country/v0/pages/4.json",
    "country/v9/pages/1.json",
    "country/pages/1.json",
    "x/v0/pages/1.json",
  ])
    expect(paths.find(path), path).toBe(undefined);
  const order = new ViewPaths("-height", [{ segment: "", records: 150 }], 100);
  expect(order.path(2)).toBe("-height/pages/2.json");
  expect(order.find("-height/pages/2.json")).toEqual({ page: 2, variant: "identity" });
});

describe("the setting", () => {
  const compiled = (given: GivenViews) => viewsOf(CONTRACT, given);
  const described = (given: GivenViews) => {
    const read = compiled(given);
    if ("mistakes" in read) return read.mistakes;
    return read.views.map(({ name, by, part, order, most }) => {
      return { name, by: by?.path, part, order: order.map(({ field }) => field.path), most };
    });
  };

  test("has a short form, whose names are ASCII", () => {
    expect(described(["tag", "opened:year", "-height", "+height", "größe", "-größe"])).toEqual([
      { name: "-grosse", by: undefined, part: undefined, order: ["größe"], most: 1000 },
      { name: "-height", by: undefined, part: undefined, order: ["height"], most: 1000 },
      { name: "grosse", by: "größe", part: undefined, order: [], most: 1000 },
      { name: "height-up", by: undefined, part: undefined, order: ["height"], most: 1000 },
      { name: "opened-year", by: "opened", part: "year", order: [], most: 1000 },
      { name: "tag", by: "tag", part: undefined, order: [], most: 1000 },
    ]);
  });

  test.each<[GivenViews, string]>([
    [{ tall: { by: "hight" } }, "views.tall: the contract has no field hight; did you mean height?"],
    [
      { height: { by: "height" } },
      'views.height: by needs a text, integer, boolean, date or time, or a list of them, and height is a number; for an order, write "-height".',
    ],
    [{ "tag-year": { by: "tag", part: "year" } }, "views.tag-year: part is for dates and times, and tag is a text."],
    [
      { topics: { order: ["topics"] } },
      "views.topics: order needs texts, numbers, booleans, dates or times, and topics is a list in which each item is a text.",
    ],
    [["opened:day"], "views.opened-day: day is not a part of dates and times; parts are year and month."],
    [{ x: {} }, "views.x: give it a field with by, an order, or both."],
    [
      { x: { order: ["id"], most: 3 } },
      "views.x: most is of the values of the field that by names, and there is no by.",
    ],
    [
      { "pages/x": { by: "tag" } },
      "views.pages/x: use letters, digits and ._- for its name, with neither a point at an end nor .json or .sha256.",
    ],
    [{ de: { by: "tag" }, DE: { by: "tag" } }, "views: DE and de differ only by case; rename one."],
    [
      ["国"],
      'views: 国 gives no name in ASCII; name it in the config file, such as "views": {"country": {"by": "country"}}.',
    ],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`v${at}`, { by: "tag" }])),
      "views has 21 views; at most 20 are possible.",
    ],
  ])("%j is refused", (given, message) => expect(compiled(given)).toEqual({ mistakes: [message] }));

  test("notes times that may have several offsets", () => {
    const view = (pattern?: string): View => {
      const schema = { type: "string", format: "date-time", ...(pattern !== undefined && { pattern }) } as const;
      const field = { path: "at", names: ["at"], schema, column: "at", takesNull: false };
      return { name: "year", by: field, part: "year", order: [], most: 1000 };
    };
    expect(noteOnTimes(view("Z$"))).toBe(undefined);
    expect(noteOnTimes(view())).toBe(
      "views.year has the year of at as each time is written, at its own offset; times that all end in Z have one",
    );
  });
});
