/** Finds which foreign keys of a database can be references between listings: those whose every value is the key of a record. */
import type { Database } from "better-sqlite3";
import type { ContractFile } from "../core/contract/file/form.js";
import { kindOf } from "../core/contract/record/kind.js";
import { lowerCase, quoteName } from "../core/contract/sql.js";
import { count } from "../core/print/numbers.js";
import { unobserved } from "./decide.js";
import type { FoundListing } from "./found.js";

export interface ForeignKey {
  /** The table that it leads to. */
  table: string;
  from: string;
  /** The column that it leads to; null if its table does not exist. */
  to: string | null;
  /** The number of its columns. */
  columns: number;
}

/** The foreign keys of a table, as declared. One of several columns is in the list once for each of them. */
export function foreignKeysOf(db: Database, table: string): ForeignKey[] {
  // A foreign key that names no column leads to the PRIMARY KEY.
  const primary = `SELECT name FROM pragma_table_xinfo(list."table", 'main') WHERE pk = 1`;
  const sql = `SELECT "table", "from", coalesce("to", (${primary})) AS "to", count(*) OVER (PARTITION BY id) AS columns
    FROM pragma_foreign_key_list(?, 'main') AS list ORDER BY id DESC, seq`;
  return db.prepare<[string], ForeignKey>(sql).all(table);
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
    const made = new Map<string, string>();
    for (const key of foreignKeysOf(db, found.name)) {
      const reference = firstOnly(findReference(db, listing, key, listings), made);
      if ("why" in reference)
        notes.push(`${found.name}.${key.from} is not a reference to ${key.table}: ${reference.why}`);
      else {
        made.set(reference.field, reference.to);
        // No observed limits, as for keys.
        properties[reference.field] = {
          ...unobserved(properties[reference.field] ?? {}),
          "x-references": reference.to,
        };
      }
    }
    const contract: ContractFile = { ...found.contract, properties };
    return { ...listing, found: { ...found, contract } };
  });
  return { listings: referring, notes };
}

/** A field has one reference: the first that holds. @param made the listings that fields refer to */
function firstOnly(reference: Reference | NoReference, made: ReadonlyMap<string, string>): Reference | NoReference {
  if ("why" in reference) return reference;
  const first = made.get(reference.field);
  return first === undefined || first === reference.to ? reference : { why: `it is one to ${first}` };
}

interface Reference {
  field: string;
  /** The name of a listing. */
  to: string;
}

interface NoReference {
  why: string;
}

function findReference(
  db: Database,
  { found }: FoundListing,
  { table, from, to, columns }: ForeignKey,
  listings: readonly FoundListing[],
): Reference | NoReference {
  if (columns > 1) return { why: `the foreign key has ${columns} columns` };
  const target = listings.find((listing) => isSame(listing.found.name, table));
  if (!target || to === null) return { why: "that table is not a listing" };
  const { contract, columns: others, key } = target.found;
  const keyColumn = others.find(({ field }) => field === key.field);
  if (!keyColumn || !isSame(keyColumn.column, to))
    return { why: `it leads to ${to}, and the key of ${target.name} is ${key.field}` };
  const own = found.columns.find(({ column }) => isSame(column, from));
  if (!own?.schema) return { why: "the column is omitted" };
  if (own.sql !== undefined || keyColumn.sql !== undefined) return { why: "its values are converted" };
  const wanted = kindOf(contract.properties[key.field] ?? {});
  if (kindOf(own.schema) !== wanted) return { why: `its values are ${kindOf(own.schema)}, and keys there ${wanted}` };
  const lost = countLost(db, [found.name, own.column], [target.found.name, keyColumn.column]);
  if (lost > 0) return { why: `${count(lost, "value")} of it ${lost === 1 ? "is" : "are"} not there` };
  return { field: own.field, to: target.name };
}

function isSame(one: string, other: string): boolean {
  return lowerCase(one) === lowerCase(other);
}

type Column = readonly [table: string, column: string];

/** Counts the rows whose value is not a key. Values are compared by their bytes, whatever collation or affinity the columns have. */
function countLost(db: Database, [table, column]: Column, [to, key]: Column): number {
  const value = `+${quoteName(column)} COLLATE BINARY`;
  const sql = `SELECT count(*) FROM main.${quoteName(table)} WHERE ${quoteName(column)} IS NOT NULL
    AND ${value} NOT IN (SELECT +${quoteName(key)} FROM main.${quoteName(to)} WHERE ${quoteName(key)} IS NOT NULL)`;
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}
