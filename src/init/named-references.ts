/** Finds references between text files, which declare none: by names of columns, or as the user names them. */
import type { Database } from "better-sqlite3";
import { lowerCase } from "../core/contract/sql.js";
import { UserError, usageError } from "../core/errors.js";
import { listed } from "../core/print/text.js";
import type { Proposed } from "./decide.js";
import type { Found, FoundListing } from "./found.js";
import { isNamedAfter, wordsOf } from "./names.js";
import { addReferences, type ForeignKey, type MadeReference, type SourceValues } from "./references.js";
import type { SurveyOptions } from "./subject.js";
import type { Survey } from "./tally.js";

/** A foreign key that a name shows, or that the user names. */
interface NamedKey extends ForeignKey {
  /** The text of `--references`, if the user names it. */
  given?: string;
}

/** The share of values without a record up to which a name is not a coincidence. */
const NEARLY = 1 / 10;
const MOST_SHOWN = 10;

export interface NamedOptions {
  /** Whether a column may become a reference because of its name; all by default. */
  isWanted?: (table: string, column: string) => boolean;
  /** How a user has references written that were not, as a part of a sentence. */
  next?: string;
}

/**
 * Adds the references that hold, if `--references` asks for them; otherwise notes what it would write.
 * @param surveys of the tables, by name
 * @throws UserError if one that the user names does not hold
 */
export function addNamedReferences(
  db: Database,
  listings: readonly FoundListing[],
  surveys: ReadonlyMap<string, Survey>,
  references: SurveyOptions["references"],
  { isWanted = () => true, next = "--references writes them" }: NamedOptions = {},
): { listings: readonly FoundListing[]; notes: readonly string[] } {
  const surveyOf = (table: string) => {
    const survey = surveys.get(table);
    if (!survey) throw new Error(`There is no survey of ${table}`);
    return survey;
  };
  const given = typeof references === "object" ? references.map((text) => parseReference(text, listings)) : [];
  const keysOf = (found: Found): NamedKey[] => [
    ...given.filter(({ table }) => table === found.name).map(({ key }) => key),
    ...keysByName(found, surveyOf(found.name), listings).filter(({ from }) =>
      from.every((column) => isWanted(found.name, column)),
    ),
  ];
  const values: SourceValues = {
    db,
    sqlOf: (table, column) => surveyOf(table).sqlOf(column),
    areCells: (table) => surveyOf(table).origin === "cells",
    placeIn: (table) => surveyOf(table).place,
  };
  const added = addReferences(values, listings, keysOf, (place, { given, table }, { why, lost }) => {
    if (given !== undefined) throw new UserError(`--references ${given} does not hold: ${why}.`);
    return lost === undefined || lost > NEARLY ? undefined : `${place} is not a reference to ${table}: ${why}`;
  });
  if (references !== undefined && references !== false) return added;
  return { listings, notes: [...added.notes, ...noteOnUnwritten(added.made, next)] };
}

function noteOnUnwritten(made: readonly MadeReference[], next: string): string[] {
  if (made.length === 0) return [];
  const all = made.map(({ place, to }) => `${place} to ${to}`);
  return [
    `references that hold: ${listed(all, MOST_SHOWN)}; ${next}, and a build then refuses a value without a record`,
  ];
}

/** The foreign keys that names of columns show. */
function keysByName(found: Found, survey: Survey, listings: readonly FoundListing[]): ForeignKey[] {
  const filled = survey.columns
    .filter(({ rows, nulls, marks }) => rows > nulls + [...marks.values()].reduce((sum, times) => sum + times, 0))
    .map(({ column }) => column);
  const own = found.columns.filter(({ column, schema }) => schema && filled.includes(column));
  return listings.flatMap(({ found: target }): ForeignKey[] => {
    const { parts } = target.key.added ?? {};
    if (parts) {
      const to = parts.map(({ column }) => column);
      const from = to.flatMap((part) => own.find(({ column }) => isSame(column, part))?.column ?? []);
      return from.length < to.length || isKey(found, from) ? [] : [{ table: target.name, from, to }];
    }
    const key = columnOfKey(target);
    if (key === undefined) return [];
    const isTelling = wordsOf(key).length > 1 && listings.filter((other) => hasKey(other.found, key)).length === 1;
    return own
      .filter(({ column }) => isNamedAfter(column, target.name, key) || (isTelling && isSame(column, key)))
      .filter(({ column }) => !(target === found && column === key))
      .map(({ column }) => ({ table: target.name, from: [column], to: [key] }));
  });
}

/** Whether the key of a table is made of these columns. Then one of another table that is made of the same ones is no record of it. */
function isKey({ key }: Found, columns: readonly string[]): boolean {
  const { parts = [] } = key.added ?? {};
  return parts.length === columns.length && parts.every(({ column }) => columns.includes(column));
}

/** Whether a table has a key of one column with this name, such as `Baum-Nr`. */
function hasKey(found: Found, name: string): boolean {
  const key = columnOfKey(found);
  return key !== undefined && isSame(key, name);
}

/** The column that is the key of a table; undefined if it is made of several, or is the line's number. */
function columnOfKey({ columns, key }: Found): string | undefined {
  return columns.find(({ field }) => !key.added && field === key.field)?.column;
}

/**
 * Parses `orders.customer=customers`, or `parcels.order+line=lines` for a key of several columns. Names may have any of these
 * characters.
 * @throws UserError (usage) if a table or a column does not exist
 */
function parseReference(given: string, listings: readonly FoundListing[]): { table: string; key: NamedKey } {
  const lower = lowerCase(given);
  const found = listings.map((listing) => listing.found);
  const own = found.filter(({ name }) => lower.startsWith(`${lowerCase(name)}.`));
  const targets = found.filter(({ name }) => lower.endsWith(`=${lowerCase(name)}`));
  if (own.length === 0 || targets.length === 0) {
    const tables = listed(found.map(({ name }) => name));
    throw usageError(`--references ${given} names a table that is not a listing; listings are made of ${tables}.`);
  }
  for (const { name, columns } of own)
    for (const target of targets) {
      const from = findColumns(columns, given.slice(name.length + 1, -target.name.length - 1));
      const key = columnOfKey(target);
      const to = target.key.added?.parts?.map(({ column }) => column) ?? (key === undefined ? [] : [key]);
      if (from === undefined) continue;
      if (to.length === 0)
        throw usageError(
          `--references ${given}: the key of ${target.name} is the line's number, which no value can name.`,
        );
      if (from.length !== to.length)
        throw usageError(
          `--references ${given}: the key of ${target.name} is made of ${to.join(", ")}; name as many columns, joined by +.`,
        );
      return { table: name, key: { given, table: target.name, from, to } };
    }
  const [table] = own;
  const columns = listed((table?.columns ?? []).map(({ column }) => column));
  throw usageError(`--references ${given} names a column that ${table?.name} does not have; it has ${columns}.`);
}

/** The columns of a text: one, or several joined by `+`. */
function findColumns(columns: readonly Proposed[], text: string): string[] | undefined {
  const find = (name: string) => columns.find(({ column }) => isSame(column, name))?.column;
  const single = find(text);
  if (single !== undefined) return [single];
  const several = text.split("+").map(find);
  return several.every((name) => name !== undefined) ? several : undefined;
}

function isSame(one: string, other: string): boolean {
  return lowerCase(one) === lowerCase(other);
}
