/**
 * A JSON Schema of Data Packages, version 2.0, written by hand from the text of the specification at https://datapackage.org:
 * Data Package, Data Resource, Table Dialect, Table Schema, and the recipe for compressed resources. No npm package has the profiles
 * that are published there. This schema is stricter than they are: it refuses members and constraints that the text does not define.
 */
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string", minLength: 1 };
const yesOrNo = { type: "boolean" };
const whole = { type: "integer", minimum: 0 };
const texts = { type: "array", items: { type: "string" }, uniqueItems: true };
const names = { type: "array", items: text, minItems: 1, uniqueItems: true };
/** The names that the specification recommends. */
const name = { type: "string", pattern: "^[a-z0-9._-]+$" };
/** A POSIX path below the descriptor, or a URL. */
const place = { type: "string", pattern: "^(?:https?://.+|(?![./~])(?!.*//)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\]+)$" };

function objectOf(properties: Schema, ...required: readonly string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

const licenses = {
  type: "array",
  minItems: 1,
  items: {
    ...objectOf({ name: { type: "string", pattern: "^[-a-zA-Z0-9._]+$" }, path: place, title: text }),
    anyOf: [{ required: ["name"] }, { required: ["path"] }],
  },
};
const sources = {
  type: "array",
  items: {
    ...objectOf({ title: text, path: place, email: { ...text, format: "email" }, version: text }),
    minProperties: 1,
  },
};
const contributors = {
  type: "array",
  minItems: 1,
  items: {
    ...objectOf({
      title: text,
      path: place,
      email: { ...text, format: "email" },
      givenName: text,
      familyName: text,
      organization: text,
      roles: names,
    }),
    minProperties: 1,
  },
};

const valuesOf = (items: Schema) => ({ type: "array", items, minItems: 1, uniqueItems: true });
const lengths = { minLength: whole, maxLength: whole };
const bounds = (bound: Schema) => ({
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
});
const numbers = (type: "number" | "integer") => ({ ...bounds({ type }), enum: valuesOf({ type }) });

/** The types that are written, with the formats and the constraints of each. */
const TYPES: Readonly<Record<string, { formats?: readonly string[]; constraints: Schema; more?: Schema }>> = {
  string: {
    formats: ["default", "email", "uri", "binary", "uuid"],
    constraints: { ...lengths, pattern: { ...text, format: "regex" }, enum: valuesOf({ type: "string" }) },
  },
  number: { constraints: numbers("number") },
  integer: { constraints: numbers("integer") },
  boolean: {
    constraints: { enum: valuesOf(yesOrNo) },
    more: { trueValues: { ...texts, minItems: 1 }, falseValues: { ...texts, minItems: 1 } },
  },
  array: { constraints: { ...lengths, jsonSchema: { type: "object" } } },
  date: { formats: ["default"], constraints: bounds({ type: "string", format: "date" }) },
  datetime: { formats: ["default"], constraints: bounds({ type: "string", format: "date-time" }) },
  any: { constraints: {} },
};

const fields = Object.entries(TYPES).map(([type, { formats = ["default"], constraints, more }]) =>
  objectOf(
    {
      name: text,
      type: { const: type },
      format: { enum: formats },
      title: text,
      description: text,
      missingValues: texts,
      constraints: { ...objectOf({ required: yesOrNo, unique: yesOrNo, ...constraints }), minProperties: 1 },
      ...more,
    },
    "name",
    "type",
  ),
);

const profile = (of: string) => ({ const: `https://datapackage.org/profiles/2.0/${of}.json` });

const tableSchema = objectOf(
  {
    $schema: profile("tableschema"),
    fields: { type: "array", minItems: 1, items: { oneOf: fields } },
    missingValues: texts,
    primaryKey: names,
    foreignKeys: {
      type: "array",
      minItems: 1,
      items: objectOf(
        // A reference to the same resource names none.
        { fields: names, reference: objectOf({ resource: name, fields: names }, "fields") },
        "fields",
        "reference",
      ),
    },
  },
  "$schema",
  "fields",
);

const of = { name, path: place, title: text, description: text, licenses, sources, bytes: whole };
const hash = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };

const table = objectOf(
  {
    ...of,
    hash,
    type: { const: "table" },
    // Of version 1, which version 2 reads as the type above.
    profile: { const: "tabular-data-resource" },
    format: { const: "csv" },
    mediatype: { const: "text/csv" },
    encoding: { const: "utf-8" },
    compression: { enum: ["gz", "zip"] },
    dialect: objectOf({
      delimiter: text,
      lineTerminator: { enum: ["\n", "\r\n"] },
      quoteChar: text,
      doubleQuote: yesOrNo,
    }),
    schema: tableSchema,
  },
  ...["name", "path", "type", "format", "mediatype", "encoding", "bytes", "hash", "schema"],
);

const file = objectOf(
  { ...of, hash, format: text, mediatype: { type: "string", pattern: "^[^/]+/[^/]+$" } },
  ...["name", "path", "format", "mediatype", "bytes", "hash"],
);

const DATA_PACKAGE_SCHEMA = objectOf(
  {
    $schema: profile("datapackage"),
    name,
    title: text,
    description: text,
    licenses,
    sources,
    contributors,
    resources: { type: "array", minItems: 1, items: { oneOf: [table, file] } },
  },
  "$schema",
  "resources",
);

/** The check of a Data Package by this schema. */
export function specifiedCheck(): ValidateFunction {
  const ajv = new Ajv({ strict: false, unicodeRegExp: true, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(DATA_PACKAGE_SCHEMA);
}
