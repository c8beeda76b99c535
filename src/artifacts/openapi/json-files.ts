/** The schemas of the JSON files of a release and of errors, as a reader may rely on them. */
import { PAGE_SIZE } from "../../contract/links.js";
import { type Part, ref } from "./parts.js";

export const wholeNumber = { type: "integer", format: "int64", minimum: 0 } as const;

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
export const FILE_SCHEMAS = {
  Error: { ...objectWith({ detail: { ...text, description: "What is wrong, in words." } }), title: "Error" },
  Snapshot: {
    ...objectWith({
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
    title: "Snapshot",
  },
  Contract: {
    ...objectWith({
      type: { const: "object" },
      "x-listing": {
        type: "object",
        description: "Where the listing is, what names a record, and the order.",
      },
      properties: { type: "object", description: "The fields of a record." },
      required: texts,
    }),
    title: "Contract",
    description: "A JSON Schema (2020-12) of one record, with keywords that begin with x-.",
  },
  Description: {
    ...objectWith({ openapi: text, info: { type: "object" }, paths: { type: "object" } }),
    title: "Description",
  },
  Bulk: {
    ...objectWith({
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
    title: "Bulk",
  },
  Changes: {
    ...objectWith({
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
    title: "Changes",
  },
  Lookup: {
    ...objectWith({
      key: { ...path, description: "The field that names a record, by the parts of its path." },
      fields: { type: "array", items: path, description: "The fields by whose words records are found." },
      keys: { ...beginnings, description: "Of lookup/keys/1.txt and those after it." },
      words: { ...beginnings, description: "Of lookup/words/1.txt and those after it." },
      version: { ...count, description: "Of the form of these files, and of how words are cut." },
    }),
    title: "Lookup",
    description: "Which file says where a record is, by its key or by the words of its names.",
  },
  Beginnings: {
    type: "array",
    items: { anyOf: [text, { type: "array", minItems: 2, maxItems: 2, items: { anyOf: [text, count] } }] },
    title: "Beginnings",
    description:
      "What each file of a folder begins with: a term; or a term and the number of a record, from 0, where the file begins within the term's list.",
  },
  Summary: {
    ...objectWith({
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
    }),
    title: "Summary",
    description: "What is counted of all records, for the page for people.",
  },
} as const satisfies Record<string, Part>;

/** An object that has at least these members. */
export function objectWith<Properties extends Part>(properties: Properties) {
  return { type: "object", properties, required: Object.keys(properties) } as const;
}
