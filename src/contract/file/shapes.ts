/** The zod schema of a contract file, from which contract.schema.json for editors is made. */
import { z } from "zod";
import { isObject } from "../json.js";
import { isPublishableUrl } from "../links.js";
import { whyNotPath } from "../listing-names.js";
import { formOf, KEYWORDS_OF, type Keyword } from "../record/keywords.js";
import { whyNotPattern } from "./backtracking.js";
import { checkConditions } from "./conditions.js";
import { checkFields } from "./field-rules.js";
import type { ContractFile, FieldSchema, ValueSchema } from "./form.js";
import { checkListing } from "./listing-rules.js";
import { below, display, mustBe, otherThan, type Refuse, type Rule } from "./mistakes.js";
import { checkField, checkProperties, checkValue } from "./value-rules.js";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
const TYPES = ["string", "integer", "number", "boolean", "array"] as const;

/** The keywords of each shape, by its name in messages. */
export const MEMBERS = new Map<string, readonly string[]>();

/** Marks the issue of a rule. */
const OF_RULE = { isOfRule: true };

/**
 * Makes the schema of an object, with the rules of its members. A rule runs whatever is wrong with their forms. For unknown
 * members, the message is a key of `MEMBERS`.
 */
function shape<Value>(name: string, members: z.core.$ZodLooseShape, rule?: Rule<Value>): z.ZodType {
  MEMBERS.set(name, Object.keys(members));
  const parts = Object.entries(members).map(([member, form]) => [member, part(form as z.ZodType)] as const);
  const error = (issue: z.core.$ZodRawIssue) =>
    issue.code === "unrecognized_keys" ? name : mustBe("an object", issue.input);
  const form = part(z.strictObject(Object.fromEntries(parts), { error }));
  if (!rule) return form;
  const check = (value: unknown, context: z.core.$RefinementCtx) =>
    rule(value as Value, (message, ...path) => {
      context.addIssue({ code: "custom", message, path, params: OF_RULE });
    });
  return form.superRefine(check, { when: ({ value }) => isObject(value) });
}

/** Replaces a value whose form is wrong by undefined, so that rules see only what they can check. */
function part(form: z.ZodType): z.ZodType {
  const check = (_: unknown, context: z.core.$RefinementCtx) => {
    if (context.issues.some(isOfForm)) context.value = undefined;
  };
  return form.superRefine(check, { when: () => true });
}

/** Whether an issue is about the form of the value itself, or of an item of a list. */
function isOfForm({ code, path = [], params }: z.core.$ZodRawIssue): boolean {
  return code !== "unrecognized_keys" && params !== OF_RULE && path.every((name) => typeof name === "number");
}

const text = (allowed: string) => z.string(otherThan(allowed)).min(1, otherThan(allowed));
const list = <Item extends z.ZodType>(item: Item, allowed: string) =>
  z.array(item, otherThan(allowed)).min(1, otherThan(allowed));
/** A text that passes a check. */
const textWhere = (isSuch: (text: string) => boolean, allowed: string, otherwise = allowed) =>
  z.string(otherThan(allowed)).refine(isSuch, otherThan(otherwise));
const fieldPath = text("the path of a field, as in position.latitude");
const scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  otherThan("a string, a number, true, false or null"),
);

/** Without `;`, space or quotes, which would end a source of a Content-Security-Policy. */
const isOrigin = (text: string) => /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(text);
const IMAGE = "true, or the origin of the images, such as https://images.example.com";
const image = z.union([z.literal(true), z.string().refine(isOrigin, otherThan(IMAGE))], otherThan(IMAGE));
const onlyTrue = z.literal(true, otherThan("true, or left out"));
/** An optional member, with the description that editors show. */
const optional = (form: z.ZodType, description: string) => form.describe(description).optional();

function formsOf(keywords: readonly Keyword[]) {
  return Object.fromEntries(keywords.map((keyword) => [keyword, formOf(keyword)]));
}

const pattern = formOf("pattern").superRefine((given, context) => {
  const why = given === undefined ? undefined : whyNotPattern(String(given));
  if (why === undefined) return;
  context.addIssue(`${why}, got ${display(given)}`);
});

