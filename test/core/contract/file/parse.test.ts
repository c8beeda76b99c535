/** Reports all mistakes of a contract file at once, with place, value and what is allowed. */
import { expect, test } from "vitest";
import { contractOf } from "../../../../src/core/contract/contract.js";
import { checkContract } from "../../../../src/core/contract/file/parse.js";
import { recordPattern } from "../../../../src/core/contract/record/byte-pattern.js";
import { USERS, USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { STATIONS, STATIONS_CONTRACT } from "../../../support/stations.js";

// biome-ignore lint/suspicious/noExplicitAny: each test breaks another part of the contract
type Rough = any;

/** The mistakes of the stations' contract once it was changed. */
function mistakesAfter(change: (contract: Rough) => unknown): readonly string[] {
  const contract: Rough = structuredClone(STATIONS);
  change(contract);
  return mistakesOf(checkContract(contract));
}

function mistakesOf(read: ReturnType<typeof checkContract>): readonly string[] {
  return "mistakes" in read ? read.mistakes : [];
}

/** Sets, adds or removes a value at a place such as /properties/name/type. A new field is required, too. */
function put(contract: Rough, place: string, value: unknown): void {
  const names = place.split("/").slice(1);
  const last = names.pop() ?? "";
  let inside = contract;
  for (const name of names) inside = inside[name];
  if (place === `/properties/${last}` && !Object.hasOwn(inside, last)) contract.required.push(last);
  if (value === undefined) delete inside[last];
  else inside[last] = value;
}

/** With a field more. */
function withField(name: string, schema: Rough) {
  return (contract: Rough) => put(contract, `/properties/${name}`, schema);
}

test("a valid file is read without changes", () => {
  expect(checkContract(USERS)).toBe(USERS_CONTRACT);
  expect(checkContract(USERS_CONTRACT.text)).toBe(USERS_CONTRACT);
  expect(checkContract(STATIONS)).toBe(STATIONS_CONTRACT);
  expect(checkContract(JSON.stringify(STATIONS))).toBe(contractOf(STATIONS));
  expect(checkContract(`\ufeff${STATIONS_CONTRACT.text}`)).toBe(STATIONS_CONTRACT);
  // The built-in one goes through all checks, too, once its text is another.
  expect(mistakesOf(checkContract({ ...USERS, title: "Somebody" }))).toEqual([]);
});

test("a listing may be at the base URL itself, which is the default", () => {
  const { path: _, ...listing } = STATIONS["x-listing"];
  const [without, withSlash] = [listing, { ...listing, path: "/" }].map((listing) =>
    checkContract({ ...STATIONS, "x-listing": listing }),
  );
  expect([without, withSlash]).toMatchObject([{ listing: { path: "/" } }, { listing: { path: "/" } }]);
  // The published file is as it was given.
  expect(without).toMatchObject({ file: { "x-listing": listing } });
  expect(without).not.toHaveProperty(["file", "x-listing", "path"]);
});

test("later changes of an object do not change its contract", () => {
  const given: Rough = structuredClone({ ...STATIONS, title: "Before" });
  const read = checkContract(given);
  given.title = "After";
  expect(read).toMatchObject({ file: { title: "Before" } });
});

test("reports all mistakes of form and rules at once", () => {
  const mistakes = mistakesAfter((contract) => {
    contract["x-listing"] = { path: "/bulk/x/", words: ["a", ""], key: "cod", order: ["countr", "code"], version: 0 };
    contract.properties.code.minLenght = 3;
    contract.properties.nickname["x-null"] = { feild: "name" };
    contract.properties.readings = 7;
    contract.required.push("zz");
    delete contract.additionalProperties;
  });
  expect(mistakes).toEqual([
    '/x-listing/words/1 must be a word without control characters, got "".',
    "/x-listing/version must be a whole number from 1, got 0.",
    "/properties/code/minLenght is not a keyword of a field; did you mean minLength?",
    "/properties/nickname/x-null/feild is not a keyword of a rule for NULL; did you mean field?",
    "/properties/readings must be an object, got 7.",
    "/additionalProperties must be false, got nothing.",
    '/x-listing/path must be a path that does not begin with bulk, which a release uses itself, got "/bulk/x/".',
    expect.stringMatching(/^\/required\/11 must be a property, got "zz"; there are code, name, /),
    "/properties/nickname/x-null must have exactly one of const, field, join, setting, got none.",
    '/x-listing/key must be the path of a field, got "cod"; did you mean code?',
    '/x-listing/order/0 must be the path of a field, got "countr"; did you mean country?',
    "/x-listing/order must end with the key, cod, so that the order is total, got code.",
  ]);
});

/**
 * A place, a wrong value there, and the beginning of the only mistake: after the place, or with its own. A place below
 * /properties may be a new field's; undefined removes what is there.
 */
const WRONG: readonly [place: string, value: unknown, mistake: string][] = [
  [
    "/$schema",
    "http://json-schema.org/draft-07/schema#",
    'must be https://json-schema.org/draft/2020-12/schema or the path of contract.schema.json, got "http',
  ],
  ["/properties/name/not", {}, "is not a keyword of a field; there are type, enum"],
  ["/x-listing/path", "/v1/stations", "must be a path like /v1/stations/"],
  ["/x-listing/path", "/..a/", "must be a path without the segment . and without segments that begin with .."],
  ["/x-listing/path", "", "must be a path like"],
  ["/x-listing/path", "//", "must be a path like"],
  ["/x-listing/path", "/a%20b/", "must be a path like"],
  ["/x-listing/path", "/a/../", "must be a path without the segment . and without segments that begin with .."],
  ["/x-listing/path", "/Lookup/", "must be a path that does not begin with"],
  ["/x-listing/words", ["a\nb", "c"], "/x-listing/words/0 must be a word without control"],
  ["/x-listing/words", ["a", "b", "c"], "must be two words"],
  ["/properties/code/type", ["string", "null"], '/x-listing/key must be a field that is never null, got "code"'],
  [
    "/properties/code",
    { type: "number" },
    "/x-listing/key must be a field of strings or of integers, got code, which is number",
  ],
  ["/x-listing/order", ["sensors", "code"], "/x-listing/order/0 must be a field of strings or of integers"],
  ["/x-listing/order", ["-closed", "code"], "/x-listing/order/0 must be a field that is never null"],
  ["/x-listing/order", ["extra", "code"], "/x-listing/order/0 must be a field that is never null"],
  ["/x-listing/order", ["position", "code"], "/x-listing/order/0 must be the path of a field"],
  ["/x-listing/order", ["country", "-country", "code"], '/x-listing/order/1 is listed twice: "country"'],
  ["/x-listing/order", ["code", "country"], "must end with the key, code"],
  ["/x-listing/label", "sensors", "must be a field of strings"],
  ["/x-listing/title", "a\nb", 'must be a text of one line, got "a\\nb"'],
  ["/x-listing/description", " ", "must be a text"],
  ["/x-listing/publisher", 3, "must be a text of one"],
  ["/x-listing/license", "do what you like", 'must be an SPDX id or a URL, got "do what'],
  ["/x-listing/source", "javascript:alert(1)", "must be an http(s) URL, got"],
  ["/x-listing/contact", "ada@", 'must be an http(s) URL or an e-mail address, got "ada@"'],
  ["/x-listing/licence", "MIT", "is not a keyword of the listing; did you mean license?"],
  ["/x-listing/columns", [], "must be a list of fields, got []"],
  [
    "/x-listing/columns",
    ["code", "nam"],
    '/x-listing/columns/1 must be the path of a field, got "nam"; did you mean name?',
  ],
  ["/x-listing/columns", ["code", "code"], '/x-listing/columns/1 is listed twice: "code"'],
  ["/properties/name/x-image", true, 'is for strings with "format": "uri"'],
  ["/properties/position/x-image", true, "is not for objects"],
  [
    "/properties/x",
    { type: "string", format: "uri", "x-image": false },
    "/properties/x/x-image must be true, or the origin of the images, such as https://images.example.com, got false",
  ],
  [
    "/properties/x",
    { type: "string", format: "uri", "x-image": "https://a.example;script-src" },
    "/properties/x/x-image must be true, or the origin of the images, such as https://images.example.com, got",
  ],
  ["/properties/position/additionalProperties", true, "must be false, got true"],
  ["/properties/position/additionalProperties", undefined, '/properties/position needs "additionalProperties": false'],
  ["/properties/x", { type: "object" }, 'needs properties, or only "x-json": true'],
  [
    "/properties/x",
    { type: "object", properties: {}, required: [], additionalProperties: false },
    "/properties/x/properties must have a property",
  ],
  ["/properties/a.b", { type: "string" }, "must have a name without dots"],
  ["/properties/a\nb", { type: "string" }, "/properties/a\\u000ab must have a name without dots"],
  ["/properties/-a", { type: "string" }, "must have a name without dots"],
  ["/properties/", { type: "string" }, "must not have an empty name"],
  ["/properties/Iso2", { type: "string" }, 'has the column "Iso2", which /properties/country already has'],
  [
    "/properties/x",
    { type: "string", "x-column": "POSITION_LATITUDE" },
    '/properties/x/x-column has the column "POSITION_LATITUDE", which /properties/position/properties/latitude',
  ],
  ["/properties/position/x-column", "p", "is not for objects"],
  ["/properties/sensors/items/x-column", "p", "is not a keyword of a schema of items"],
  ["/properties/name/x-column", "a\0", "must be a name without control characters"],
  [
    "/properties/x",
    { anyOf: [{ type: "string", anyOf: true }] },
    "/properties/x/anyOf/0/anyOf is not a keyword of a schema in anyOf",
  ],
  ["/properties/x", { minLength: 1 }, "needs a type, an enum, a const, anyOf"],
  [
    "/properties/name/type",
    "text",
    'must be one of string, integer, number, boolean, array and object, or a list like ["string", "null"], got "text"',
  ],
  ["/properties/name/type", ["string", "integer"], "must be one of"],
  ["/properties/x", { const: null }, "must accept a value other than null"],
  ["/properties/readings/minLength", 3, "is for string, but this is integer"],
  ["/properties/name/minLength", -1, "must be a whole number from 0, got -1"],
  ["/properties/readings/minimum", 2 ** 53, "must be an integer within +-(2^53 - 1)"],
  ["/properties/x", { enum: ["a", 1] }, "/properties/x/enum must hold values of one kind, got string and integer"],
  ["/properties/x", { enum: ["a", "a"] }, '/properties/x/enum/1 is listed twice: "a"'],
  [
    "/properties/x",
    { type: "string", enum: ["a", null] },
    "/properties/x/enum/1 must fit the other keywords, got null",
  ],
  ["/properties/x", { enum: ["ab", "a"], minLength: 2 }, '/properties/x/enum/1 must fit the other keywords, got "a"'],
  ["/properties/x", { type: "string", const: 3 }, "/properties/x/const must fit the other keywords, got 3"],
  ["/properties/x", { const: [] }, "/properties/x/const must be a string, a number, true, false or null, got []"],
  ["/properties/x", { type: "array" }, "needs items"],
  [
    "/properties/x",
    { anyOf: [{ type: "array" }] },
    "/properties/x/anyOf/0 must accept only strings, numbers, true and false, got array",
  ],
  [
    "/properties/x",
    { anyOf: [{ type: "string" }], type: "string" },
    "/properties/x/type cannot be combined with anyOf",
  ],
  [
    "/properties/x",
    { type: ["string", "null"], enum: ["a", "b"] },
    "/properties/x/type accepts null, but enum does not",
  ],
  ["/properties/x", { type: ["string", "null"], const: "a" }, "/properties/x/type accepts null, but const does not"],
  [
    "/properties/x",
    { anyOf: [{ type: "boolean" }, { type: "integer" }] },
    "/properties/x/anyOf cannot combine booleans with other kinds",
  ],
  [
    "/properties/x",
    { anyOf: [{ type: "string", anyOf: [] }] },
    "/properties/x/anyOf/0/anyOf is not a keyword of a schema in anyOf",
  ],
  [
    "/properties/x",
    { anyOf: [{ type: "string", "x-column": "a" }] },
    "/properties/x/anyOf/0/x-column is not a keyword",
  ],
  ["/properties/extra/type", "string", "cannot be combined with x-json"],
  ["/properties/x", { type: "string", "x-json": false }, "/properties/x/x-json must be true, or left out, got false"],
  ["/properties/sensors/x-facet", true, "is for string"],
  ["/properties/opened/format", "time", "must be one of uuid, date, date-time, uri"],
  ["/properties/code/pattern", "([", "must be a regular expression with the flag u (Unterminated character class)"],
  ["/properties/code/pattern", "\\_", "must be a regular expression with the flag u"],
  ["/properties/code/pattern", `^${"a".repeat(500)}$`, "must have at most"],
  ["/properties/closed/x-null", { const: "2020-01-01" }, "contradicts null in the field's type"],
  [
    "/properties/opened/x-null",
    { const: "never" },
    '/properties/opened/x-null/const must be a value that the field accepts, got "never"',
  ],
  [
    "/properties/nickname/x-null",
    { field: "nam" },
    '/properties/nickname/x-null/field must be the path of a field, got "nam"; did you mean name?',
  ],
  [
    "/properties/nickname/x-null",
    { field: "readings" },
    "/properties/nickname/x-null/field must be a field of the kind string, got readings",
  ],
  [
    "/properties/nickname/x-null",
    { field: "closed" },
    '/properties/nickname/x-null/field must be a field that is never null, got "closed"',
  ],
  [
    "/properties/nickname/x-null",
    { join: ["name", "readings"] },
    "/properties/nickname/x-null/join/1 must be a field of the kind string, got readings",
  ],
  [
    "/properties/nickname/x-null",
    { const: "a", field: "name" },
    "must have exactly one of const, field, join, setting, got const and field",
  ],
  [
    "/properties/nickname/x-null",
    { setting: "port" },
    '/properties/nickname/x-null/setting must be "defaultAvatar", got "port"',
  ],
  [
    "/properties/readings/x-null",
    { setting: "defaultAvatar" },
    "/properties/readings/x-null/setting gives a string, and the field is integer",
  ],
  ["/properties/nickname/x-null", { field: "nickname" }, "refers to nickname again through other fields"],
  [
    "/properties/nickname/x-null",
    { field: "name", empty: { const: "a" } },
    "/properties/nickname/x-null/empty is only for join",
  ],
  [
    "/properties/nickname/x-null",
    { join: ["name"], empty: { field: "x" } },
    "/properties/nickname/x-null/empty/field must be the path of a field",
  ],
  ["/properties/readings/x-observed", { type: "string" }, "must have the field's kind, integer, got string"],
  ["/properties/name/x-null-marks", ["n/a"], 'is for fields that take NULL; add "null" to the type, or an x-null'],
  ["/properties/closed/x-null-marks", "n/a", 'must be a list of texts, got "n/a"'],
  ["/properties/closed/x-null-marks", ["n/a", 0], "/properties/closed/x-null-marks/1 must be a text, got 0"],
  ["/properties/position/x-null-marks", ["n/a"], "is not for objects; move it to a field of the object"],
  ["/properties/readings/x-observed", { maxLength: 3 }, "/properties/readings/x-observed/maxLength is for string"],
  [
    "/properties/readings/x-observed",
    { const: -1 },
    "/properties/readings/x-observed/const must be a value that the field accepts, got -1",
  ],
  [
    "/properties/readings/x-observed",
    { minimum: -1 },
    "/properties/readings/x-observed/minimum must be narrower than the field's minimum, which is 0, got -1",
  ],
  ["/properties/readings/x-observed", {}, "must have a keyword, got {}"],
  ["/properties/extra/x-observed", { type: "string" }, "is not for x-json fields"],
  ["/properties/readings/x-observed", { "x-column": "a" }, "/properties/readings/x-observed/x-column is not a keyword"],
  [
    "/x-observed",
    [{ sql: "1" }],
    "/x-observed/0/name must be a name like closed-after-opened: letters, digits and . _ -, a letter first, got nothing",
  ],
  [
    "/x-observed",
    [{ name: "readings", sql: "1" }],
    "/x-observed/0/name is the name of the warnings about the field readings",
  ],
  ["/title", "\ud83c", "has half a surrogate pair"],
  [
    "/properties",
    JSON.parse('{"__proto__":{"type":"string"}}'),
    "/properties/__proto__ has a name that is not allowed",
  ],
];

/** Other changes, and the beginning of the only mistake that each makes. */
const CASES: Record<string, [change: (contract: Rough) => unknown, mistake: string]> = {
  "a property that may be missing": [
    (c) => c.required.pop(),
    '/required must list every property, got none of ["extra"]',
  ],
  "a property that is required twice": [(c) => c.required.push("code"), '/required/11 is listed twice: "code"'],
  "bounds in a wrong order": [
    (c) => Object.assign(c.properties.readings, { minimum: 5, maximum: 4, "x-observed": undefined }),
    "/properties/readings/minimum must be at most maximum, which is 4, got 5",
  ],
  "bounds with nothing between": [
    (c) => Object.assign(c.properties.readings, { minimum: 4, exclusiveMaximum: 4 }),
    "/properties/readings/minimum must be below exclusiveMaximum",
  ],
  "lengths in a wrong order": [
    (c) => Object.assign(c.properties.name, { minLength: 2, maxLength: 1 }),
    "/properties/name/minLength must be at most maxLength",
  ],
};

function expectMistake(mistakes: readonly string[], mistake: string): void {
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]?.slice(0, mistake.length)).toBe(mistake);
  expect(mistakes[0]).not.toMatch(/[\p{Cc}]/u);
}

