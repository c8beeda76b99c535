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
    ["key", `\`${listing.key}\``],
    ["version", String(listing.version)],
  ];
}

/** The table of fields as readers get them. */
export function fieldTable(): string[][] {
  return [["field", "type", "rule"], ...fields.map((field) => [field.path, typeOf(field), ruleOf(field)])];
}

/** The table of columns by what they hold, in the order in which a table declares them. */
export function columnTable(declared: readonly string[]): string[][] {
  const byColumn = new Map(fields.map((field) => [field.column, field]));
  const groups = new Map<string, string[]>();
  for (const column of declared) {
    const field = byColumn.get(column);
    const group = field ? `${storageOf(field)} | ${onNull(field)}` : "";
    groups.set(group, [...(groups.get(group) ?? []), column]);
  }
  return [["columns", "hold", "NULL"], ...[...groups].map(([group, columns]) => [columns.join(", "), group])];
}

const STORAGE: Readonly<Record<string, string>> = {
  array: "TEXT: a JSON array",
  boolean: "INTEGER: 0 or 1",
  integer: "INTEGER",
};

/** What a column of this field must hold. */
function storageOf({ schema }: Field): string {
  return STORAGE[kindOf(schema)] ?? "TEXT";
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

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
