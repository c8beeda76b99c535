/** datapackage.json: the fields of contracts, names, keys, and what is said of a listing and of a site. */
import { describe, expect, test } from "vitest";
import {
  describePackage,
  describeSitePackage,
  type PackagedFile,
  type PackagedListing,
} from "../../../../src/build/artifacts/data-package.js";
import { contractOf } from "../../../../src/core/contract/contract.js";
import type { ContractFile, FieldSchema, Listing } from "../../../../src/core/contract/file/form.js";
import { USERS_CONTRACT } from "../../../../src/core/contract/users.js";
import { SHOP } from "../../../support/shop.js";
import { STATIONS_CONTRACT } from "../../../support/stations.js";
import { thingsWith } from "../parquet-files.js";
import type { Package, TableField } from "./reading.js";
import { specifiedCheck } from "./specified.js";

const CSV: PackagedFile = { path: "records.csv.gz", sha256: "a".repeat(64), bytes: 123 };
const PARQUET: PackagedFile = { path: "records.parquet", sha256: "b".repeat(64), bytes: 456 };

const isSpecified = specifiedCheck();

/** A package, which must be as it is specified. */
function read(text: string): Package {
  const described = JSON.parse(text);
  isSpecified(described);
  expect(isSpecified.errors ?? []).toEqual([]);
  return described;
}

const packageOf = (file: ContractFile, files: readonly PackagedFile[] = [CSV]) =>
  read(describePackage(contractOf(file), files));

/** The description of a field, without its name and its type. */
function fieldOf(schema: FieldSchema): Omit<TableField, "name"> {
  const [resource] = packageOf(thingsWith({ value: schema })).resources;
  const { name, ...field } = resource?.schema.fields[1] ?? { name: "none", type: "none" };
  expect(name).toBe("value");
  return field;
}

const REQUIRED = { required: true };
const NEVER_NULL = { missingValues: [], constraints: REQUIRED };

describe("a field", () => {
  test.each<[schema: FieldSchema, field: Omit<TableField, "name">]>([
    [{ type: "string" }, { type: "string", ...NEVER_NULL }],
    [{ type: ["string", "null"] }, { type: "string" }],
    [
      { type: "string", "x-null": { const: "" } },
      { type: "string", ...NEVER_NULL },
    ],
    [
      { type: "string", format: "uuid" },
      { type: "string", format: "uuid", ...NEVER_NULL },
    ],
    [
      { type: ["string", "null"], format: "uri" },
      { type: "string", format: "uri" },
    ],
    [
      { type: "string", format: "date" },
      { type: "date", constraints: REQUIRED },
    ],
    [{ type: ["string", "null"], format: "date-time" }, { type: "datetime" }],
    [{ anyOf: [{ const: "never" }, { type: "string", format: "date" }] }, { type: "string", ...NEVER_NULL }],
    [{ anyOf: [{ const: null }, { type: "string", format: "date" }] }, { type: "date" }],
    [{ type: "boolean" }, { type: "boolean", trueValues: ["true"], falseValues: ["false"], constraints: REQUIRED }],
    [
      { type: "array", minItems: 1, maxItems: 3 },
      { type: "array", constraints: { required: true, minLength: 1, maxLength: 3 } },
    ],
    [{ type: ["array", "null"], items: { type: "integer" } }, { type: "array" }],
    [{ "x-json": true }, { type: "any" }],
    [{ anyOf: [{ type: "number" }, { type: "string" }] }, { type: "any", ...NEVER_NULL }],
    [{ const: null }, { type: "any" }],
    [{ type: "integer" }, { type: "integer", constraints: REQUIRED }],
    [{ anyOf: [{ type: "integer" }, { type: "number" }] }, { type: "number", constraints: REQUIRED }],
    [
      { type: ["integer", "null"], minimum: 0, maximum: 9 },
      { type: "integer", constraints: { minimum: 0, maximum: 9 } },
    ],
    [
      { type: "number", exclusiveMinimum: -0.5, exclusiveMaximum: 1e308 },
      { type: "number", constraints: { required: true, exclusiveMinimum: -0.5, exclusiveMaximum: 1e308 } },
    ],
    [
      { type: "integer", minimum: 0.5, exclusiveMaximum: 9.5, maximum: 9 },
      { type: "integer", constraints: { required: true, maximum: 9 } },
    ],
    [{ enum: [1, 2, null] }, { type: "integer", constraints: { enum: [1, 2] } }],
    [{ enum: [1, 1e300] }, { type: "number", constraints: { required: true, enum: [1, 1e300] } }],
    [
      { const: true },
      { type: "boolean", trueValues: ["true"], falseValues: ["false"], constraints: { required: true, enum: [true] } },
    ],
    [
      { type: "string", title: "Value", description: "What it is worth." },
      { type: "string", title: "Value", description: "What it is worth.", ...NEVER_NULL },
    ] as never,
  ])("%j is %j", (schema, field) => {
    expect(fieldOf(schema)).toEqual(field);
  });

  test.each<[schema: FieldSchema, constraints: object]>([
    [{ type: "string", pattern: "^[A-Z]{2}$" }, { pattern: "^[A-Z]{2}$" }],
    [
      { type: "string", pattern: "^[A-Z]", minLength: 1, maxLength: 9 },
      { minLength: 1, maxLength: 9 },
    ],
    [{ type: "string", pattern: "^(?:a|b)+$" }, { pattern: "^(a|b)+$" }],
    [{ type: "string", format: "uuid", pattern: "^[0-9a-f-]{36}$" }, { pattern: "^[0-9a-f\\-]{36}$" }],
    [{ enum: ["one", "a-b", "1+1"] }, { enum: ["one", "a-b", "1+1"] }],
    // A text may get an apostrophe.
    [{ type: "string", minLength: 1, maxLength: 9 }, {}],
    [{ type: "string", pattern: "^[+0-9]+$", maxLength: 9 }, {}],
    [{ type: "string", pattern: "^.{2}$" }, {}],
    [{ type: "string", pattern: "[A-Z]{2}" }, {}],
    [{ enum: ["one", "-"] }, {}],
    [{ const: "=1" }, {}],
    [{ enum: ["one", "＠home"] }, {}],
  ])("%j has the constraints %j, which its cells meet", (schema, constraints) => {
    expect(fieldOf(schema).constraints).toEqual({ required: true, ...constraints });
  });
});

