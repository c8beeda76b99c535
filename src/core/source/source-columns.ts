/** The list in dist of the source's tables and columns at the last release, so that a build names those that are new. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import type { Contract } from "../contract/contract.js";
import { parseAs } from "../contract/json.js";
import { listed } from "../print/text.js";
import { SOURCE_COLUMNS } from "../release/layout.js";
import { readPlain } from "../release/plain-files.js";
import { replaceFile } from "../release/writer.js";
import { namedBy, type Offered } from "./offered.js";
import { nameOfSource, type SourcePath } from "./text-format.js";

const COLUMNS = z.object({
  tables: z.array(z.string()),
  /** The columns of the tables that listings read, as pairs, since a table may have any name. */
  columns: z.array(z.tuple([z.string(), z.array(z.string())])),
  /** Those that were named as new and that no listing publishes since. All others were left out on purpose. */
  undecided: z.array(z.tuple([z.string(), z.array(z.string())])),
});

export type SourceColumns = z.infer<typeof COLUMNS>;

/** A listing, and what its source offers. */
interface Reading {
  /** The name of the listing; empty if it is the only one. */
  name: string;
  settings: { contract: Contract };
  source: { offered: Offered };
}

/** Maximum number of names in a note. */
const MOST_LISTED = 12;

/** Reads the list. A missing or damaged one is undefined. */
export function readSourceColumns(dist: string): SourceColumns | undefined {
  const text = readPlain(join(dist, SOURCE_COLUMNS));
  return text === undefined ? undefined : parseAs(COLUMNS, text.toString());
}

/** Replaces the list by what the source of a build offers. @param known the list of the last release */
export function keepSourceColumns(dist: string, known: SourceColumns | undefined, listings: readonly Reading[]): void {
  const columns = columnsOf(listings);
  const undecided = [...columns.keys()].map((table): [string, string[]] => {
    const isNamed = namedIn(table, listings);
    const isDecided = decidedIn(known, table);
    return [table, (columns.get(table) ?? []).filter((column) => !isDecided(column) && !isNamed(column))];
  });
  const now: SourceColumns = {
    tables: [...(listings[0]?.source.offered.tables ?? [])],
    columns: [...columns].map(([table, names]) => [table, [...names]]),
    undecided: undecided.filter(([, names]) => names.length > 0),
  };
  replaceFile(join(dist, SOURCE_COLUMNS), `${JSON.stringify(now)}\n`);
}

/** Copies the list to a folder for temporary releases, whose builds then name what is new since the last release in `dist`. */
export function copySourceColumns(dist: string, to: string): void {
  const text = readPlain(join(dist, SOURCE_COLUMNS));
  if (text === undefined) return;
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, SOURCE_COLUMNS), text);
}

/**
 * Finds whether a column was published or left out on purpose by a release: all of a table that is not in the list, since the
 * first release of a table leaves out what its contract leaves out.
 */
export function decidedIn(known: SourceColumns | undefined, table: string): (column: string) => boolean {
  const columns = new Map(known?.columns).get(table);
  const undecided = new Map(known?.undecided).get(table) ?? [];
  return (column) => columns === undefined || (columns.includes(column) && !undecided.includes(column));
}

function namedIn(table: string, listings: readonly Reading[]): (column: string) => boolean {
  const readers = listings.filter(({ source }) => source.offered.columns.has(table));
  return namedBy(readers.map(({ settings: { contract }, source: { offered } }) => ({ contract, offered })));
}

/** The columns of the tables that some listings read. */
function columnsOf(listings: readonly Reading[]): Map<string, readonly string[]> {
  return new Map(listings.flatMap(({ source }) => [...source.offered.columns]));
}

/**
 * Names the columns, and of a site the tables, that are new since the last release and that no listing publishes.
 * @param known the list of the last release. Without one, or for a table that it does not have, nothing is new.
 * @param db the source
 */
export function noteNewColumns(
  known: SourceColumns | undefined,
  db: SourcePath,
  listings: readonly Reading[],
): string[] {
  if (known === undefined) return [];
  const file = basename(nameOfSource(db));
  const before = new Map(known.columns);
  const now = columnsOf(listings);
  const notes: string[] = [];
  for (const [table, columns] of now) {
    const old = before.get(table);
    if (old === undefined) continue;
    const isNamed = namedIn(table, listings);
    const added = columns.filter((column) => !old.includes(column) && !isNamed(column));
    if (added.length === 0) continue;
    const place = table === "" ? file : `the table ${table}`;
    notes.push(`${place} has new columns that are not published: ${listed(added, MOST_LISTED)}`);
  }
  const isPlain = listings.some(({ name }) => name === "");
  const tables = (listings[0]?.source.offered.tables ?? []).filter(
    (table) => !known.tables.includes(table) && !now.has(table),
  );
  if (!isPlain && tables.length > 0)
    notes.push(`${file} has new tables that are not published: ${listed(tables, MOST_LISTED)}`);
  return notes;
}
