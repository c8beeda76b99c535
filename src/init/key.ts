/** Chooses the field that identifies a record. */
import { quoteName } from "../core/contract/sql.js";
import { UserError } from "../core/errors.js";
import { count, number } from "../core/print/numbers.js";
import type { Proposed } from "./decide.js";
import { isNamedAfter, wordsOf } from "./names.js";
import { canBeKey, findSet, keySql, LONGEST_KEY, type Part, partOf, tallyOf } from "./parts.js";
import type { Survey } from "./tally.js";

export interface ChosenKey {
  field: string;
  /** Why, as a part of a sentence; as a sentence for a key that is added. */
  why: string;
  /** The fields by which records are sorted. The key comes last. */
  order: string[];
  /** A key that no column has: made of columns, or without parts the number of the row. */
  added?: { sql: string; parts?: readonly Part[] } | undefined;
}

/**
 * Chooses the key: what the table declares, a column that happens to be unique, a few columns that are unique together, or the
 * row's number.
 * @throws UserError if there is none, as in a view of which no columns are unique
 */
export function chooseKey(survey: Survey, columns: readonly Proposed[]): ChosenKey {
  const declared = declaredKey(survey, columns);
  if (declared) return declared;
  const found = findColumn(survey, columns) ?? joinedKey(survey, columns) ?? rowNumber(survey, columns);
  const passed = [whyNotPrimary(survey, columns), whyNotLong(survey, columns, found.field)];
  return { ...found, why: [found.why, ...passed.filter((why) => why !== undefined)].join("; ") };
}

/** The key that the table declares: its PRIMARY KEY, or a column that is UNIQUE. */
function declaredKey(survey: Survey, columns: readonly Proposed[]): ChosenKey | undefined {
  const primary = publicColumns(survey.primary, columns);
  const [single, ...others] = primary ?? [];
  if (single && others.length === 0) return { field: single.field, why: "as the PRIMARY KEY", order: [single.field] };
  const unique = survey.unique
    .filter(({ length }) => length === 1)
    .flatMap((names) => publicColumns(names, columns) ?? []);
  const [first] = unique;
  if (first) return { field: first.field, why: "as it is UNIQUE and never NULL", order: [first.field] };
  return primary && join(primary, columns, `made of the PRIMARY KEY (${namesOf(primary)})`);
}

/** The columns of some names; undefined if one cannot be a part of a key. */
function publicColumns(names: readonly string[], columns: readonly Proposed[]): readonly Proposed[] | undefined {
  const found = names.flatMap((name) => columns.find(({ column }) => column === name) ?? []).filter(canBeKey);
  return names.length > 0 && found.length === names.length ? found : undefined;
}

/** The likeliest column that is unique. */
function findColumn(survey: Survey, columns: readonly Proposed[]): ChosenKey | undefined {
  const likely = columns.filter((column) => canBeKey(column) && !hasEmpty(survey, column) && isLikely(survey, column));
  const found = likely
    .sort((one, other) => rank(one.column, survey.name) - rank(other.column, survey.name))
    .find(({ column }) => isUnique(survey, [column]));
  return found && alone(survey, found);
}

function alone(survey: Survey, { field }: Proposed): ChosenKey {
  return { field, why: `unique in ${unenforced(survey)}`, order: [field] };
}

function unenforced({ kind, rows }: Survey): string {
  return `${count(rows, "row")}${kind === "file" ? "" : `, but the ${kind} does not enforce it`}`;
}

/** A key made of the columns of a UNIQUE index, or of columns that happen to be unique together. */
function joinedKey(survey: Survey, columns: readonly Proposed[]): ChosenKey | undefined {
  const unique = survey.unique
    .flatMap((names) => [publicColumns(names, columns) ?? []])
    .filter(({ length }) => length > 0)
    .sort((one, other) => one.length - other.length);
  const [declared] = unique;
  if (declared) return join(declared, columns, `made of (${namesOf(declared)}), which are UNIQUE and never NULL`);
  const found = findSet(survey, columns);
  const [single, ...others] = found ?? [];
  if (!found || !single) return undefined;
  if (others.length === 0) return alone(survey, single);
  if (survey.kind === "query") throw noKeyInQuery(survey, found, freeName(columns));
  return join(found, columns, `made of (${namesOf(found)}), unique together in ${unenforced(survey)}`);
}

function join(columns: readonly Proposed[], all: readonly Proposed[], why: string): ChosenKey {
  const field = freeName(all);
  const parts = columns.map(partOf);
  const order = [...columns.map((part) => part.field), field];
  return { field, why, order, added: { sql: keySql(parts), parts } };
}

function namesOf(columns: readonly Proposed[]): string {
  return columns.map(({ column }) => column).join(", ");
}

