/** Finds columns that identify a record together, and writes the key that is made of them. */
import { quoteName } from "../core/contract/sql.js";
import type { Proposed } from "./decide.js";
import { wordsOf } from "./names.js";
import type { Survey } from "./tally.js";

/** A column of which a key is made. */
export interface Part {
  column: string;
  /** Whether its values in the source are texts, which may have the separator in them. */
  isText: boolean;
}

/**
 * Writes the SQL of a key made of several columns: their values joined by `:`. In texts, `~` becomes `~0` and `:` becomes `~1`, so
 * that different values never give one key. It is NULL if a value is.
 * @param sqls the SQL of each part; the names of the columns by default
 */
export function keySql(
  parts: readonly Part[],
  sqls: readonly string[] = parts.map(({ column }) => quoteName(column)),
): string {
  const values = parts.map(({ isText }, at) =>
    isText ? `replace(replace(${sqls[at]}, '~', '~0'), ':', '~1')` : sqls[at],
  );
  return values.join(" || ':' || ");
}

/** The part of a key that a column is. Its values are those of the source, also if the field has converted ones. */
export function partOf({ column, schema, sql }: Proposed): Part {
  return { column, isText: schema?.type !== "integer" || sql !== undefined };
}

/** Whether every value of a column is a text or a whole number, and none is null. */
export function canBeKey({ schema }: Proposed): boolean {
  return schema?.type === "string" || schema?.type === "integer";
}

/** Maximum length of texts in a key that the table does not declare. */
export const LONGEST_KEY = 100;

/** The tally of a column. @throws Error if the survey does not have it */
export function tallyOf({ columns }: Survey, { column }: Proposed): Survey["columns"][number] {
  const found = columns.find((tally) => tally.column === column);
  if (!found) throw new Error(`The survey has no column ${column}`);
  return found;
}

/** Maximum number of columns in a set, of columns that sets are made of, and of sets that are counted in all rows. */
const MOST_PARTS = 3;
const MOST_COLUMNS = 12;
const MOST_COUNTED = 20;
/** Rows in which each set is tried first. */
const SAMPLE = 10_000;

/**
 * Finds the smallest set of up to three columns that is unique in all rows. Long texts and times of day are not tried.
 * @returns its columns, ordinals last; undefined if none was found
 */
export function findSet(survey: Survey, columns: readonly Proposed[]): readonly Proposed[] | undefined {
  const { rows } = survey;
  const candidates = columns.filter((column) => canBePart(survey, column));
  candidates.sort((one, other) => rank(one) - rank(other));
  const best = candidates.slice(0, MOST_COLUMNS);
  const different = new Map(best.map((column) => [column, survey.countDifferent([column.column])]));
  const single = best.find((column) => different.get(column) === rows && tallyOf(survey, column).empty === 0);
  if (single) return [single];
  // One value in all rows, or another one in each: such a column is in no smallest set.
  const telling = best.filter((column) => {
    const count = different.get(column) ?? 0;
    return count > 1 && count < rows;
  });
  const repeats = repeatsInSample(survey, telling);
  let counted = 0;
  for (const set of setsOf(telling)) {
    const product = set.reduce((all, column) => all * (different.get(column) ?? 0), 1);
    if (product < rows || repeats(set)) continue;
    if (counted === MOST_COUNTED) return undefined;
    counted++;
    if (survey.countDifferent(set.map(({ column }) => column)) === rows)
      return [...set.filter((column) => !isOrdinal(column)), ...set.filter(isOrdinal)];
  }
  return undefined;
}

function canBePart(survey: Survey, column: Proposed): boolean {
  if (!canBeKey(column)) return false;
  const tally = tallyOf(survey, column);
  return tally.longest <= LONGEST_KEY && !tally.hasTimesOfDay;
}

/** Last words of columns that are parts of a key, best first. */
const NAMES = "id code nr number sequence seq index version date year".split(" ");
/** Those of columns that say which one of the records of another column's value. */
const ORDINALS = new Set("nr number sequence seq index version date year".split(" "));

function lastWord({ column }: Proposed): string {
  return wordsOf(column).at(-1) ?? "";
}

function rank(column: Proposed): number {
  const at = NAMES.indexOf(lastWord(column));
  return at >= 0 ? at : NAMES.length;
}

function isOrdinal(column: Proposed): boolean {
  return ORDINALS.has(lastWord(column));
}

/** Whether all columns are named as parts of a key, and one of them is an ordinal. */
function hasOrdinal(set: readonly Proposed[]): boolean {
  return set.every((column) => rank(column) < NAMES.length) && set.some(isOrdinal);
}

/**
 * The sets of two columns, then of three, best first. Those with an ordinal come before others of their size: a trip that has no
 * stop twice today may have one tomorrow, but not two stops of one number.
 */
function setsOf(columns: readonly Proposed[]): (readonly Proposed[])[] {
  const all: (readonly Proposed[])[] = [];
  for (let size = 2; size <= MOST_PARTS; size++) {
    const sets = choose(columns, size);
    all.push(...sets.filter(hasOrdinal));
    all.push(...sets.filter((set) => !hasOrdinal(set)));
  }
  return all;
}

/** All choices of some columns, in the order of the columns. */
function choose(columns: readonly Proposed[], size: number): (readonly Proposed[])[] {
  if (size === 0) return [[]];
  return columns.flatMap((first, at) => choose(columns.slice(at + 1), size - 1).map((others) => [first, ...others]));
}

/** Reads the first rows. @returns whether two of them have the same values in some columns */
function repeatsInSample(survey: Survey, columns: readonly Proposed[]): (set: readonly Proposed[]) => boolean {
  const rows = survey.sample(
    columns.map(({ column }) => column),
    SAMPLE,
  );
  return (set) => {
    const places = set.map((column) => columns.indexOf(column));
    const seen = new Set(rows.map((row) => JSON.stringify(places.map((at) => String(row[at])))));
    return seen.size < rows.length;
  };
}
