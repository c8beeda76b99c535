/** The schemas of what a reader gets. They allow further fields, so that what is generated from them takes later snapshots, too. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { PAGE_SIZE } from "../../contract/links.js";
import { kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import { typeName } from "../../contract/typescript.js";
import { BULK, CHANGES, EXPLORER, LOOKUP } from "../../release/layout.js";
import { type Described, hasSorted, type Part, ref } from "./described.js";

/** By the names of their components. */
export function schemaComponents(contract: Contract, described: Described): Part {
  return {
    [recordName(contract, described)]: recordSchema(contract),
    Page: pageSchema(contract, described),
    ...fileSchemas(described),
  };
}

/** Those of files that the release has. One without is described as it was before there were any. */
function fileSchemas(described: Described): Part {
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

/** What a record is called: `User`. Names of components are ASCII, and others have theirs. */
function recordName({ file, listing }: Contract, described: Described): string {
  const names = [typeName(file.title ?? ""), typeName(listing.words[0])];
  const taken = ["Page", "Bulk", ...Object.keys(fileSchemas(described))];
  const isFree = (name: string) => /^\w+$/.test(name) && !taken.includes(name);
  return names.find(isFree) ?? "Record";
}

function pageSchema(contract: Contract, described: Described): Part {
  const { links } = described;
  const link = { type: ["string", "null"], format: "uri" };
  const form = links === "query" ? "?format=api&page=N" : "pages/N.json";
  return {
    title: "Page",
    ...objectWith({
      count: { ...wholeNumber, description: `How many ${contract.listing.words[1]} there are in the whole listing.` },
      next: { ...link, description: `The following page, ${form}; null on the last.` },
      previous: { ...link, description: `The preceding page, ${form}; null on the first.` },
      results: {
        type: "array",
        maxItems: PAGE_SIZE.max,
        items: ref("schemas", recordName(contract, described)),
        description: "In the listing's order. Every page but the last has as many.",
      },
    }),
  };
}

/** A contract as its readers need it: without where values come from, and open to further fields. */
function recordSchema({ file: { $schema: _, ...file } }: Contract): Part {
  return opened(file);
}

function opened(schema: ValueSchema): Part {
  const { properties, items, anyOf, examples, additionalProperties: _, ...others } = schema;
  const told = Object.entries(others).filter(([keyword]) => !keyword.startsWith("x-"));
  const valid = examples?.filter((example) => typeOf(schema).safeParse(example).success) ?? [];
  const members = Object.entries(properties ?? {}).map(([name, field]) => [name, opened(field)]);
  return {
    ...Object.fromEntries(told),
    ...(valid.length > 0 && { examples: valid }),
    ...(schema.type !== undefined && numberKeywords(schema)),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: opened(items) }),
    ...(anyOf && { anyOf: anyOf.map(opened) }),
  };
}

/** What a contract need not say and every record keeps: that each reader can hold its integers. And how numbers may be stored. */
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
/** The path of a field, by its parts. */
const path = { ...texts, minItems: 1 } as const;
const beginnings = ref("schemas", "Beginnings");

const times = objectWith({
  path: text,
  first: { ...text, description: "The earliest." },
  last: { ...text, description: "The latest." },
  unit: { ...text, description: "How long a bin is, in words." },
  bins: {
    type: "array",
    description: "From a moment to before another, oldest first.",
    items: objectWith({ from: text, to: text, count }),
  },
  before: { ...count, description: "How many are so long before all others that they are in no bin." },
  after: { ...count, description: "How many are so long after all others that they are in no bin." },
});