function rowNumber(survey: Survey, columns: readonly Proposed[]): ChosenKey {
  if (survey.rowid === undefined) throw noKey(survey, columns);
  const field = freeName(columns);
  return { field, why: whyRowNumber(survey, columns), order: [field], added: { sql: survey.rowid } };
}

/** Says why the PRIMARY KEY is not the key; undefined if there is none. */
function whyNotPrimary(survey: Survey, columns: readonly Proposed[]): string | undefined {
  const { primary, rows } = survey;
  const part = columns.find((column) => primary.includes(column.column) && !canBeKey(column));
  if (!part) return undefined;
  const { column, schema, what, why } = part;
  const { nulls } = tallyOf(survey, part);
  const type = schema ? `has the type ${what}, and a key is text or a whole number` : `is omitted (${what}: ${why})`;
  const reason = schema && nulls > 0 ? `is NULL in ${number(nulls)} of ${count(rows, "row")}` : type;
  return `the PRIMARY KEY (${primary.join(", ")}) is not the key, as ${column} ${reason}`;
}

/** Says of a column that is unique and named as a key that its texts are too long; undefined if there is none before the key. */
function whyNotLong(survey: Survey, columns: readonly Proposed[], key: string): string | undefined {
  const own = columns.find(({ field }) => field === key);
  const limit = own ? rank(own.column, survey.name) : UNNAMED;
  const long = columns.find((column) => {
    const { longest } = tallyOf(survey, column);
    const isBetter = canBeKey(column) && rank(column.column, survey.name) < Math.min(limit, UNNAMED);
    return isBetter && longest > LONGEST_KEY && !hasEmpty(survey, column) && isUnique(survey, [column.column]);
  });
  if (!long) return undefined;
  const { longest } = tallyOf(survey, long);
  const most = `a key that is not declared has at most ${LONGEST_KEY}`;
  return `${long.column} is not the key, as it has texts of up to ${count(longest, "character")}, and ${most}`;
}

/** Whether a value of a column is an empty text, which is not a key. */
function hasEmpty(survey: Survey, column: Proposed): boolean {
  return tallyOf(survey, column).empty > 0;
}

function isUnique(survey: Survey, columns: readonly string[]): boolean {
  return survey.countDifferent(columns) === survey.rows;
}

function freeName(columns: readonly Proposed[]): string {
  const names = new Set(columns.flatMap(({ column, field }) => [column.toLowerCase(), field.toLowerCase()]));
  return ["id", "key", "record_id", "record_key"].find((word) => !names.has(word)) ?? "the_key";
}

/** Names of keys, best first. */
const KEYS = "id uuid guid pk key code slug number no username login handle url".split(" ");

/** The rank of a column that is not named as a key. */
const UNNAMED = 3 * KEYS.length;

/** Ranks `id` first, then the id of the table itself (`trip_id` of `trips`), then any other. */
function rank(column: string, table: string): number {
  const at = KEYS.indexOf(wordsOf(column).join("_"));
  if (at >= 0) return at;
  const end = wordsOf(column).at(-1) ?? "";
  const last = KEYS.indexOf(end);
  if (last === -1) return UNNAMED;
  return (isNamedAfter(column, table, end) ? 1 : 2) * KEYS.length + last;
}

/** Whether a column is a likely key: not a time, an enumeration or a long text. */
function isLikely(survey: Survey, column: Proposed): boolean {
  const { longest, hasTimesOfDay } = tallyOf(survey, column);
  const { schema } = column;
  const isTime = schema?.format === "date" || schema?.format === "date-time" || hasTimesOfDay;
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
    .map(({ column }) => ({ column, repeats: rows - survey.countDifferent([column]) }));
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

/** The error for a table, a view or a query without a key. */
export class NoKeyError extends UserError {}

function noKey(survey: Survey, columns: readonly Proposed[]): NoKeyError {
  const { name, kind } = survey;
  const primary = whyNotPrimary(survey, columns);
  const why = [
    ...(primary === undefined ? [] : [primary]),
    "no publishable column was found that is unique and never NULL, alone or with one or two others",
  ].join("; ");
  return new NoKeyError(`The ${kind} ${name} has no key: ${why}; add a unique column to the ${kind}.`);
}

/** The error for a query whose columns are unique together. init does not change a query. */
function noKeyInQuery({ name }: Survey, columns: readonly Proposed[], field: string): NoKeyError {
  const sql = `${keySql(columns.map(partOf))} AS ${quoteName(field)}`;
  const why = `no column is unique, but (${namesOf(columns)}) are together`;
  return new NoKeyError(`The query ${name} has no key: ${why}; add a column to its SELECT: ${sql}`);
}
