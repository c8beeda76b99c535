/** The schemas of what a reader gets. They allow further fields, so that what is generated from them takes later snapshots, too. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { PAGE_SIZE } from "../../contract/links.js";
import { kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import { typeName } from "../../contract/schema/typescript.js";
import { BULK, CHANGES } from "../layout.js";
import { type Described, type Part, ref } from "./parts.js";

const text = { type: "string" } as const;
const count = { type: "integer", format: "int64", minimum: 0 } as const;
const digest = { type: "string", pattern: "^[0-9a-f]{64}$", description: "A SHA-256 in hexadecimal." } as const;
const texts = { type: "array", items: text } as const;

/** The schemas of all files and errors, by name. */
const SCHEMAS = {
  Error: { ...objectOf({ detail: { ...text, description: "What is wrong, in words." } }), title: "Error" },
  Snapshot: {
    ...objectOf({
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
    ...objectOf({
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
    ...objectOf({ openapi: text, info: { type: "object" }, paths: { type: "object" } }),
    title: "Description",
  },
  Bulk: {
    ...objectOf({
      count: { ...count, description: "How many records there are." },
      sha256: { ...digest, description: "The SHA-256 of all plain bytes, in hexadecimal." },
      parts: {
        type: "array",
        minItems: 1,
        items: objectOf({
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
    ...objectOf({
      state: { ...digest, description: "The state that the last step leads to: that of the snapshot." },
      steps: {
        type: "array",
        description: "Newest first. Each leads to the state that the one before it in the list begins with.",
        items: objectOf({
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
} as const satisfies Record<string, Part>;

function objectOf<Properties extends Part>(properties: Properties) {
  return { type: "object", properties, required: Object.keys(properties) } as const;
}

/** By the names of their components. */
export function schemaComponents(contract: Contract, described: Described): Part {
  const { Bulk, Changes, ...always } = SCHEMAS;
  const { files } = described;
  return {
    [recordName(contract, described)]: recordSchema(contract),
    Page: pageSchema(contract, described),
    ...always,
    ...(files.includes(BULK) && { Bulk }),
    ...(files.includes(CHANGES) && { Changes }),
  };
}

/** What a record is called: `User`. Names of components are ASCII, and others have theirs. */
function recordName({ file, listing }: Contract, { files }: Described): string {
  const names = [typeName(file.title ?? ""), typeName(listing.words[0])];
  const { Changes, ...others } = SCHEMAS;
  // A release without steps is described as it was before there were any.
  const taken = { ...others, ...(files.includes(CHANGES) && { Changes }) };
  const isFree = (name: string) => /^\w+$/.test(name) && name !== "Page" && !Object.hasOwn(taken, name);
  return names.find(isFree) ?? "Record";
}

function pageSchema(contract: Contract, described: Described): Part {
  const { links } = described;
  const link = { type: ["string", "null"], format: "uri" };
  const form = links === "query" ? "?format=api&page=N" : "pages/N.json";
  return {
    title: "Page",
    ...objectOf({
      count: { ...count, description: `How many ${contract.listing.words[1]} there are in the whole listing.` },
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
