/** The zod schema of a contract file, from which contract.schema.json for editors is made. */
import { z } from "zod";
import { isPublishableUrl } from "../links.js";
import { KEYWORDS } from "../record/keywords.js";
import type { ValueKind } from "../record/kind.js";
import type { ContractFile } from "./form.js";

export const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const TYPES = ["string", "integer", "number", "boolean", "array"] as const;

/** The keywords of each shape, by its name in messages. */
export const MEMBERS = new Map<string, readonly string[]>();

/** Makes the schema of an object. Messages complete "must be ..."; for unknown members, the message is a key of `MEMBERS`. */
function shape<Shape extends z.core.$ZodLooseShape>(name: string, members: Shape) {
  MEMBERS.set(name, Object.keys(members));
  const error = ({ code }: { code?: string | undefined }) => (code === "unrecognized_keys" ? name : "an object");
  return z.strictObject(members, { error });
}

const text = (allowed: string) => z.string({ error: allowed }).min(1, { error: allowed });
const list = <Item extends z.ZodType>(item: Item, allowed: string) =>
  z.array(item, { error: allowed }).min(1, { error: allowed });
const fieldPath = text("the path of a field, as in position.latitude");
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "a string, a number, true, false or null",
});

/** Without `;`, space or quotes, which would end a source of a Content-Security-Policy. */
const isOrigin = (text: string) => /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(text);
const IMAGE = "true, or the origin of the images, such as https://images.example.com";
const image = z.union([z.literal(true), z.string().refine(isOrigin, { error: IMAGE })], { error: IMAGE });
const onlyTrue = z.literal(true, { error: "true, or left out" });
/** An optional member, with the description that editors show. */
const optional = (form: z.ZodType, description: string) => form.describe(description).optional();

/** The forms of the keywords about a kind of value. */
function formsFor(kind: ValueKind) {
  const all = Object.entries(KEYWORDS).filter(([, { kinds }]) => kinds.includes(kind));
  return Object.fromEntries(all.map(([name, { form }]) => [name, form]));
}

const type = z.union([z.enum([...TYPES, "object"]), z.tuple([z.enum(TYPES), z.literal("null")])], {
  error: `one of ${TYPES.join(", ")} and object, or a list like ["string", "null"]`,
});

const annotations = {
  title: optional(z.string({ error: "text" }), "A short name."),
  description: optional(z.string({ error: "text" }), "What it means, for the documentation, types and openapi.json."),
  examples: optional(z.array(z.unknown(), { error: "a list of values" }), "Example values."),
};

const scalars = {
  type: optional(
    type,
    'The type of the value. With "null" in a list beside it, NULL of the source is published as null.',
  ),
  enum: optional(list(scalar, "a list of one or more values"), "The allowed values, all of one kind."),
  const: optional(scalar, "The only allowed value."),
  ...formsFor("string"),
  ...formsFor("number"),
};

const option = shape("a schema in anyOf", { ...scalars, ...annotations }).meta({ id: "option" });

const lists = {
  items: z.lazy(() => itemSchema).optional(),
  ...formsFor("array"),
  anyOf: optional(list(option, "a list of one or more schemas"), "Schemas, of which a value fits at least one."),
};

/** The keywords for objects, and x-json. */
function objects(member: () => z.ZodType, members: string, description: string) {
  const name = z.string({ error: "the name of a property" });
  return {
    properties: optional(z.record(z.string(), z.lazy(member), { error: members }), description),
    required: optional(
      z.array(name, { error: "the list of all properties" }),
      "All properties. A value that may be missing is null instead.",
    ),
    additionalProperties: optional(z.literal(false, { error: "false" }), "False: other properties are not allowed."),
    "x-json": optional(onlyTrue, "Any JSON value, published with sorted keys."),
  };
}

const itemSchema: z.ZodType = shape("a schema of items", {
  ...scalars,
  ...lists,
  ...objects(() => itemSchema, "an object of properties", "The properties of an item that is an object."),
  ...annotations,
}).meta({ id: "item", description: "The schema of each item." });

const observed = shape("a schema in x-observed", { ...scalars, ...lists, ...annotations }).meta({ id: "observed" });

const setting = z.enum(["defaultAvatar"], { error: '"defaultAvatar"' });
const nullRule: z.ZodType = shape("a rule for NULL", {
  const: optional(z.unknown(), "This value."),
  field: optional(fieldPath, "The value of another field."),
  join: optional(list(fieldPath, "a list of fields"), "The values of other fields, joined by one space and trimmed."),
  empty: z.lazy(() => nullRule).optional(),
  setting: optional(setting, "The value of a setting of the build."),
}).meta({
  id: "null",
  description: "The value published for NULL; under empty, the value published if all joined values are empty.",
});

