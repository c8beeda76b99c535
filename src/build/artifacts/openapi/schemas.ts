/** Schemas of records, pages and files. They allow additional fields, so that generated clients accept later snapshots. */
import * as z from "zod";
import type { Contract } from "../../../core/contract/contract.js";
import type { ValueSchema } from "../../../core/contract/file/form.js";
import { PAGE_SIZE } from "../../../core/contract/links.js";
import { kindOf } from "../../../core/contract/record/kind.js";
import { typeOf } from "../../../core/contract/record/schema.js";
import { typeName } from "../../../core/contract/typescript.js";
import { BULK, CHANGES, LOOKUP } from "../../../core/release/layout.js";
import { siteSchema } from "../../../core/release/site.js";
import { plainSnapshotSchema, snapshotSchema } from "../../../core/release/snapshot.js";
import { countSchema } from "../artifact.js";
import { bulkSchema } from "../bulk.js";
import { changesSchema } from "../steps.js";
import { type ApiDescription, type JsonPart, ref } from "./described.js";

/** The schemas of a record and of a page by name, the record first. @param prefix before each name */
export function recordSchemas(contract: Contract, described: ApiDescription, prefix = ""): JsonPart {
  const { $schema: _, ...record } = contract.file;
  const name = `${prefix}${recordName(contract, ["Page", ...Object.keys(fileSchemas(described))])}`;
  return { [name]: readerSchema(record), [`${prefix}Page`]: pageSchema(contract, described, name) };
}

/** The schema of the snapshot.json at the top of a site. */
export function siteFileSchema(): JsonPart {
  return schemaOf(siteSchema);
}

/** Schemas of the files that the release has. */
export function fileSchemas({ files, isInSite }: ApiDescription): JsonPart {
  return {
    Error: objectWith({ detail: { type: "string", description: "What is wrong, in words." } }),
    Snapshot: schemaOf(isInSite ? snapshotSchema : plainSnapshotSchema),
    ...(files.includes(BULK) && { Bulk: schemaOf(bulkSchema) }),
    ...(files.includes(CHANGES) && { Changes: schemaOf(changesSchema) }),
    ...(files.includes(LOOKUP) && { Lookup: schemaOf(lookupSchema) }),
  };
}

/** Component name of the record: `User`. It must be ASCII, and not the name of another component. */
function recordName({ file, listing }: Contract, taken: readonly string[]): string {
  const names = [typeName(file.title ?? ""), typeName(listing.words[0])];
  return names.find((name) => /^\w+$/.test(name) && !taken.includes(name)) ?? "Record";
}

function pageSchema({ listing }: Contract, { links }: ApiDescription, record: string): JsonPart {
  const form = links === "query" ? "?format=api&page=N" : "pages/N.json";
  const link = { type: ["string", "null"], format: "uri" };
  return objectWith({
    count: {
      type: "integer",
      format: "int64",
      minimum: 0,
      description: `Number of ${listing.words[1]} in the whole listing.`,
    },
    next: { ...link, description: `URL of the next page, ${form}; null on the last page.` },
    previous: { ...link, description: `URL of the previous page, ${form}; null on the first page.` },
    results: {
      type: "array",
      maxItems: PAGE_SIZE.max,
      items: ref("schemas", record),
      description: "Records in the listing's order. All pages but the last have the same number.",
    },
  });
}

/** An object with at least these members. */
function objectWith(properties: JsonPart): JsonPart {
  return { type: "object", properties, required: Object.keys(properties) };
}

const names = z.array(z.string()).min(1);
const terms = z.array(z.union([z.string(), z.tuple([z.string(), countSchema])]));

/** The form of lookup/index.json. */
const lookupSchema = z.object({
  key: names.describe("The path of the key, as a list of names."),
  fields: z.array(names).describe("The paths of the fields whose words are indexed."),
  keys: terms.describe(
    "The first term of lookup/keys/1.txt and of each following file; if a file begins within the list of a term, the term and the first record number, from 0.",
  ),
  words: terms.describe("The same of lookup/words/1.txt and the following files."),
  version: countSchema.describe("Version of the format and of how text is split into words."),
});

/** The schema of a file. Limits of integers are left out, since no count comes near them. */
function schemaOf(form: z.ZodType): JsonPart {
  const { $schema: _, ...schema } = z.toJSONSchema(form, {
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum !== Number.MAX_SAFE_INTEGER) return;
      delete jsonSchema.maximum;
      jsonSchema.format = "int64";
    },
  });
  return schema;
}

/** The schema of a record for readers: without `x-` keywords and invalid examples, with the limits of integers, and open to additional fields. */
function readerSchema(schema: ValueSchema): JsonPart {
  const { properties, items, anyOf, examples, ...others } = schema;
  const kept = Object.entries(others).filter(([keyword, value]) => !isForPublishers(keyword, value));
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

function isForPublishers(keyword: string, value: unknown): boolean {
  return keyword.startsWith("x-") || (keyword === "additionalProperties" && value === false);
}

/** The format of numbers, and the limits of integers, which hold for every record even if the contract does not state them. */
function numberKeywords(schema: ValueSchema): JsonPart {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const kind = kindOf(schema);
  if (kind !== "integer") return kind === "number" ? { format: "double" } : {};
  return {
    format: "int64",
    ...(exclusiveMinimum === undefined && { minimum: minimum ?? Number.MIN_SAFE_INTEGER }),
    ...(exclusiveMaximum === undefined && { maximum: maximum ?? Number.MAX_SAFE_INTEGER }),
  };
}
