/** Schemas of records, pages and files. They allow additional fields, so that generated clients accept later snapshots. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { PAGE_SIZE } from "../../contract/links.js";
import { kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import { typeName } from "../../contract/typescript.js";
import { BULK, CHANGES, EXPLORER, LOOKUP } from "../../release/layout.js";
import { type ApiDescription, hasSorted, type Part, ref } from "./described.js";

/** Schema components by name. */
export function schemaComponents(contract: Contract, described: ApiDescription): Part {
  return {
    [recordName(contract, described)]: recordSchema(contract),
    Page: pageSchema(contract, described),
    ...fileSchemas(described),
  };
}

/** Schemas of the files that the release has. */
function fileSchemas(described: ApiDescription): Part {
  const { Bulk, Changes, Lookup, Beginnings, Summary, ...always } = FILE_SCHEMAS;
  const { files } = described;
  return {
    ...always,
    ...(files.includes(BULK) && { Bulk }),
    ...(files.includes(CHANGES) && { Changes }),
    ...(files.includes(LOOKUP) && { Lookup }),
    ...(hasSorted(described) && { Beginnings }),
    ...(files.includes(EXPLORER) && { Summary }),
  };
}

/** Component name of the record: `User`. It must be ASCII, and not the name of another component. */
function recordName({ file, listing }: Contract, described: ApiDescription): string {
  const names = [typeName(file.title ?? ""), typeName(listing.words[0])];
  const taken = ["Page", "Bulk", ...Object.keys(fileSchemas(described))];
  const isFree = (name: string) => /^\w+$/.test(name) && !taken.includes(name);
  return names.find(isFree) ?? "Record";
}

function pageSchema(contract: Contract, described: ApiDescription): Part {
  const { links } = described;
  const link = { type: ["string", "null"], format: "uri" };
  const form = links === "query" ? "?format=api&page=N" : "pages/N.json";
  return {
    title: "Page",
    ...objectWith({
      count: { ...wholeNumber, description: `Number of ${contract.listing.words[1]} in the whole listing.` },
      next: { ...link, description: `URL of the next page, ${form}; null on the last page.` },
      previous: { ...link, description: `URL of the previous page, ${form}; null on the first page.` },
      results: {
        type: "array",
        maxItems: PAGE_SIZE.max,
        items: ref("schemas", recordName(contract, described)),
        description: "Records in the listing's order. All pages but the last have the same number.",
      },
    }),
  };
}

/** The schema of a record for readers: without `x-` keywords, and open to additional fields. */
function recordSchema({ file: { $schema: _, ...file } }: Contract): Part {
  return readerSchema(file);
}

function readerSchema(schema: ValueSchema): Part {
  const { properties, items, anyOf, examples, additionalProperties: _, ...others } = schema;
  const kept = Object.entries(others).filter(([keyword]) => !keyword.startsWith("x-"));
  const valid = examples?.filter((example) => typeOf(schema).safeParse(example).success) ?? [];
  const members = Object.entries(properties ?? {}).map(([name, field]) => [name, readerSchema(field)]);
  return {
    ...Object.fromEntries(kept),
    ...(valid.length > 0 && { examples: valid }),
    ...(schema.type !== undefined && numberKeywords(schema)),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: readerSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(readerSchema) }),
  };
}

/** The format of numbers, and the limits of integers, which hold for every record even if the contract does not state them. */
function numberKeywords(schema: ValueSchema): Part {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const kind = kindOf(schema);
  if (kind !== "integer") return kind === "number" ? { format: "double" } : {};
  return {
    format: "int64",
    ...(exclusiveMinimum === undefined && { minimum: minimum ?? Number.MIN_SAFE_INTEGER }),
    ...(exclusiveMaximum === undefined && { maximum: maximum ?? Number.MAX_SAFE_INTEGER }),
  };
}

const wholeNumber = { type: "integer", format: "int64", minimum: 0 } as const;

const text = { type: "string" } as const;
const count = wholeNumber;
const integer = { type: "integer", format: "int64" } as const;
const digest = { type: "string", pattern: "^[0-9a-f]{64}$", description: "A SHA-256 in hexadecimal." } as const;
const texts = { type: "array", items: text } as const;
/** A field's path as a list of names. */
const path = { ...texts, minItems: 1 } as const;
const beginnings = ref("schemas", "Beginnings");

const times = objectWith({
  path: text,
  first: { ...text, description: "The earliest." },
  last: { ...text, description: "The latest." },
  unit: { ...text, description: "The length of a bin, in words." },
  bins: {
    type: "array",
    description: "Bins from `from` (inclusive) to `to` (exclusive), oldest first.",
    items: objectWith({ from: text, to: text, count }),
  },
  before: { ...count, description: "Number of outliers before the first bin." },
  after: { ...count, description: "Number of outliers after the last bin." },
});