/** By name. */
const FILE_SCHEMAS = {
  Error: named("Error", { detail: { ...text, description: "What is wrong, in words." } }),
  Snapshot: named("Snapshot", {
    id: { type: "string", pattern: "^[0-9a-f]{12}$", description: "The name of the snapshot. It proves nothing." },
    contract: { ...count, description: "The contract's version." },
    count: { ...count, description: "How many records there are." },
    pages: { ...count, minimum: 1 },
    page_size: { ...count, minimum: PAGE_SIZE.min, maximum: PAGE_SIZE.max },
    base_url: { type: "string", format: "uri" },
    links: { enum: ["query", "path"], description: "The form of `next` and `previous`." },
    encodings: { ...texts, description: "The content codings in which there are compressed pages." },
    skipped: { ...count, description: "How many invalid records were left out." },
    state: { ...digest, description: "Which records there are: the SHA-256 of the list of their digests and keys." },
    warnings: { type: "object", additionalProperties: count, description: "How many records have each warning." },
  }),
  Contract: named(
    "Contract",
    {
      type: { const: "object" },
      "x-listing": {
        type: "object",
        description: "Where the listing is, what names a record, and the order.",
      },
      properties: { type: "object", description: "The fields of a record." },
      required: texts,
    },
    "A JSON Schema (2020-12) of one record, with keywords that begin with x-.",
  ),
  Description: named("Description", { openapi: text, info: { type: "object" }, paths: { type: "object" } }),
  Bulk: named("Bulk", {
    count: { ...count, description: "How many records there are." },
    sha256: { ...digest, description: "The SHA-256 of all plain bytes, in hexadecimal." },
    parts: {
      type: "array",
      minItems: 1,
      items: objectWith({
        file: { ...text, description: "Where the part is, below the base URL." },
        count: { ...count, description: "How many records it holds." },
        bytes: { ...count, description: "The size of the file." },
        sha256: { ...digest, description: "The SHA-256 of its plain bytes, in hexadecimal." },
      }),
    },
  }),
  Changes: named("Changes", {
    state: { ...digest, description: "The state that the last step leads to: that of the snapshot." },
    steps: {
      type: "array",
      description: "Newest first. Each leads to the state that the one before it in the list begins with.",
      items: objectWith({
        from: { ...digest, description: "The state of the copies that the step is for." },
        to: { ...digest, description: "The state of such a copy afterwards." },
        file: { ...text, description: "Where the step is, below the base URL." },
        bytes: { ...count, description: "The size of the file." },
        sha256: { ...digest, description: "The SHA-256 of its plain bytes, in hexadecimal." },
        put: { ...count, description: "How many records are new or other than they were." },
        remove: { ...count, description: "How many records are gone." },
      }),
    },
  }),
  Lookup: named(
    "Lookup",
    {
      key: { ...path, description: "The field that names a record, by the parts of its path." },
      fields: { type: "array", items: path, description: "The fields by whose words records are found." },
      keys: { ...beginnings, description: "Of lookup/keys/1.txt and those after it." },
      words: { ...beginnings, description: "Of lookup/words/1.txt and those after it." },
      version: { ...count, description: "Of the form of these files, and of how words are cut." },
    },
    "Which file says where a record is, by its key or by the words of its names.",
  ),
  Beginnings: {
    type: "array",
    items: { anyOf: [text, { type: "array", minItems: 2, maxItems: 2, items: { anyOf: [text, count] } }] },
    title: "Beginnings",
    description:
      "What each file of a folder begins with: a term; or a term and the number of a record, from 0, where the file begins within the term's list.",
  },
  Summary: named(
    "Summary",
    {
      count: { ...count, description: "How many records there are." },
      facets: {
        type: "array",
        description: "The fields by whose values records are chosen.",
        items: objectWith({
          path: text,
          names: path,
          values: {
            type: "array",
            description: "Most frequent first.",
            items: objectWith({ value: { description: "The value, of any type." }, count }),
          },
          more: { ...count, description: "How many rarer values are not listed." },
        }),
      },
      lists: { ...beginnings, description: "Of explorer/facets/1.txt and those after it." },
      times: {
        description:
          "How many records are of which time, by the first field of the order that is one; null without one.",
        anyOf: [times, { type: "null" }],
      },
      integers: {
        type: "array",
        description: "How many records have an integer from one to another, both counted in.",
        items: objectWith({
          path: text,
          min: integer,
          max: integer,
          bins: { type: "array", items: objectWith({ from: integer, to: integer, count }) },
        }),
      },
      version: { ...count, description: "Of the form of this file." },
    },
    "What is counted of all records, for the page for people.",
  ),
} as const satisfies Record<string, Part>;

/** An object that has at least these members. */
function objectWith<Properties extends Part>(properties: Properties) {
  return { type: "object", properties, required: Object.keys(properties) } as const;
}

function named<Properties extends Part>(title: string, properties: Properties, description?: string) {
  return { ...objectWith(properties), title, ...(description !== undefined && { description }) };
}
