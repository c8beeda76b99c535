/** The form of a contract file as a schema, from which contract.schema.json for editors is made. */
import { z } from "zod";
import { isPublishableUrl } from "../links.js";
import { KEYWORDS } from "../record/keywords.js";
import type { ValueKind } from "../record/kind.js";
import type { ContractFile } from "./form.js";

export const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const TYPES = ["string", "integer", "number", "boolean", "array"] as const;

/** The keywords of each shape, by the name that messages give it. */
export const MEMBERS = new Map<string, readonly string[]>();

/** Every message completes "must be ...", except that for unknown members: it is the shape's name, a key of `MEMBERS`. */
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

/** A member that may be left out, with what editors say of it. */
const yes = z.literal(true, { error: "true, or left out" });
/** Without `;`, space or quotes, which would end a source of a Content-Security-Policy. */
const isOrigin = (text: string) => /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(text);
const IMAGE = "true, or the origin of the images, such as https://images.example.com";
const image = z.union([z.literal(true), z.string().refine(isOrigin, { error: IMAGE })], { error: IMAGE });
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
  title: optional(z.string({ error: "text" }), "A short name for people."),
  description: optional(
    z.string({ error: "text" }),
    "What it means, for the docs, the types and the API's description.",
  ),
  examples: optional(z.array(z.unknown(), { error: "a list of values" }), "Values as they may be."),
};

const scalars = {
  type: optional(type, 'What a value is. With "null" in a list beside it, a NULL of the source is published as null.'),
  enum: optional(list(scalar, "a list of one or more values"), "The values that there are, all of one kind."),
  const: optional(scalar, "The only value that there is."),
  ...formsFor("string"),
  ...formsFor("number"),
};

const option = shape("a schema in anyOf", { ...scalars, ...annotations }).meta({ id: "option" });

const lists = {
  items: z.lazy(() => itemSchema).optional(),
  ...formsFor("array"),
  anyOf: optional(list(option, "a list of one or more schemas"), "Schemas of which a value fits at least one."),
};

/** The keywords of an object's members, and of any JSON. */
function objects(member: () => z.ZodType, members: string, description: string) {
  const name = z.string({ error: "the name of a property" });
  return {
    properties: optional(z.record(z.string(), z.lazy(member), { error: members }), description),
    required: optional(
      z.array(name, { error: "the list of all properties" }),
      "All properties: what can be missing is null instead.",
    ),
    additionalProperties: optional(z.literal(false, { error: "false" }), "False: there are no others."),
    "x-json": optional(yes, "Any JSON value, published with sorted keys."),
  };
}

const itemSchema: z.ZodType = shape("a schema of items", {
  ...scalars,
  ...lists,
  ...objects(() => itemSchema, "an object of properties", "What each item has, where it is an object."),
  ...annotations,
}).meta({ id: "item", description: "What each item of a list is." });

const observed = shape("a schema in x-observed", { ...scalars, ...lists, ...annotations }).meta({ id: "observed" });

const setting = z.enum(["defaultAvatar"], { error: '"defaultAvatar"' });
const nullRule: z.ZodType = shape("a rule for NULL", {
  const: optional(z.unknown(), "This value."),
  field: optional(fieldPath, "The value of another field."),
  join: optional(list(fieldPath, "a list of fields"), "The values of other fields, joined by one space and trimmed."),
  empty: z.lazy(() => nullRule).optional(),
  setting: optional(setting, "The value of a setting of the build."),
}).meta({ id: "null", description: "What a NULL publishes; under empty, where all that is joined is empty." });

const field: z.ZodType = shape("a field", {
  ...scalars,
  ...lists,
  ...objects(() => field, "an object of fields", "The fields of an object, each from columns of its own."),
  ...annotations,
  "x-column": optional(text("the name of a column"), "The source's column; otherwise the field's path joined by _."),
  "x-null": optional(nullRule, "What a NULL of the source publishes."),
  "x-observed": optional(observed, "A narrower schema: a value outside it is published, and counted as a warning."),
  "x-facet": optional(
    z.boolean({ error: "true or false" }),
    "Whether people want to see and choose records by this field.",
  ),
  "x-image": optional(
    image,
    "The URL of an image of the record: on the listing's own host, or on the origin that is named here.",
  ),
}).meta({ id: "field" });

/** A text that passes a check. */
const such = (isSuch: (text: string) => boolean, allowed: string) => text(allowed).refine(isSuch, { error: allowed });

const isEmail = (text: string) => z.regexes.email.test(text);
const isLine = (text: string) => /^\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(text);
const line = such(isLine, "a text of one line");
const word = such(isLine, "a word without control characters");
const listing = shape("the listing", {
  path: text("a path like /v1/stations/").describe("Below the base URL, with a slash at both ends."),
  words: z
    .tuple([word, word], { error: 'two words, as in ["station", "stations"]' })
    .describe("One and many, for messages and reports."),
  key: fieldPath.describe("The field that names a record: never null, a string or an integer, unique."),
  order: list(fieldPath, "a list of fields").describe(
    "Fields by which records are listed, - before those that descend; the key comes last.",
  ),
  label: fieldPath.describe("The field that people know a record by; the key unless named.").optional(),
  version: z
    .int({ error: "a whole number from 1" })
    .min(1, { error: "a whole number from 1" })
    .describe("Moves whenever what makes a record valid does."),
  title: line.describe("What this is, in a few words.").optional(),
  description: such((text) => text.trim() !== "", "a text")
    .describe("What this is.")
    .optional(),
  publisher: line.describe("Who publishes it.").optional(),
  license: such((text) => /^[A-Za-z0-9.+-]+$/.test(text) || isPublishableUrl(text), "an SPDX id or a URL")
    .describe("How it may be used: an SPDX id like CC-BY-4.0, or a URL.")
    .optional(),
  source: such(isPublishableUrl, "an http(s) URL").describe("The URL of where the data comes from.").optional(),
  contact: such((text) => isEmail(text) || isPublishableUrl(text), "an http(s) URL or an e-mail address")
    .describe("Whom to ask: a URL or an e-mail address.")
    .optional(),
  columns: list(fieldPath, "a list of fields")
    .describe("The fields that a table of records shows, in this order.")
    .optional(),
}).meta({ id: "listing" });

const condition = shape("a condition", {
  name: text("a name like closed-after-opened").describe("The name of the warning."),
  sql: text("an SQL expression").describe(
    "An expression over the source's columns; where it is not true, one warning.",
  ),
}).meta({ id: "condition" });

export const contractForm: z.ZodType<ContractFile> = shape("a contract", {
  $schema: text("the URL of a schema, or the path of contract.schema.json").optional(),
  title: annotations.title,
  description: annotations.description,
  type: z.literal("object", { error: '"object"' }),
  "x-listing": listing.describe("Where the listing is, its words, and its order."),
  properties: z.record(z.string(), field, { error: "an object of fields" }).describe("The fields of a record."),
  required: z
    .array(z.string({ error: "the name of a field" }), { error: "the list of all fields" })
    .describe("All fields: what can be missing is null instead."),
  additionalProperties: z.literal(false, { error: "false" }).describe("False: there are no others."),
  "x-observed": z
    .array(condition, { error: "a list of named conditions" })
    .describe("Conditions over the source's columns; where one is not true, there is a warning of its name.")
    .optional(),
}) as unknown as z.ZodType<ContractFile>;

/** contract.schema.json of the package, by which editors complete and check the form of a contract file. */
export function contractSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(contractForm, { io: "input" });
  return { $schema, title: "A contract of Rollcall", ...schema };
}
