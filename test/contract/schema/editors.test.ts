/** The schemas for editors accept what Rollcall accepts, and have every name. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { contractSchema } from "../../../src/contract/file/shapes.js";
import { USERS } from "../../../src/contract/users.js";
import { configSchema, SETTING_KEYS } from "../../../src/settings/settings.js";
import { STATIONS } from "../../support/stations.js";

const ROOT = new URL("../../../", import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(contractSchema(), "contract.schema.json");
const takesContract = ajv.compile(contractSchema());
const takesConfig = ajv.compile({ $id: "config.schema.json", ...configSchema() });

test.each([
  ["contract.schema.json", contractSchema],
  ["config.schema.json", configSchema],
])("the package's %s is up to date", (file, schema) => {
  expect(JSON.parse(readFileSync(new URL(file, ROOT), "utf8"))).toEqual(schema());
  const { files, exports } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  expect(files).toContain(file);
  expect(exports).toHaveProperty([`./${file}`], `./${file}`);
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
    interface Part {
      description?: string;
      $ref?: string;
      properties?: Record<string, Part>;
    }
    const { $defs = {} } = contractSchema() as { $defs?: Record<string, Part> };
    const meaning = ({ description, $ref }: Part): string | undefined =>
      description ?? ($ref && meaning($defs[$ref.replace("#/$defs/", "")] ?? {}));
    const silent = Object.entries($defs).flatMap(([name, { properties = {} }]) =>
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