/** Schemas of files by name. */
const FILE_SCHEMAS = {
  Error: named("Error", { detail: { ...text, description: "What is wrong, in words." } }),
  Snapshot: named("Snapshot", {
    id: {
      type: "string",
      pattern: "^[0-9a-f]{12}$",
      description: "The id of the snapshot. It is too short to verify data by.",
    },
    contract: { ...count, description: "The contract's version." },
    count: { ...count, description: "Number of records." },
    pages: { ...count, minimum: 1 },
    page_size: { ...count, minimum: PAGE_SIZE.min, maximum: PAGE_SIZE.max },
    base_url: { type: "string", format: "uri" },
    links: { enum: ["query", "path"], description: "The form of `next` and `previous`." },
    encodings: { ...texts, description: "Content codings of the compressed pages." },
    skipped: { ...count, description: "Number of invalid records that were left out." },
    state: {
      ...digest,
      description: "The SHA-256 of records.sha256, the list of digests and keys. It identifies the set of records.",
    },
    warnings: { type: "object", additionalProperties: count, description: "Number of records with each warning." },
  }),
  Contract: named(
    "Contract",
    {
      type: { const: "object" },
      "x-listing": {
        type: "object",
        description: "The listing's path, key and order.",
      },
      properties: { type: "object", description: "The fields of a record." },
      required: texts,
    },
    "A JSON Schema (2020-12) of one record, with keywords that begin with x-.",
  ),
  Description: named("Description", { openapi: text, info: { type: "object" }, paths: { type: "object" } }),
  Bulk: named("Bulk", {
    count: { ...count, description: "Number of records." },
    sha256: { ...digest, description: "The SHA-256 of all plain bytes, in hexadecimal." },
    parts: {
      type: "array",
      minItems: 1,
      items: objectWith({
        file: { ...text, description: "The part's path below the base URL." },
        count: { ...count, description: "Number of records in it." },
        bytes: { ...count, description: "The size of the file." },
        sha256: { ...digest, description: "The SHA-256 of its plain bytes, in hexadecimal." },
      }),
    },
  }),
  Changes: named("Changes", {
    state: { ...digest, description: "The snapshot's state, to which the first listed step leads." },
    steps: {
      type: "array",
      description: "Newest first. The `to` of each step is the `from` of the step before it in the list.",
      items: objectWith({
        from: { ...digest, description: "The state before the step." },
        to: { ...digest, description: "The state after the step." },
        file: { ...text, description: "The step's path below the base URL." },
        bytes: { ...count, description: "The size of the file." },
        sha256: { ...digest, description: "The SHA-256 of its plain bytes, in hexadecimal." },
        put: { ...count, description: "Number of records that are new or changed." },
        remove: { ...count, description: "Number of removed records." },
      }),
    },
  }),
  Lookup: named(
    "Lookup",
    {
      key: { ...path, description: "The path of the key, as a list of names." },
      fields: { type: "array", items: path, description: "The paths of the fields whose words are indexed." },
      keys: { ...beginnings, description: "First terms of lookup/keys/1.txt and the following files." },
      words: { ...beginnings, description: "First terms of lookup/words/1.txt and the following files." },
      version: { ...count, description: "Version of the format of these files and of how text is split into words." },
    },
    "The index of files that find records by key or by words of their names.",
  ),
  Beginnings: {
    type: "array",
    items: { anyOf: [text, { type: "array", minItems: 2, maxItems: 2, items: { anyOf: [text, count] } }] },
    title: "Beginnings",
    description:
      "The first term of each file; if a file begins within the list of a term, the term and the first record number, from 0.",
  },
  Summary: named(
    "Summary",
    {
      count: { ...count, description: "Number of records." },
      facets: {
        type: "array",
        description: "Fields by whose values records can be filtered.",
        items: objectWith({
          path: text,
          names: path,
          values: {
            type: "array",
            description: "Most frequent first.",
            items: objectWith({ value: { description: "The value, of any type." }, count }),
          },
          more: { ...count, description: "Number of rarer values that are not listed." },
        }),
      },
      lists: { ...beginnings, description: "First terms of explorer/facets/1.txt and the following files." },
      times: {
        description: "Number of records over time, by the first time field of the order; null without one.",
        anyOf: [times, { type: "null" }],
      },
      integers: {
        type: "array",
        description: "Number of records in bins of integers; both bounds are inclusive.",
        items: objectWith({
          path: text,
          min: integer,
          max: integer,
          bins: { type: "array", items: objectWith({ from: integer, to: integer, count }) },
        }),
      },
      version: { ...count, description: "Version of the format of this file." },
    },
    "Counts of all records, which the explorer shows.",
  ),
} as const satisfies Record<string, Part>;

/** An object with at least these members. */
function objectWith<Properties extends Part>(properties: Properties) {
  return { type: "object", properties, required: Object.keys(properties) } as const;
}

function named<Properties extends Part>(title: string, properties: Properties, description?: string) {
  return { ...objectWith(properties), title, ...(description !== undefined && { description }) };
}
