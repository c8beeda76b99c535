/** The schemas for editors accept what Rollcall accepts, and have every name. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { USERS } from "../../../src/core/contract/users.js";
import { configSchema, SETTING_KEYS } from "../../../src/core/settings/settings.js";
import { contractSchema, editor, type Part, takesContract } from "../../support/editors.js";
import { STATIONS } from "../../support/stations.js";

const ROOT = new URL("../../../", import.meta.url);
const takesConfig = editor.compile({ $id: "config.schema.json", ...configSchema() });

test.each(["contract.schema.json", "config.schema.json"])("the package has %s", (file) => {
  const { files, exports } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  expect(files).toContain(file);
  expect(exports).toHaveProperty([`./${file}`], `./${file}`);
});

test("the package's config.schema.json is up to date", () => {
  expect(JSON.parse(readFileSync(new URL("config.schema.json", ROOT), "utf8"))).toEqual(configSchema());
});

describe("contracts", () => {
  test.each([
    ["users", USERS],
    ["stations", STATIONS],
    ["with a path", { ...STATIONS, $schema: "./node_modules/rollcall/contract.schema.json" }],
  ])("%s", (_, contract) => {
    takesContract(contract);
    expect(takesContract.errors ?? []).toEqual([]);
  });

  test.each([
    ["an unknown keyword", { ...STATIONS, titel: "Station" }],
    ["an unknown keyword of a field", { ...STATIONS, properties: { code: { type: "string", minlength: 3 } } }],
    ["a field of a field", { ...STATIONS, properties: { a: { type: "object", properties: { b: { type: "int" } } } } }],
    ["a listing without a key", { ...STATIONS, "x-listing": { path: "/a/" } }],
  ])("not %s", (_, contract) => {
    expect(takesContract(contract)).toBe(false);
  });

  test("every keyword has a description", () => {
    const { $defs = {}, ...top } = contractSchema;
    const partAt = (ref: string) =>
      ref
        .split("/")
        .slice(1)
        .reduce<unknown>((inside, name) => Object(inside)[name], contractSchema) as Part;
    const meaning = ({ description, $ref }: Part): string | undefined => description ?? ($ref && meaning(partAt($ref)));
    const silent = Object.entries({ ...$defs, top }).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([key, part]) => (meaning(part) ? [] : [`${name}.${key}`])),
    );
    expect(Object.keys($defs)).toContain("field");
    expect(silent).toEqual([]);
  });
});

describe("settings", () => {
  test("every setting has its schema, help and default", () => {
    const { properties } = configSchema() as { properties: Record<string, { description?: string }> };
    expect(Object.keys(properties)).toEqual(["$schema", ...SETTING_KEYS]);
    expect(SETTING_KEYS.filter((key) => !properties[key]?.description)).toEqual([]);
    expect(properties).toMatchObject({ pageSize: { type: "integer", minimum: 1, maximum: 1000, default: 100 } });
  });

  test.each([
    [true, { $schema: "./node_modules/rollcall/config.schema.json", db: "a.sqlite", keep: 3, compress: ["br"] }],
    [true, { contract: "c.json", maxRemoved: "2%", only: ["a.*"] }],
    [true, { contract: STATIONS, maxRemoved: 10 }],
    [false, { contract: { ...STATIONS, type: "array" } }],
    [false, { keep: -1 }],
    [false, { pagesize: 10 }],
  ])("%s: %j", (isTaken, config) => {
    expect(takesConfig(config)).toBe(isTaken);
  });
});
