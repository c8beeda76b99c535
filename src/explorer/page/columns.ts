/** Which fields of a record stand in the table: those by which people choose and order, and a few short ones. */
import type { Contract, Field } from "../../contract/contract.js";
import { facetFields } from "../../contract/lookup.js";
import { isNullable, kindOf } from "../../contract/record/kind.js";
import type { ExplorerSummary } from "../summary.js";

/** Besides the record's name and key. */
const MOST_COLUMNS = 4;
const MOST_FACETS = 2;
/** Characters of a text that has a column. */
const SHORT = 16;

/** The time that the order goes by, facets that tell records apart, then short values in published order. */
export function columnsOf(contract: Contract, { facets }: Pick<ExplorerSummary, "facets">): readonly Field[] {
  const { fields, order, key, label } = contract;
  const time = order.find(({ schema }) => schema.format === "date" || schema.format === "date-time");
  const telling = new Set(facets.filter(({ values, more }) => values.length + more > 1).map(({ path }) => path));
  const facet = facetFields(contract);
  const chosen = facet.filter(({ path }) => telling.has(path)).slice(0, MOST_FACETS);
  const isOther = ({ path }: Field) => path !== key.path && path !== label.path;
  const named = [time, ...chosen].filter((field) => field !== undefined).filter(isOther);
  const paths = new Set(named.map(({ path }) => path));
  const short = fields.filter(
    (field) => isOther(field) && !paths.has(field.path) && !facet.includes(field) && isShort(field),
  );
  const ordered = short.sort((one, other) => rankOf(one, order) - rankOf(other, order));
  return [...new Map([...named, ...ordered].map((field) => [field.path, field])).values()].slice(0, MOST_COLUMNS);
}

/** What the order goes by comes first; what is seldom there comes last. */
function rankOf({ path, schema }: Field, order: Contract["order"]): number {
  if (order.some((other) => other.path === path)) return 0;
  return isNullable(schema) ? 2 : 1;
}

/** Whether every value is short, and not the same in every record as far as is known. */
function isShort({ schema }: Field): boolean {
  const { format, maxLength = Number.POSITIVE_INFINITY, examples = [], pattern = "" } = schema;
  const observed = schema["x-observed"];
  if (schema.const !== undefined || observed?.const !== undefined) return false;
  const kind = kindOf(schema);
  if (kind === "integer" || format === "date") return true;
  if (kind !== "string" || format) return false;
  if (maxLength <= SHORT) return true;
  const isBounded = /^\^.*\$$/s.test(pattern) && !/[*+]|,\}/.test(pattern);
  return isBounded && examples.length > 0 && examples.every((example) => String(example).length <= SHORT);
}
