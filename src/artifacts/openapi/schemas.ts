/** The schemas of what a reader gets. They allow further fields, so that what is generated from them takes later snapshots, too. */
import type { Contract } from "../../contract/contract.js";
import type { ValueSchema } from "../../contract/file/form.js";
import { PAGE_SIZE } from "../../contract/links.js";
import { kindOf } from "../../contract/record/kind.js";
import { typeOf } from "../../contract/record/schema.js";
import { typeName } from "../../contract/schema/typescript.js";
import { BULK, CHANGES, EXPLORER, LOOKUP } from "../../release/layout.js";
import { FILE_SCHEMAS, objectWith, wholeNumber } from "./json-files.js";
import { type Described, hasSorted, type Part, ref } from "./parts.js";

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