const field: z.ZodType = shape("a field", {
  ...scalars,
  ...lists,
  ...objects(() => field, "an object of fields", "The fields of an object, each from columns of its own."),
  ...annotations,
  "x-column": optional(text("the name of a column"), "The source's column; otherwise the field's path joined by _."),
  "x-null": optional(nullRule, "The value published for NULL in the source."),
  "x-null-marks": optional(
    list(text("a text"), "a list of texts"),
    "Texts that mean NULL in a CSV or TSV file, besides the empty cell.",
  ),
  "x-observed": optional(observed, "A narrower schema. A value outside it is published, and counted as a warning."),
  "x-facet": optional(
    z.boolean({ error: "true or false" }),
    "Whether the explorer and lookups filter records by this field.",
  ),
  "x-image": optional(
    image,
    "The URL of an image of the record: on the listing's own host, or on the origin that is named here.",
  ),
}).meta({ id: "field" });

/** A text that passes a check. */
const textWhere = (isSuch: (text: string) => boolean, allowed: string) =>
  text(allowed).refine(isSuch, { error: allowed });

const isEmail = (text: string) => z.regexes.email.test(text);
const isLine = (text: string) => /^\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(text);
const line = textWhere(isLine, "a text of one line");
const word = textWhere(isLine, "a word without control characters");
const listing = shape("the listing", {
  path: text("a path like /v1/stations/ or just /")
    .describe("The path below the base URL, with a slash at both ends; / by default, the base URL itself.")
    .optional(),
  words: z
    .tuple([word, word], { error: 'two words, as in ["station", "stations"]' })
    .describe("Singular and plural, for messages and reports."),
  key: fieldPath.describe("The field that identifies a record: a unique string or integer, never null."),
  order: list(fieldPath, "a list of fields").describe(
    "Fields by which records are sorted, with - before descending ones. The key comes last.",
  ),
  label: fieldPath.describe("The field shown as a record's name; the key by default.").optional(),
  version: z
    .int({ error: "a whole number from 1" })
    .min(1, { error: "a whole number from 1" })
    .describe("Increase it whenever a change makes other records valid."),
  title: line.describe("The title of the listing.").optional(),
  description: textWhere((text) => text.trim() !== "", "a text")
    .describe("The description of the listing.")
    .optional(),
  publisher: line.describe("The publisher.").optional(),
  license: textWhere((text) => /^[A-Za-z0-9.+-]+$/.test(text) || isPublishableUrl(text), "an SPDX id or a URL")
    .describe("The licence: an SPDX id such as CC-BY-4.0, or a URL.")
    .optional(),
  source: textWhere(isPublishableUrl, "an http(s) URL").describe("The URL of the data's origin.").optional(),
  contact: textWhere((text) => isEmail(text) || isPublishableUrl(text), "an http(s) URL or an e-mail address")
    .describe("The contact: a URL or an e-mail address.")
    .optional(),
  columns: list(fieldPath, "a list of fields")
    .describe("The fields that a table of records shows, in this order.")
    .optional(),
}).meta({ id: "listing" });

const condition = shape("a condition", {
  name: text("a name like closed-after-opened").describe("The name of the warning."),
  sql: text("an SQL expression").describe(
    "An expression over the source's columns. If it is not true, the record has a warning.",
  ),
}).meta({ id: "condition" });

export const contractForm: z.ZodType<ContractFile> = shape("a contract", {
  $schema: text("the URL of a schema, or the path of contract.schema.json").optional(),
  title: annotations.title,
  description: annotations.description,
  type: z.literal("object", { error: '"object"' }),
  "x-listing": listing.describe("The path of the listing, its words, key and order."),
  properties: z.record(z.string(), field, { error: "an object of fields" }).describe("The fields of a record."),
  required: z
    .array(z.string({ error: "the name of a field" }), { error: "the list of all fields" })
    .describe("All fields. A value that may be missing is null instead."),
  additionalProperties: z.literal(false, { error: "false" }).describe("False: other fields are not allowed."),
  "x-observed": z
    .array(condition, { error: "a list of named conditions" })
    .describe(
      "Named conditions over the source's columns. A record for which one is not true has a warning of that name.",
    )
    .optional(),
}) as unknown as z.ZodType<ContractFile>;

/** Makes contract.schema.json, by which editors complete and check contract files. */
export function contractSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(contractForm, { io: "input" });
  return { $schema, title: "A contract of Rollcall", ...schema };
}