const type = z.union(
  [z.enum([...TYPES, "object"]), z.tuple([z.enum(TYPES), z.literal("null")])],
  otherThan(`one of ${TYPES.join(", ")} and object, or a list like ["string", "null"]`),
);

const annotations = {
  title: optional(z.string(otherThan("text")), "A short name."),
  description: optional(z.string(otherThan("text")), "What it means, for the documentation, types and openapi.json."),
  examples: optional(z.array(z.unknown(), otherThan("a list of values")), "Example values."),
};

const scalars = {
  type: optional(
    type,
    'The type of the value. With "null" in a list beside it, NULL of the source is published as null.',
  ),
  enum: optional(list(scalar, "a list of one or more values"), "The allowed values, all of one kind."),
  const: optional(scalar, "The only allowed value."),
  ...formsOf(KEYWORDS_OF.string),
  ...formsOf(KEYWORDS_OF.number),
  pattern,
};

const option = shape("a schema in anyOf", { ...scalars, ...annotations }).meta({ id: "option" });

const lists = {
  items: z.lazy(() => itemSchema).optional(),
  ...formsOf(KEYWORDS_OF.array),
  anyOf: optional(list(option, "a list of one or more schemas"), "Schemas, of which a value fits at least one."),
};

/** The keywords for objects, and x-json. */
function objects(member: () => z.ZodType, members: string, description: string) {
  const name = z.string(otherThan("the name of a property"));
  return {
    properties: optional(z.record(z.string(), z.lazy(member), otherThan(members)), description),
    required: optional(
      z.array(name, otherThan("the list of all properties")),
      "All properties. A value that may be missing is null instead.",
    ),
    additionalProperties: optional(z.literal(false, otherThan("false")), "False: other properties are not allowed."),
    "x-json": optional(onlyTrue, "Any JSON value, published with sorted keys."),
  };
}

const itemSchema: z.ZodType = shape<ValueSchema>(
  "a schema of items",
  {
    ...scalars,
    ...lists,
    ...objects(() => itemSchema, "an object of properties", "The properties of an item that is an object."),
    ...annotations,
  },
  checkValue,
).meta({ id: "item", description: "The schema of each item." });

const reference = optional(
  text("the name of a listing"),
  "The name of a listing of the same site: the value is the key of a record there, or null.",
);

const observed = shape("a schema in x-observed", {
  ...scalars,
  ...lists,
  ...annotations,
  "x-references": reference,
})
  .superRefine((schema, { issues, addIssue }) => {
    if (issues.length > 0 || Object.keys(schema as object).length > 0) return;
    addIssue("must have a keyword, got {}");
  })
  .meta({ id: "observed" });

const setting = z.enum(["defaultAvatar"], otherThan('"defaultAvatar"'));
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

const field: z.ZodType = shape<FieldSchema>(
  "a field",
  {
    ...scalars,
    ...lists,
    ...objects(() => field, "an object of fields", "The fields of an object, each from columns of its own."),
    ...annotations,
    "x-column": optional(
      textWhere((name) => /^\P{Cc}+$/u.test(name), "a name without control characters"),
      "The source's column; otherwise the field's path joined by _.",
    ),
    "x-null": optional(nullRule, "The value published for NULL in the source."),
    "x-null-marks": optional(
      list(text("a text"), "a list of texts"),
      "Texts that mean NULL in a CSV or TSV file, besides the empty cell.",
    ),
    "x-observed": optional(observed, "A narrower schema. A value outside it is published, and counted as a warning."),
    "x-references": reference,
    "x-facet": optional(
      z.boolean(otherThan("true or false")),
      "Whether the explorer and lookups filter records by this field.",
    ),
    "x-image": optional(
      image,
      "The URL of an image of the record: on the listing's own host, or on the origin that is named here.",
    ),
  },
  checkField,
).meta({ id: "field" });

