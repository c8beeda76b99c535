/** `rollcall schema` in each format, for contracts and releases; and the errors of other verbs for a bad contract. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { build } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { STATIONS, STATIONS_CONTRACT, stationsFile } from "../support/stations.js";
import { fakeIo, rollcall } from "./run.js";

function inFolder(env = {}) {
  const cwd = scratch();
  return { cwd, run: (line: string) => rollcall(line, fakeIo(cwd, { env })) };
}

test("prints the built-in contract, or the one beside the config file", async () => {
  const { cwd, run } = inFolder();
  expect(await run("schema")).toEqual({ code: 0, stdout: USERS_CONTRACT.text, stderr: "" });
  writeFileSync(join(cwd, "rollcall.contract.json"), JSON.stringify(STATIONS));
  expect(await run("schema")).toEqual({ code: 0, stdout: STATIONS_CONTRACT.text, stderr: "" });
});

test("prints a named contract as SQL and as TypeScript", async () => {
  // The format of a diff is another setting.
  const { cwd, run } = inFolder({ ROLLCALL_FORMAT: "html" });
  writeFileSync(join(cwd, "c.json"), JSON.stringify(STATIONS));
  const sql = await run("schema --contract c.json --format sql");
  expect(sql).toMatchObject({ code: 0, stderr: "" });
  expect(sql.stdout).toMatch(
    /^-- A weather station\.\nCREATE TABLE "stations" \(\n {2}"code" TEXT NOT NULL PRIMARY KEY,\n/,
  );
  const types = await run("schema --contract c.json --format typescript");
  expect(types.stdout).toMatch(/^\/\*\* A weather station\. \*\/\nexport interface Station \{\n {2}code: string;\n/);
  expect((await run("schema --format text")).stderr).toContain("--format must be json-schema, sql or typescript");
});

test("prints the contract of a release", async () => {
  const { cwd, run } = inFolder();
  const db = stationsFile(3);
  const { id } = await build({ db, baseUrl: "https://example.com", dist: join(cwd, "dist"), contract: STATIONS });
  for (const word of ["current", id, "dist"]) {
    expect(await run(`schema ${word}`)).toEqual({ code: 0, stdout: STATIONS_CONTRACT.text, stderr: "" });
  }
  expect(await run("schema none")).toMatchObject({ code: 2, stdout: "" });
});

test.each(["schema", "build --db s.sqlite --base-url https://example.com"])("%s with a bad contract", async (line) => {
  const { cwd, run } = inFolder();
  writeFileSync(join(cwd, "bad.json"), JSON.stringify({ ...STATIONS, titel: "x", required: ["\u001b[31m"] }));
  const { code, stdout, stderr } = await run(`${line} --contract bad.json`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.split("\n")).toEqual([
    "error: bad.json is not a valid contract. It has 3 mistakes:",
    "  /titel is not a keyword of a contract; did you mean title?",
    expect.stringMatching(/^ {2}\/required must list every property, /),
    expect.stringMatching(/^ {2}\/required\/0 must be a property, got "\\u001b\[31m"; there are code/),
    "",
  ]);
  expect(existsSync(join(cwd, "dist"))).toBe(false);
});

/** A thousand fields, each with three mistakes. */
const MANY = Object.fromEntries(
  Array.from({ length: 1000 }, (_, at) => [`f${at}`, { type: "strin", minLenght: 3, pattern: 3 }]),
);
const STATION = JSON.stringify(STATIONS);
const withFields = (properties: object) =>
  JSON.stringify({ ...STATIONS, properties, required: Object.keys(properties) });
const withCode = (schema: object) => withFields({ ...STATIONS.properties, code: schema });

test.each([
  ["a list", "[]", "The file must be an object, got []."],
  ["a number", "3", "The file must be an object, got 3."],
  ["one nested too deep", `${'{"properties":'.repeat(5000)}{}${"}".repeat(5000)}`, "The file is nested deeper than"],
  ["a field __proto__", STATION.replace('"name":{', '"__proto__":{'), "/properties/__proto__ has a name that is not"],
  ["three thousand mistakes", withFields(MANY), "/properties/f0/type must be one of string, integer, number,"],
  [
    "a long pattern",
    withCode({ type: "string", pattern: "a?".repeat(50_000) }),
    "/properties/code/pattern must have at",
  ],
  [
    "references in a circle",
    withCode({ $ref: "#/properties/code" }),
    "/properties/code/$ref is not a keyword of a field",
  ],
  ["a reference to itself", '{"$ref":"#"}', '/type must be "object", got nothing.'],
  ["a name twice", STATION.replace('"title":', '"title":"a","title":'), '"title" is repeated (line 1, column 7'],
  ["a name ten thousand times", `{${'"a":1,'.repeat(10_000)}"a":1}`, '"a" is repeated (line 1, column 8)'],
  [
    "a title that is slow to check with a careless pattern",
    JSON.stringify({ ...STATIONS, "x-listing": { ...STATIONS["x-listing"], title: `${"a".repeat(500_000)}\u0001` } }),
    "/x-listing/title must be a text of one line",
  ],
  [
    "ten thousand unknown keywords",
    withCode(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [at, at]))),
    "",
  ],
  ["an object whose property is not one", STATION.replace('"latitude":{', '"latitude":3,"lat":{'), ""],
])("a contract that is %s is refused in few words", async (_, text, mistake) => {
  const { cwd, run } = inFolder();
  writeFileSync(join(cwd, "bad.json"), text);
  const { code, stdout, stderr } = await run("schema --contract bad.json");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  const [first, second, ...others] = stderr.split("\n");
  expect(first).toMatch(/^error: bad\.json is not a valid contract\. It has \d+ mistakes?:$/);
  expect(second).toContain(`  ${mistake}`);
  expect(others.length).toBeLessThanOrEqual(101);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stderr.length).toBeLessThan(50_000);
});