test.each(WRONG)("refuses %s: %j", (place, value, mistake) => {
  const mistakes = mistakesAfter((contract) => put(contract, place, value));
  expectMistake(mistakes, mistake.startsWith("/") ? mistake : `${place} ${mistake}`);
});

test.each(Object.entries(CASES))("refuses %s", (_, [change, mistake]) => {
  expectMistake(mistakesAfter(change), mistake);
});

test("reports a cycle of x-null for each of its fields", () => {
  const mistakes = mistakesAfter((contract) => {
    contract.properties.name["x-null"] = { join: ["nickname"] };
  });
  expect(mistakes).toEqual([
    "/properties/name/x-null refers to name again through other fields; break the cycle.",
    "/properties/nickname/x-null refers to nickname again through other fields; break the cycle.",
  ]);
});

test("accepts unusual but valid keywords", () => {
  const fine: Record<string, Rough> = {
    level: { enum: [1, 2, null], "x-facet": true },
    always: { const: true },
    mixed: { anyOf: [{ type: "integer", minimum: 0 }, { const: "unknown" }, { const: null }] },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { at: { type: "string", format: "date-time" }, tags: { type: "array", items: { "x-json": true } } },
        required: ["tags", "at"],
        additionalProperties: false,
      },
      "x-observed": { maxItems: 3 },
    },
    constructor: { type: "string", "x-null": { join: ["name", "nickname"], empty: { const: "x" } } },
    huge: { type: "number", maximum: 1e300, exclusiveMinimum: -1e300 },
    link: { type: "string", format: "uri", "x-null": { setting: "defaultAvatar" }, "x-image": true },
    note: { "x-json": true, "x-null": { const: [] } },
    photo: { type: ["string", "null"], format: "uri", "x-image": "https://images.example.com:8443" },
  };
  const mistakes = mistakesAfter((contract) => {
    contract.$schema = "../node_modules/rollcall/contract.schema.json";
    contract["x-listing"].label = "position.latitude";
    Object.assign(contract["x-listing"], {
      title: "Stations",
      description: "All of them,\nby country.",
      publisher: "The weather service",
      license: "CC-BY-4.0",
      source: "https://weather.example.org/data",
      contact: "data@weather.example.org",
      columns: ["code", "position.latitude", "photo"],
    });
    for (const [name, schema] of Object.entries(fine)) withField(name, schema)(contract);
  });
  expect(mistakes).toEqual([]);
});

