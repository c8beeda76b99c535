/** Finds which foreign keys of a database can be references between listings: those whose every value is the key of a record. */
import type { Database } from "better-sqlite3";
import type { FieldSchema } from "../core/contract/file/form.js";
import { kindOf } from "../core/contract/record/kind.js";
import { lowerCase, quoteName } from "../core/contract/sql.js";
import { count } from "../core/print/numbers.js";
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

/** Adds `x-references` to the contracts of listings. @returns the listings, and a note for each foreign key that is not a reference */
export function addReferences(
  db: Database,
  listings: readonly FoundListing[],
): { listings: FoundListing[]; notes: string[] } {
  const notes: string[] = [];
  const referring = listings.map((listing): FoundListing => {
    const { found } = listing;
    const properties = { ...found.contract.properties };
    const required = [...found.contract.required];
    // The listing that a field, or the SQL of one that is added, refers to.
    const made = new Map<string, string>();
    const added: string[] = [];
    for (const key of foreignKeysOf(db, found.name)) {
      const reference = firstOnly(findReference(db, found, key, listings), made);
      if ("why" in reference) {
        notes.push(`${placeOf(found.name, key)} is not a reference to ${key.table}: ${reference.why}`);
        continue;
      }
      const { schema, to, sql } = reference;
      if (made.has(subjectOf(reference))) continue;
      made.set(subjectOf(reference), to);
      const field = sql === undefined ? reference.field : freeField(reference.field, found, properties);
      properties[field] = { ...schema, "x-references": to };
      if (sql === undefined) continue;
      required.push(field);
      added.push(`${sql} AS ${quoteName(field)}`);
    }
    const contract = { ...found.contract, properties, required };
    return { ...listing, found: { ...found, contract, sql: queryFor(found, added) } };
  });
  return { listings: referring, notes };
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
}

interface NoReference {
  why: string;
}

function findReference(
  db: Database,
  found: Found,
  key: ForeignKey,
  listings: readonly FoundListing[],
): Reference | NoReference {
  const target = listings.find((listing) => isSame(listing.found.name, key.table));
  if (!target || key.to.includes(null)) return { why: "that table is not a listing" };
  const parts = target.found.key.added?.parts;
  if (parts?.length === key.to.length) return findJoined(db, found, key, target, parts);
  const [from = "", ...others] = key.from;
  const [to] = key.to;
  if (others.length > 0 || to === null || to === undefined) return elsewhere(key, target);
  return findSingle(db, found, { key, from, to }, target);
}

function elsewhere({ to }: ForeignKey, { name, found: { key } }: FoundListing): NoReference {
  return { why: `it leads to ${to.join(", ")}, and the key of ${name} is ${key.field}` };
}

/** A reference to a key that is a column. */
function findSingle(
  db: Database,
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
  if (kindOf(own.schema) !== wanted) return { why: `its values are ${kindOf(own.schema)}, and keys there ${wanted}` };
  const lost = countLost(db, [found.name, quoteName(own.column)], [target.found.name, quoteName(keyColumn.column)]);
  if (lost > 0) return isLost(lost);
  const schema = unobserved(found.contract.properties[own.field] ?? {});
  return { field: own.field, schema, to: target.name };
}

/** A reference to a key that is made of columns: a field made of the columns that refer to them. @param parts those of the key */
function findJoined(
  db: Database,
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
  const sql = keySql(present.map(({ column }, at) => ({ column, isText: parts[at]?.isText ?? true })));
  const lost = countLost(db, [found.name, sql], [target.found.name, keySql(parts)]);
  if (lost > 0) return isLost(lost);
  const [one] = wordsForRecords(target.found.name);
  const isNullable = present.some(({ schema }) => schema?.type === undefined || schema.type.includes("null"));
  const schema: FieldSchema = { type: isNullable ? ["string", "null"] : "string" };
  return { field: `${one} ${target.found.key.field}`, schema, to: target.name, sql };
}

function columnOf(columns: readonly Proposed[], name: string): Proposed | undefined {
  return columns.find(({ column }) => isSame(column, name));
}

function isLost(lost: number): NoReference {
  return { why: `${count(lost, "value")} of it ${lost === 1 ? "is" : "are"} not there` };
}

function isSame(one: string, other: string): boolean {
  return lowerCase(one) === lowerCase(other);
}

/** A table, and the SQL of a column or of several. */
type Values = readonly [table: string, sql: string];

/** Counts the rows whose value is not a key. Values are compared by their bytes, whatever collation or affinity the columns have. */
function countLost(db: Database, [table, value]: Values, [to, key]: Values): number {
  const sql = `SELECT count(*) FROM main.${quoteName(table)} WHERE (${value}) IS NOT NULL
    AND +(${value}) COLLATE BINARY NOT IN (SELECT +(${key}) FROM main.${quoteName(to)} WHERE (${key}) IS NOT NULL)`;
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}
