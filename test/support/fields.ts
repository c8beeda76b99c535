/** The tables of the documentation about the built-in contract, made from the contract. */
import { type Field, USERS_CONTRACT } from "../../src/contract/contract.js";
import type { NullRule } from "../../src/contract/file/form.js";
import { isNullable, kindOf } from "../../src/contract/record/kind.js";

const { fields, listing, order } = USERS_CONTRACT;

/** The table of where the listing is, and in which order. */
export function listingTable(): string[][] {
  const sorted = order.map(({ path, isDescending }) => `\`${path}\`${isDescending ? ", descending" : ""}`);
  return [
    ["of the listing", "is"],
    ["path", `\`${listing.path}\``],
    ["order", sorted.join("; then ")],
    ["what names a record", `\`${listing.key}\``],
    ["version", String(listing.version)],
  ];
}

/** The table of fields as readers get them. */
export function fieldTable(): string[][] {
  return [["field", "type", "rule"], ...fields.map((field) => [field.path, typeOf(field), ruleOf(field)])];
}

/** The table of columns, in the order in which a table declares them. */
export function columnTable(declared: readonly string[]): string[][] {
  const byColumn = new Map(fields.map((field) => [field.column, field]));
  const rows = declared.map((column) => {
    const field = byColumn.get(column);
    return field ? [column, storageOf(field), onNull(field), formOf(field)] : [column];
  });
  return [["column", "holds", "NULL", "form"], ...rows];
}

/** What a column of this field must hold. */
function storageOf({ schema }: Field): "TEXT" | "INTEGER" {
  return ["integer", "boolean"].includes(kindOf(schema)) ? "INTEGER" : "TEXT";
}

function typeOf({ schema }: Field): string {
  const { items } = schema;
  const kind = kindOf(schema) === "array" ? (items?.type ? `array of ${items.type}` : "array") : kindOf(schema);
  return isNullable(schema) ? `${kind} or null` : kind;
}

function ruleOf({ schema }: Field): string {
  const { description = "", enum: values, examples = schema.items?.examples } = schema;
  const pattern = schema.items?.pattern;
  const like = examples && pattern === undefined ? ` Like \`${examples[0]}\`.` : "";
  return [
    sentence(description) + like,
    ...(values ? [`One of ${values.join(", ")}.`] : []),
    ...(pattern === undefined ? [] : [`Each matches \`${pattern}\`.`]),
  ].join(" ");
}

function onNull({ schema }: Field): string {
  const rule = schema["x-null"];
  if (rule) return `becomes ${inWords(rule)}`;
  return isNullable(schema) ? "stays null" : "no";
}

function inWords(rule: NullRule): string {
  if ("const" in rule) return `\`${rule.const}\``;
  if ("field" in rule) return `\`${rule.field}\``;
  if ("setting" in rule) return "the default avatar";
  const joined = `${rule.join.map((name) => `\`${name}\``).join(" and ")}, joined by one space and trimmed`;
  return rule.empty ? `${joined}; ${inWords(rule.empty)} when all are empty` : joined;
}

const FORMS: Readonly<Record<string, string>> = { array: "A JSON array.", boolean: "0 or 1." };

function formOf(field: Field): string {
  return [FORMS[kindOf(field.schema)], ruleOf(field)].filter(Boolean).join(" ");
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