test.each([
  ["", "The file is not JSON: the file is empty."],
  ['{"a": }', "The file is not JSON: line 1, column 7: value expected, found }."],
  ["[]", "The file must be an object, got []."],
  ["null", "The file must not be null."],
  ["[".repeat(100_000), "The file is nested deeper than 320 levels."],
  [`${'{"a":'.repeat(321)}1${"}".repeat(321)}`, "The file is nested deeper than 320 levels."],
  [`{"a":${"1,".repeat(10)}`, /^The file is not JSON: /],
  [" ".repeat(1_000_001), "The file must have at most 1000000 bytes."],
])("refuses %.20s", (text, mistake) => {
  const mistakes = mistakesOf(checkContract(text));
  expect(mistakes).toHaveLength(1);
  expect(mistakes[0]).toMatch(mistake);
});

test("parts with a wrong form do not hide other mistakes, or cause any", () => {
  const mistakes = mistakesAfter((contract) => {
    Object.assign(contract.properties.readings, { minimum: "0", maxLength: 3 });
    contract.properties.nickname["x-null"] = { join: ["nam", 3], field: 7 };
    contract.properties.sensors.items = { enum: [{}], minLength: 2, maxLength: 1 };
    contract.properties.name = { anyOf: [{ type: "string", minLength: 2, maxLength: 1 }, { type: "strin" }] };
    contract.properties.country = [];
    contract["x-observed"] = [{ name: "a" }, { name: "b", sql: "hidden = 1" }, { name: 3, sql: "1" }];
  });
  expect(mistakes).toEqual([
    '/properties/name/anyOf/1/type must be one of string, integer, number, boolean, array and object, or a list like ["string", "null"], got "strin".',
    "/properties/nickname/x-null/field must be the path of a field, as in position.latitude, got 7.",
    "/properties/nickname/x-null/join/1 must be the path of a field, as in position.latitude, got 3.",
    "/properties/country must be an object, got [].",
    "/properties/sensors/items/enum/0 must be a string, a number, true, false or null, got {}.",
    '/properties/readings/minimum must be a finite number, got "0".',
    "/x-observed/0/sql must be an SQL expression, got nothing.",
    "/x-observed/2/name must be a name like closed-after-opened: letters, digits and . _ -, a letter first, got 3.",
    "/properties/name/anyOf/0/minLength must be at most maxLength, which is 1, got 2.",
    "/properties/sensors/items/minLength must be at most maxLength, which is 1, got 2.",
    "/properties/readings/maxLength is for string, but this is integer.",
    "/properties/nickname/x-null must have exactly one of const, field, join, setting, got field and join.",
    expect.stringMatching(/^\/x-observed\/1\/sql must name columns of the contract only, got "hidden"; there are /),
  ]);
});

