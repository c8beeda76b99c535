/** Finds which foreign keys of a source can be references between listings: those whose every value is the key of a record. */
import type { Database } from "better-sqlite3";
import type { FieldSchema } from "../core/contract/file/form.js";
import { kindOf, kindsOf } from "../core/contract/record/kind.js";
import { lowerCase, quoteName, quoteText } from "../core/contract/sql.js";
import { count } from "../core/print/numbers.js";
import { showValue } from "../core/print/text.js";
import { type Proposed, unobserved } from "./decide.js";
import type { Found, FoundListing } from "./found.js";
import { fieldOf, wordsForRecords } from "./names.js";
import { keySql, type Part } from "./parts.js";
import { queryFor } from "./propose.js";

export interface ForeignKey {
  /** The table that it leads to. */
  table: string;
  from: string[];
  /** The columns that it leads to; null if its table does not exist. */
  to: (string | null)[];
}

/** The foreign keys of a table, as declared. */
export function foreignKeysOf(db: Database, table: string): ForeignKey[] {
  // A foreign key that names no column leads to the PRIMARY KEY.
  const primary = `SELECT name FROM pragma_table_xinfo(list."table", 'main') WHERE pk = list.seq + 1`;
  const sql = `SELECT id, "table", "from", coalesce("to", (${primary})) AS "to"
    FROM pragma_foreign_key_list(?, 'main') AS list ORDER BY id DESC, seq`;
  const rows = db.prepare<[string], { id: number; table: string; from: string; to: string | null }>(sql).all(table);
  const keys = new Map<number, ForeignKey>();
  for (const { id, table, from, to } of rows) {
    const key = keys.get(id) ?? { table, from: [], to: [] };
    key.from.push(from);
    key.to.push(to);
    keys.set(id, key);
  }
  return [...keys.values()];
}

/** The values of a source's tables. */
export interface SourceValues {
  db: Database;
  /** The SQL of a column's values as they are given. */
  sqlOf(table: string, column: string): string;
  /** Whether values are cells of a text file, which have no type of their own. */
  areCells(table: string): boolean;
  /** SQL for the number of a row in notes, and what it is: `line`. */
  placeIn(table: string): { sql: string; what: string } | undefined;
}

/** The values of a SQLite file. */
export function valuesOfDatabase(db: Database): SourceValues {
  return { db, sqlOf: (_, column) => quoteName(column), areCells: () => false, placeIn: () => undefined };
}

/** A reference that a listing got. */
export interface MadeReference {
  /** `orders.customer_id` */
  place: string;
  /** The name of a listing. */
  to: string;
}

/**
 * Adds `x-references` to the contracts of listings, for each foreign key of which all values are keys.
 * @param keysOf the foreign keys of a table, the most important first
 * @param noteOn makes the note on one that is not a reference; undefined if there is nothing to say
 */
export function addReferences<Key extends ForeignKey>(
  values: SourceValues,
  listings: readonly FoundListing[],
  keysOf: (found: Found) => readonly Key[],
  noteOn: (place: string, key: Key, refused: NoReference) => string | undefined = noteOnRefused,
): { listings: FoundListing[]; made: MadeReference[]; notes: string[] } {
  const notes: string[] = [];
  const allMade: MadeReference[] = [];
  const referring = listings.map((listing): FoundListing => {
    const { found } = listing;
    const properties = { ...found.contract.properties };
    const required = [...found.contract.required];
    // The listing that a field, or the SQL of one that is added, refers to.
    const made = new Map<string, string>();
    const added: string[] = [];
    const asText = new Set<string>();
    for (const key of keysOf(found)) {
      const place = placeOf(found.name, key);
      const reference = firstOnly(findReference(values, found, key, listings), made);
      if ("why" in reference) {
        const note = noteOn(place, key, reference);
        if (note !== undefined) notes.push(note);
        continue;
      }
      const { schema, to, sql, isCast = false } = reference;
      if (made.has(subjectOf(reference))) continue;
      made.set(subjectOf(reference), to);
      allMade.push({ place, to });
      const field = sql === undefined ? reference.field : freeField(reference.field, found, properties);
      properties[field] = { ...schema, "x-references": to };
      if (isCast) asText.add(field);
      if (sql === undefined) continue;
      required.push(field);
      added.push(`${sql} AS ${quoteName(field)}`);
    }
    const contract = { ...found.contract, properties, required };
    const sql = queryFor(found, added) && queryFor({ ...found, columns: castColumns(found.columns, asText) }, added);
    return { ...listing, found: { ...found, contract, sql } };
  });
  return { listings: referring, made: allMade, notes };
}

