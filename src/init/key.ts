/** Chooses the field that identifies a record. */
import { quoteName } from "../core/contract/sql.js";
import { UserError } from "../core/errors.js";
import { count, number } from "../core/print/numbers.js";
import type { Proposed } from "./decide.js";
import { wordsOf } from "./names.js";
import type { Survey } from "./tally.js";

export interface ChosenKey {
  field: string;
  /** Why, as a part of a sentence; as a sentence for a key that is added. */
  why: string;
  /** The fields by which records are sorted. The key comes last. */
  order: string[];
  /** A key that no column has: made of several, or the number of the row. */
  added?: { sql: string; isText: boolean } | undefined;
}

/**
 * Chooses the key: what the table declares, a column that happens to be unique, or the row's number.
 * @throws UserError if there is none, as in a view without a unique column
 */
export function chooseKey(survey: Survey, columns: readonly Proposed[]): ChosenKey {
  const declared = declaredKey(survey, columns) ?? joinedKey(survey, columns);
  if (declared) return declared;
  const likely = columns.filter((column) => canBeKey(column) && !hasEmpty(survey, column) && isLikely(survey, column));
  const found = likely
    .sort((one, other) => rank(one.column) - rank(other.column))
    .find(({ column }) => isUnique(survey, [column]));
  if (found) {
    const open = survey.kind === "file" ? "" : `, but the ${survey.kind} does not enforce it`;
    return { field: found.field, why: `unique in ${count(survey.rows, "row")}${open}`, order: [found.field] };
  }
  if (survey.rowid === undefined) throw noKey(survey, columns);
  const field = freeName(columns);
  return { field, why: whyRowNumber(survey, columns), order: [field], added: { sql: survey.rowid, isText: false } };
}

/** The column that the table declares as its key. */
function declaredKey(survey: Survey, columns: readonly Proposed[]): ChosenKey | undefined {
  const possible = columns.filter(canBeKey);
  const named = (names: readonly string[]) => possible.find(({ column }) => names.includes(column));
  const primary = survey.primary.length === 1 ? named(survey.primary) : undefined;
  if (primary) return { field: primary.field, why: "as the PRIMARY KEY", order: [primary.field] };
  const unique = named(survey.unique);
  return unique && { field: unique.field, why: "as it is UNIQUE and never NULL", order: [unique.field] };
}

/** A key made of a composite PRIMARY KEY, if its columns are public, and their texts joined by dashes differ. */
function joinedKey(survey: Survey, columns: readonly Proposed[]): ChosenKey | undefined {
  const { primary } = survey;
  const parts = primary.map((name) => columns.find(({ column }) => column === name));
  if (primary.length < 2 || !parts.every((part) => part && canBeKey(part))) return undefined;
  const sql = primary.map((column) => quoteName(column)).join(" || '-' || ");
  if (survey.countDifferent([sql]) !== survey.rows) return undefined;
  const field = freeName(columns);
  const order = [...parts.flatMap((part) => (part ? [part.field] : [])), field];
  return { field, why: `made of the PRIMARY KEY (${primary.join(", ")})`, order, added: { sql, isText: true } };
}

function canBeKey({ schema }: Proposed): boolean {
  return schema?.type === "string" || schema?.type === "integer";
}

/** Whether a value of a column is an empty text, which is not a key. */
function hasEmpty({ columns }: Survey, { column }: Proposed): boolean {
  return columns.some((tally) => tally.column === column && tally.empty > 0);
}

function isUnique(survey: Survey, columns: readonly string[]): boolean {
  return survey.countDifferent(columns.map(survey.sqlOf)) === survey.rows;
}

function freeName(columns: readonly Proposed[]): string {
  const names = new Set(columns.flatMap(({ column, field }) => [column.toLowerCase(), field.toLowerCase()]));
  return ["id", "key", "record_id", "record_key"].find((word) => !names.has(word)) ?? "the_key";
}

/** Names of keys, best first. */
const KEYS = "id uuid guid pk key code slug number no username login handle url".split(" ");

const LONGEST_KEY = 100;

function rank(column: string): number {
  const at = KEYS.indexOf(wordsOf(column).join("_"));
  if (at >= 0) return at;
  const last = KEYS.indexOf(wordsOf(column).at(-1) ?? "");
  return KEYS.length + (last >= 0 ? last : KEYS.length);
}

/** Whether a column is a likely key: not a time, an enumeration or a long text. */
function isLikely({ columns }: Survey, { column, schema }: Proposed): boolean {
  const longest = columns.find((tally) => tally.column === column)?.longest ?? 0;
  const isTime = schema?.format === "date" || schema?.format === "date-time";
  return !isTime && schema?.["x-facet"] === undefined && longest <= LONGEST_KEY;
}

/** Maximum number of columns of which pairs are tried, and rows that may repeat a value of a nearly unique column. */
const MOST_IN_PAIRS = 5;
const NEARLY = 1 / 10;

/** Says that the key is the row's number, and which columns are nearly unique, or unique together. */
function whyRowNumber(survey: Survey, columns: readonly Proposed[]): string {
  const { kind, rows } = survey;
  const rowNumber =
    kind === "file"
      ? "the line's number: a line inserted on top renumbers all after it"
      : `SQLite's ${survey.rowid}, which VACUUM may change`;
  const counted = columns
    .filter((column) => canBeKey(column) && !hasEmpty(survey, column))
    .map(({ column }) => ({ column, repeats: rows - survey.countDifferent([survey.sqlOf(column)]) }));
  const unique = counted.filter(({ repeats }) => repeats === 0).map(({ column }) => column);
  const others = counted.filter(({ repeats }) => repeats > 0).sort((one, other) => one.repeats - other.repeats);
  const why =
    unique.length === 0 ? "no column is unique" : `only times or long texts are unique (${unique.join(", ")})`;
  const hints = [`${why}, so the key is ${rowNumber}`];
  const [nearest] = others;
  if (nearest && nearest.repeats <= rows * NEARLY)
    hints.push(`nearest: ${nearest.column}, but for ${number(nearest.repeats)} of ${count(rows, "row")}`);
  const names = others.slice(0, MOST_IN_PAIRS).map(({ column }) => column);
  const pair = findPair(survey, names);
  if (pair) hints.push(`${pair.join(" and ")} together are unique`);
  return hints.join("; ");
}

function findPair(survey: Survey, names: readonly string[]): readonly string[] | undefined {
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other]));
  return pairs.find((pair) => isUnique(survey, pair));
}

function noKey({ name, kind, primary }: Survey, decided: readonly Proposed[]): UserError {
  const left = decided.find(({ column, schema }) => primary.length === 1 && primary[0] === column && !schema);
  const why = [
    ...(primary.length > 1 ? [`its PRIMARY KEY (${primary.join(", ")}) has ${primary.length} columns`] : []),
    ...(left ? [`its PRIMARY KEY ${left.column} is omitted (${left.what}: ${left.why})`] : []),
    `no ${primary.length > 0 ? "other " : ""}publishable column is unique and never NULL`,
  ].join(", and ");
  return new UserError(`The ${kind} ${name} has no key: ${why}; add a unique column to the ${kind}.`);
}