test("reports repeated names together with other mistakes", () => {
  const text = STATIONS_CONTRACT.text.replace('"title": "Station"', '"title": "Station", "title": 3');
  expect(mistakesOf(checkContract(text))).toEqual([
    '"title" is repeated (line 3, column 23); remove one.',
    "/title must be text, got 3.",
  ]);
});

test("refuses too many fields, and too deep nesting", () => {
  const many = mistakesAfter((contract) => {
    for (let at = 0; at < 1000; at++) contract.properties[`f${at}`] = { type: "string" };
    contract.required = Object.keys(contract.properties);
  });
  expect(many).toEqual(["/properties must have at most 1000 fields, got 1012."]);
  const nest = (depth: number): Rough =>
    depth === 0
      ? { type: "string" }
      : { type: "object", properties: { a: nest(depth - 1) }, required: ["a"], additionalProperties: false };
  expect(mistakesAfter(withField("deep", nest(15)))).toEqual([]);
  expect(mistakesAfter(withField("deep", nest(16)))).toEqual([expect.stringMatching(/ is deeper than 16 levels\.$/)]);
});

test("reads deeply nested lists", () => {
  let list: Rough = { type: "string" };
  for (let level = 0; level < 100; level++) list = { type: "array", items: list };
  const read = checkContract({
    ...STATIONS,
    properties: { ...STATIONS.properties, list },
    required: [...STATIONS.required, "list"],
  });
  if ("mistakes" in read) throw new Error(read.mistakes.join());
  expect(recordPattern(read).takes("{}", 1)).toBe(false);
});