function noteOnRefused(place: string, { table }: ForeignKey, { why }: NoReference): string {
  return `${place} is not a reference to ${table}: ${why}`;
}

/** A query gives cells of whole numbers the type of numbers. Those that refer to texts stay texts. */
function castColumns(columns: readonly Proposed[], fields: ReadonlySet<string>): Proposed[] {
  return columns.map((one) => {
    const name = quoteName(one.column);
    return fields.has(one.field) ? { ...one, sql: `CAST(${name} AS TEXT) AS ${name}` } : one;
  });
}

/** How notes name a foreign key: `orders.customer_id`, `parcels (order_id, product_id)`. */
function placeOf(table: string, { from }: ForeignKey): string {
  return from.length > 1 ? `${table} (${from.join(", ")})` : `${table}.${from[0]}`;
}

/** A name of a field that no column and no other field has, in any case. */
function freeField(name: string, { columns }: Found, properties: object): string {
  const others = [...columns.map(({ column }) => column), ...Object.keys(properties)];
  return fieldOf(lowerCase(name), new Set(others.map(lowerCase)));
}

/** A field has one reference: the first that holds. @param made the listings that subjects refer to */
function firstOnly(reference: Reference | NoReference, made: ReadonlyMap<string, string>): Reference | NoReference {
  if ("why" in reference) return reference;
  const first = made.get(subjectOf(reference));
  return first === undefined || first === reference.to ? reference : { why: `it is one to ${first}` };
}

function subjectOf({ field, sql }: Reference): string {
  return sql ?? field;
}

interface Reference {
  field: string;
  /** The schema of the field, without observed limits, as for keys. */
  schema: FieldSchema;
  /** The name of a listing. */
  to: string;
  /** The SQL of a field that no column has, since the key is made of several. */
  sql?: string;
  /** Whether its cells are whole numbers, which become texts as the keys are. */
  isCast?: boolean;
}

/** A foreign key that is not a reference. */
export interface NoReference {
  why: string;
  /** The part of the values that are not keys; undefined if another reason comes first. */
  lost?: number;
}

function findReference(
  values: SourceValues,
  found: Found,
  key: ForeignKey,
  listings: readonly FoundListing[],
): Reference | NoReference {
  const target = listings.find((listing) => isSame(listing.found.name, key.table));
  if (!target || key.to.includes(null)) return { why: "that table is not a listing" };
  const parts = target.found.key.added?.parts;
  if (parts?.length === key.to.length) return findJoined(values, found, key, target, parts);
  const [from = "", ...others] = key.from;
  const [to] = key.to;
  if (others.length > 0 || to === null || to === undefined) return elsewhere(key, target);
  return findSingle(values, found, { key, from, to }, target);
}

function elsewhere({ to }: ForeignKey, { name, found: { key } }: FoundListing): NoReference {
  return { why: `it leads to ${to.join(", ")}, and the key of ${name} is ${key.field}` };
}

/** A reference to a key that is a column. */
function findSingle(
  values: SourceValues,
  found: Found,
  { key: foreign, from, to }: { key: ForeignKey; from: string; to: string },
  target: FoundListing,
): Reference | NoReference {
  const { contract, columns, key } = target.found;
  const keyColumn = columns.find(({ field }) => field === key.field);
  if (!keyColumn || !isSame(keyColumn.column, to)) return elsewhere(foreign, target);
  const own = columnOf(found.columns, from);
  if (!own?.schema) return { why: "the column is omitted" };
  if (own.sql !== undefined || keyColumn.sql !== undefined) return { why: "its values are converted" };
  const wanted = kindOf(contract.properties[key.field] ?? {});
  const kind = kindOf(own.schema);
  const isCast = values.areCells(found.name) && kind === "integer" && wanted === "string";
  if (kind !== wanted && !isCast) return { why: `its values are ${kind}, and keys there ${wanted}` };
  const lost = findLost(
    values,
    [found.name, givenSql(values, found.name, own)],
    [target.found.name, givenSql(values, target.found.name, keyColumn)],
  );
  if (lost) return lost;
  const schema = unobserved(found.contract.properties[own.field] ?? {});
  return { field: own.field, schema: isCast ? textSchema(schema) : schema, to: target.name, isCast };
}