describe("a key", () => {
  const keyed = (key: FieldSchema) => {
    const { properties, ...file } = thingsWith({ value: { type: "integer" } });
    return packageOf({ ...file, properties: { ...properties, key } }).resources[0]?.schema.primaryKey;
  };

  test.each<FieldSchema>([
    { type: "integer" },
    { type: "string", format: "uuid" },
    { type: "string", pattern: "^[A-Z0-9]+$" },
    { enum: ["a", "b"] },
    { anyOf: [{ type: "string", format: "uuid" }, { const: "none" }] },
  ])("%j is the primary key", (key) => {
    expect(keyed(key)).toEqual(["key"]);
  });

  test.each<FieldSchema>([
    { type: "string" },
    { type: "string", minLength: 1 },
    { type: "string", pattern: "^-?[0-9]+$" },
    {
      anyOf: [
        { type: "string", format: "uuid" },
        { type: "string", maxLength: 3 },
      ],
    },
  ])("%j is none: -1 and '-1 are the same in CSV", (key) => {
    expect(keyed(key)).toBeUndefined();
  });
});

test("fields are named as the columns, in their order, also names that differ by case, or begin like a formula", () => {
  const properties: Record<string, FieldSchema> = {
    ID: { type: "integer" },
    id: { type: "integer" },
    "=sum": { type: "integer" },
    'a,"b"': { type: "integer" },
    inner: {
      type: "object",
      properties: { "x y": { type: "integer" } },
      required: ["x y"],
      additionalProperties: false,
    },
  };
  const [resource] = packageOf(thingsWith(properties)).resources;
  expect(resource?.schema.fields.map(({ name }) => name)).toEqual(["key", "ID", "id", "'=sum", 'a,"b"', "inner.x y"]);
});