test("refuses too many patterns before checking any", () => {
  const mistakes = mistakesAfter((contract) => {
    for (let at = 0; at < 200; at++) withField(`f${at}`, { type: "string", pattern: `^(a|a)*${at}$` })(contract);
  });
  expect(mistakes).toEqual(["The file must have at most 100 different patterns, got 202."]);
});

test("stops checking after a few slow patterns", () => {
  const mistakes = mistakesAfter((contract) => {
    for (let at = 0; at < 90; at++) withField(`f${at}`, { type: "string", pattern: `^(a|a)*${at}$` })(contract);
  });
  expect(mistakes).toEqual([expect.stringMatching(/^The file has more than 4 patterns .*: "\^\(a\|a\)\*0\$", /)]);
});

test("lists at most a hundred mistakes", () => {
  const mistakes = mistakesAfter((contract) => {
    for (let at = 0; at < 300; at++) contract[`wrong${at}`] = 1;
  });
  expect(mistakes).toHaveLength(101);
  expect(mistakes.at(-1)).toBe("200 more mistakes are not listed.");
});

test("refuses values that are not JSON", () => {
  const circle: Rough = {};
  circle.circle = circle;
  for (const value of [circle, { version: 1n }, undefined, () => 1]) {
    expect(mistakesOf(checkContract(value))).toHaveLength(1);
  }
});