/** The schema of a field whose cells are read as texts. */
function textSchema(schema: FieldSchema): FieldSchema {
  const kept = Object.entries(schema).filter(([name]) => ["title", "x-column", "x-null-marks"].includes(name));
  return { type: kindsOf(schema).nullable ? ["string", "null"] : "string", ...Object.fromEntries(kept) };
}

/** The SQL of a column's values, with NULL for the texts that mean it. */
function givenSql({ sqlOf }: SourceValues, table: string, { column, nulls = [] }: Proposed): string {
  const sql = sqlOf(table, column);
  if (nulls.length === 0) return sql;
  return `CASE WHEN ${sql} NOT IN (${nulls.map(([text]) => quoteText(text)).join(", ")}) THEN ${sql} END`;
}

/** A reference to a key that is made of columns: a field made of the columns that refer to them. @param parts those of the key */
function findJoined(
  values: SourceValues,
  found: Found,
  foreign: ForeignKey,
  target: FoundListing,
  parts: readonly Part[],
): Reference | NoReference {
  const own = parts.map(({ column }) => {
    const at = foreign.to.findIndex((to) => to !== null && isSame(to, column));
    return columnOf(found.columns, foreign.from[at] ?? "");
  });
  const present = own.filter((column) => column !== undefined);
  if (present.length < parts.length) return elsewhere(foreign, target);
  const omitted = present.filter(({ schema }) => schema === undefined).map(({ column }) => column);
  if (omitted.length > 0) return { why: `${omitted.join(", ")} is omitted` };
  // A query reads cells of other types as values that are written in another way.
  const other = present.find(({ schema = {} }) => !["string", "integer"].includes(kindOf(schema)));
  if (values.areCells(found.name) && other)
    return { why: `the values of ${other.column} are ${kindOf(other.schema ?? {})}` };
  const ownParts = present.map(({ column }, at) => ({ column, isText: parts[at]?.isText ?? true }));
  const keyColumns = parts.flatMap(({ column }) => columnOf(target.found.columns, column) ?? []);
  const lost = findLost(
    values,
    [
      found.name,
      keySql(
        ownParts,
        present.map((column) => givenSql(values, found.name, column)),
      ),
    ],
    [
      target.found.name,
      keySql(
        parts,
        keyColumns.map((column) => givenSql(values, target.found.name, column)),
      ),
    ],
  );
  if (lost) return lost;
  const [one] = wordsForRecords(target.found.name);
  const isNullable = present.some(({ schema }) => schema?.type === undefined || schema.type.includes("null"));
  const schema: FieldSchema = { type: isNullable ? ["string", "null"] : "string" };
  return { field: `${one} ${target.found.key.field}`, schema, to: target.name, sql: keySql(ownParts) };
}

function columnOf(columns: readonly Proposed[], name: string): Proposed | undefined {
  return columns.find(({ column }) => isSame(column, name));
}

function isSame(one: string, other: string): boolean {
  return lowerCase(one) === lowerCase(other);
}

/** A table, and the SQL of a column or of several. */
type Values = readonly [table: string, sql: string];

/** Counts the rows whose value is not a key. Values are compared by their bytes, whatever collation or affinity the columns have. */
function findLost({ db, placeIn }: SourceValues, [table, value]: Values, [to, key]: Values): NoReference | undefined {
  const isLost = `+(${value}) COLLATE BINARY NOT IN (SELECT +(${key}) FROM main.${quoteName(to)} WHERE (${key}) IS NOT NULL)`;
  const rows = `FROM main.${quoteName(table)} WHERE (${value}) IS NOT NULL`;
  const sql = `SELECT count(*) AS "all", count(CASE WHEN ${isLost} THEN 1 END) AS lost ${rows}`;
  const { all, lost } = db.prepare<[], { all: number; lost: number }>(sql).get() ?? { all: 0, lost: 0 };
  if (lost === 0) return undefined;
  const why = `${count(lost, "value")} of it ${lost === 1 ? "is" : "are"} not there`;
  const place = placeIn(table);
  if (place === undefined) return { why, lost: lost / all };
  const example = `SELECT ${value}, ${place.sql} ${rows} AND ${isLost} LIMIT 1`;
  const [first, at] = db.prepare<[], [unknown, unknown]>(example).raw().get() ?? [];
  return { why: `${why}, such as ${showValue(first)} in ${place.what} ${at}`, lost: lost / all };
}