const isEmail = (text: string) => z.regexes.email.test(text);
const isLine = (text: string) => /^\P{Cc}*[^\s\p{Cc}]\P{Cc}*$/u.test(text);
const line = textWhere(isLine, "a text of one line");
const word = textWhere(isLine, "a word without control characters");
const listing = shape("the listing", {
  path: optional(
    z.string(otherThan("a path like /v1/stations/ or just /")).superRefine((path, { addIssue }) => {
      const allowed = whyNotPath(path);
      if (allowed !== undefined) addIssue(mustBe(allowed, path));
    }),
    "The path below the base URL, with a slash at both ends; / by default, the base URL itself.",
  ),
  words: z
    .tuple([word, word], otherThan('two words, as in ["station", "stations"]'))
    .describe("Singular and plural, for messages and reports."),
  key: fieldPath.describe("The field that identifies a record: a unique string or integer, never null."),
  order: list(fieldPath, "a list of fields").describe(
    "Fields by which records are sorted, with - before descending ones. The key comes last.",
  ),
  label: optional(fieldPath, "The field shown as a record's name; the key by default."),
  version: z
    .int(otherThan("a whole number from 1"))
    .min(1, otherThan("a whole number from 1"))
    .describe("Increase it whenever a change makes other records valid."),
  title: optional(line, "The title of the listing."),
  description: optional(
    textWhere((text) => text.trim() !== "", "a text"),
    "The description of the listing.",
  ),
  publisher: optional(line, "The publisher."),
  license: optional(
    textWhere((text) => /^[A-Za-z0-9.+-]+$/.test(text) || isPublishableUrl(text), "an SPDX id or a URL"),
    "The licence: an SPDX id such as CC-BY-4.0, or a URL.",
  ),
  source: optional(textWhere(isPublishableUrl, "an http(s) URL"), "The URL of the data's origin."),
  contact: optional(
    textWhere((text) => isEmail(text) || isPublishableUrl(text), "an http(s) URL or an e-mail address"),
    "The contact: a URL or an e-mail address.",
  ),
  columns: optional(list(fieldPath, "a list of fields"), "The fields that a table of records shows, in this order."),
}).meta({ id: "listing" });

const condition = shape("a condition", {
  name: textWhere(
    (name) => /^[A-Za-z][\w.-]{0,99}$/.test(name),
    "a name like closed-after-opened",
    "a name of letters, digits and . _ - that begins with a letter",
  ).describe("The name of the warning."),
  sql: text("an SQL expression").describe(
    "An expression over the source's columns. If it is not true, the record has a warning.",
  ),
}).meta({ id: "condition" });

function checkTop(file: Partial<ContractFile>, refuse: Refuse): void {
  const { properties, "x-listing": listing, "x-observed": conditions } = file;
  if (!properties) return;
  checkProperties(file, refuse);
  const fields = checkFields(properties, refuse);
  if (listing) checkListing(listing, fields, below(refuse, "x-listing"));
  if (conditions) checkConditions(conditions, fields, below(refuse, "x-observed"));
}

/** The form and the rules of a contract file. */
export const contractForm = shape(
  "a contract",
  {
    $schema: textWhere(
      (url) => url === DRAFT || /(?:^|\/)contract\.schema\.json$/.test(url),
      `${DRAFT} or the path of contract.schema.json`,
    ).optional(),
    title: annotations.title,
    description: annotations.description,
    type: z.literal("object", otherThan('"object"')),
    "x-listing": listing.describe("The path of the listing, its words, key and order."),
    properties: z.record(z.string(), field, otherThan("an object of fields")).describe("The fields of a record."),
    required: z
      .array(z.string(otherThan("the name of a field")), otherThan("the list of all fields"))
      .describe("All fields. A value that may be missing is null instead."),
    additionalProperties: z.literal(false, otherThan("false")).describe("False: other fields are not allowed."),
    "x-observed": z
      .array(condition, otherThan("a list of named conditions"))
      .describe(
        "Named conditions over the source's columns. A record for which one is not true has a warning of that name.",
      )
      .optional(),
  },
  checkTop,
);

/** Makes contract.schema.json, by which editors complete and check contract files. */
export function contractSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(contractForm, { io: "input" });
  return { $schema, title: "A contract of Rollcall", ...schema };
}