test("the files are named with their bytes and digests, and the Parquet file without a schema", () => {
  const { resources } = read(describePackage(USERS_CONTRACT, [CSV, PARQUET]));
  expect(resources).toEqual([
    {
      name: "users",
      path: "records.csv.gz",
      type: "table",
      profile: "tabular-data-resource",
      format: "csv",
      mediatype: "text/csv",
      encoding: "utf-8",
      compression: "gz",
      dialect: { lineTerminator: "\n" },
      bytes: 123,
      hash: `sha256:${"a".repeat(64)}`,
      schema: expect.objectContaining({ missingValues: [""], primaryKey: ["id"] }),
    },
    {
      name: "users.parquet",
      path: "records.parquet",
      format: "parquet",
      mediatype: "application/vnd.apache.parquet",
      bytes: 456,
      hash: `sha256:${"b".repeat(64)}`,
    },
  ]);
});

describe("what the contract says of a listing", () => {
  const described = (more: Partial<Listing>) => {
    const {
      resources: _,
      $schema,
      ...about
    } = packageOf({
      ...thingsWith({ value: { type: "integer" } }),
      "x-listing": { ...thingsWith({})["x-listing"], ...more },
    }) as Package & { $schema: string };
    expect($schema).toBe("https://datapackage.org/profiles/2.0/datapackage.json");
    return about;
  };

  test("is said of the package", () => {
    expect(
      described({
        title: "All things",
        description: "Each of them.",
        publisher: "Thing office",
        license: "CC-BY-4.0",
        source: "https://things.example/raw",
        contact: "jo@things.example",
      }),
    ).toEqual({
      name: "things",
      title: "All things",
      description: "Each of them.",
      licenses: [{ name: "CC-BY-4.0" }],
      sources: [{ title: "https://things.example/raw", path: "https://things.example/raw" }],
      contributors: [{ title: "Thing office", email: "jo@things.example", roles: ["publisher"] }],
    });
  });

  test.each([
    ["https://things.example/terms", { path: "https://things.example/terms" }],
    ["GPL-2.0+", { path: "https://spdx.org/licenses/GPL-2.0+.html" }],
  ])("a licence %s is %j", (license, expected) => {
    expect(described({ license })).toEqual({ name: "things", licenses: [expected] });
  });

  test("a contact is a URL, too, and is not said without a publisher", () => {
    const contact = "https://things.example/help";
    expect(described({ contact })).toEqual({ name: "things" });
    expect(described({ contact, publisher: "Office" })).toMatchObject({
      contributors: [{ title: "Office", path: contact, roles: ["publisher"] }],
    });
  });

  test.each([
    ["Wetter Stationen", "wetter-stationen"],
    ["öffentliche Stellen", "offentliche-stellen"],
    ["駅", "records"],
    ["..a/b..", "a.b"],
    ["Things_2.0-x", "things_2.0-x"],
  ])("the word %s is the name %s", (many, name) => {
    expect(described({ words: ["one", many] })).toEqual({ name });
  });

  test("references of a plain release lead nowhere", () => {
    const file = thingsWith({ value: { type: "string", "x-references": "things" } });
    expect(packageOf(file).resources[0]?.schema.foreignKeys).toBeUndefined();
  });
});

describe("a site", () => {
  const listing = (name: string, file: ContractFile, files: readonly PackagedFile[] = [CSV]): PackagedListing => ({
    name,
    contract: contractOf(file),
    files,
  });
  const site = { baseUrl: "https://data.example.com:8443/open/Data" };
  const packaged = (...listings: PackagedListing[]) => read(describeSitePackage(site, listings));

  test("has the resources of all listings with CSV, their references, and its own title", () => {
    const names = ["categories", "customers", "orders", "products"] as const;
    const listings = names.map((name) =>
      listing(name, SHOP[name].contract, name === "customers" ? [PARQUET] : [CSV, PARQUET]),
    );
    const told = { ...site, title: "A shop", description: "All of it.", dataPackage: true };
    const { resources, ...about } = read(describeSitePackage(told, listings));
    expect(about).toMatchObject({
      name: "data.example.com-8443.open.data",
      title: "A shop",
      description: "All of it.",
    });
    expect(resources.map(({ name, path, schema }) => [name, path, schema?.foreignKeys])).toEqual([
      ["categories", "categories/records.csv.gz", [{ fields: ["parent_id"], reference: { fields: ["id"] } }]],
      ["categories.parquet", "categories/records.parquet", undefined],
      // Its customers have no CSV file, and its agents are only observed to be customers.
      ["orders", "orders/records.csv.gz", undefined],
      ["orders.parquet", "orders/records.parquet", undefined],
      [
        "products",
        "products/records.csv.gz",
        [{ fields: ["category_id"], reference: { resource: "categories", fields: ["id"] } }],
      ],
      ["products.parquet", "products/records.parquet", undefined],
    ]);
  });

  test("leaves out references that are only observed", () => {
    const { resources } = packaged(
      ...(["customers", "orders"] as const).map((name) => listing(name, SHOP[name].contract)),
    );
    expect(resources[1]?.schema.foreignKeys).toEqual([
      { fields: ["customer_id"], reference: { resource: "customers", fields: ["id"] } },
    ]);
  });

  test("names resources after listings, and no two alike", () => {
    const file = thingsWith({ value: { type: "integer" } });
    const referring = thingsWith({ value: { type: ["string", "null"], "x-references": "v1/Things" } });
    const { resources } = packaged(
      listing("v1.things", referring),
      listing("v1.things-2", file),
      listing("v1/Things", file, [CSV, PARQUET]),
      listing("x", file),
      listing("x.parquet", file, [CSV, PARQUET]),
    );
    expect(resources.map(({ name, path }) => [name, path])).toEqual([
      ["v1.things", "v1.things/records.csv.gz"],
      ["v1.things-2", "v1.things-2/records.csv.gz"],
      ["v1.things-3", "v1/Things/records.csv.gz"],
      ["v1.things-3.parquet", "v1/Things/records.parquet"],
      ["x", "x/records.csv.gz"],
      ["x.parquet", "x.parquet/records.csv.gz"],
      ["x.parquet.parquet", "x.parquet/records.parquet"],
    ]);
    expect(resources[0]?.schema.foreignKeys).toEqual([
      { fields: ["value"], reference: { resource: "v1.things-3", fields: ["key"] } },
    ]);
  });

  test("says of each resource what the contract says of its listing", () => {
    const licensed = {
      ...STATIONS_CONTRACT.file,
      "x-listing": { ...STATIONS_CONTRACT.file["x-listing"], license: "ODbL-1.0" },
    };
    const { resources, licenses } = packaged(listing("stations", licensed, [CSV, PARQUET]));
    expect(licenses).toBeUndefined();
    expect(resources).toMatchObject([
      { name: "stations", description: "A weather station.", licenses: [{ name: "ODbL-1.0" }] },
      { name: "stations.parquet", description: "A weather station.", licenses: [{ name: "ODbL-1.0" }] },
    ]);
  });
});

test("the schema refuses what the specification does not allow", () => {
  const wrong = (change: (described: Package & Record<string, unknown>) => void) => {
    const described = JSON.parse(describePackage(STATIONS_CONTRACT, [CSV]));
    change(described);
    return isSpecified(described);
  };
  const field = ({ resources }: Package) => resources[0]?.schema.fields[0] as unknown as Record<string, unknown>;
  expect(wrong(() => {})).toBe(true);
  expect(wrong((described) => described.resources.splice(0))).toBe(false);
  expect(
    wrong((described) =>
      Object.assign(described, { $schema: "https://datapackage.org/profiles/1.0/datapackage.json" }),
    ),
  ).toBe(false);
  expect(wrong((described) => Object.assign(described.resources[0] ?? {}, { name: "v1/Orders" }))).toBe(false);
  expect(wrong((described) => Object.assign(described.resources[0] ?? {}, { path: "../records.csv.gz" }))).toBe(false);
  expect(wrong((described) => Object.assign(described.resources[0] ?? {}, { hash: "sha256:abc" }))).toBe(false);
  expect(wrong((described) => Object.assign(field(described), { type: "text" }))).toBe(false);
  expect(wrong((described) => Object.assign(field(described), { constraints: { minimum: 1 } }))).toBe(false);
  expect(wrong((described) => Object.assign(described, { licenses: [{ name: "GPL-2.0+" }] }))).toBe(false);
});
