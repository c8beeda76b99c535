/** `rollcall init --update`: adds new columns of a source to contracts that were edited since init wrote them. */
import { realpathSync } from "node:fs";
import { type Contract, fieldsOf } from "../core/contract/contract.js";
import { type ContractFile, MAX_CONTRACT } from "../core/contract/file/form.js";
import { loadContract } from "../core/contract/file/load.js";
import { checkContract } from "../core/contract/file/parse.js";
import { lowerCase } from "../core/contract/sql.js";
import { readText, UserError, usageError } from "../core/errors.js";
import { replaceFiles } from "../core/release/writer.js";
import { CONTRACT_FILE } from "../core/settings/names.js";
import type { SettingsOfListing } from "../core/settings/settings.js";
import { namedBy, type Offered, offeredBy } from "../core/source/offered.js";
import { openRelation, ROWID_NAMES } from "../core/source/relation.js";
import { decidedIn, readSourceColumns, type SourceColumns } from "../core/source/source-columns.js";
import { findTextFiles } from "../core/source/text-files.js";
import { nameOfSource, type SourcePath, type TextSettings, textSettingsOf } from "../core/source/text-format.js";
import { addFields } from "./contract-edits.js";
import type { Proposed } from "./decide.js";
import type { Found, FoundListing } from "./found.js";
import { explainWriteErrors } from "./init.js";
import { addNamedReferences } from "./named-references.js";
import { fieldSchema, proposeColumns } from "./propose.js";
import { addReferences, foreignKeysOf, valuesOfDatabase } from "./references.js";
import { type OpenSource, survey, withSource } from "./survey.js";
import type { Survey } from "./tally.js";

/** The settings with which a build reads the source. */
export interface UpdateOptions extends TextSettings {
  db: SourcePath;
  /** The folder of the releases, which keeps the list of the source's columns. */
  dist: string;
  table?: string | undefined;
  query?: string | undefined;
  contract?: string | ContractFile | undefined;
  listings?: Readonly<Record<string, SettingsOfListing>> | undefined;
  /** Whether new columns of text files become references. */
  references?: boolean;
}

/** What was found for one contract file. */
export interface Update {
  /** The name of the listing; empty if it is the only one. */
  listing: string;
  /** The path of the contract file. */
  contract: string;
  /** The number of rows. */
  rows: number;
  /** The new version; undefined if the file has not changed. */
  version: number | undefined;
  /** New columns, which are fields now. */
  added: readonly Proposed[];
  /** Columns that are not fields, since they seem private or cannot be published. */
  omitted: readonly Proposed[];
  /** Fields whose column the source no longer has. */
  gone: readonly { field: string; column: string }[];
  /** Columns that earlier releases left out, such as those of fields that a person has removed. */
  left: readonly Proposed[];
  /** Columns of the source that the query does not read. */
  unread: readonly string[];
  /** Foreign keys of new columns that are not references. */
  notes: readonly string[];
  /** The changes of the file, as a unified diff; empty without any. */
  diff: string;
}

/** What was found, and the text that the file gets. */
interface Edited {
  update: Update;
  text: string;
}

/** A contract file, and what its records are read from. */
interface Target extends Pick<UpdateOptions, "table" | "query"> {
  listing: string;
  contract: string;
  setting: string | undefined;
}

/**
 * Adds the new columns of a source to its contracts. Writes all files or none.
 * @throws UserError if there is no contract file, one has mistakes or would have, or the source cannot be read
 */
export async function updateContracts(options: UpdateOptions, signal?: AbortSignal): Promise<Update[]> {
  const targets = targetsOf(options);
  const { db, dist, listings, references } = options;
  const known = readSourceColumns(dist);
  const reading = { from: db, ...textSettingsOf(options) };
  const byListing = new Map<string, Edited>();
  // Text files are imported in another way for queries.
  for (const isQueried of [false, true]) {
    const some = targets.filter(({ query }) => (query !== undefined) === isQueried);
    const [first] = some;
    if (first === undefined) continue;
    await withSource({ ...reading, query: first.query }, signal, async (source) => {
      const read: ReadTarget[] = [];
      for (const target of some) read.push(await readTarget(source, reading, target, known, signal));
      // A release of one listing has no references.
      const found = listings === undefined || isQueried ? undefined : findReferences(source, read, references);
      for (const one of read) byListing.set(one.update.listing, edit(one, found));
    });
  }
  const edited = targets.flatMap(({ listing }) => byListing.get(listing) ?? []);
  signal?.throwIfAborted();
  const changed = edited.filter(({ update }) => update.version !== undefined);
  const names = changed.map(({ update }) => update.contract);
  await explainWriteErrors(names.join(" and "), ".", async () =>
    replaceFiles(changed.map(({ update, text }) => [realpathSync(update.contract), text])),
  );
  return edited.map(({ update }) => update);
}

function targetsOf({ contract, listings, table, query }: UpdateOptions): Target[] {
  const all = Object.entries(listings ?? { "": { contract, table, query } });
  const targets = all.map(([listing, { contract: own = contract, table, query }]): Target => {
    const setting = listing === "" ? undefined : `listings.${listing}.contract`;
    if (typeof own !== "string")
      throw usageError(
        `There is no contract file to update${setting === undefined ? "" : ` in ${setting}`}. "rollcall init --from FILE" writes ${CONTRACT_FILE}.`,
      );
    return { listing, contract: own, setting, table, query };
  });
  for (const [at, target] of targets.entries()) {
    const other = targets.slice(0, at).find(({ contract }) => contract === target.contract);
    if (other)
      throw usageError(
        `${target.contract} is the contract of ${other.listing} and ${target.listing}, which have columns of their own. Give each listing its own contract file.`,
      );
  }
  return targets;
}

/** A contract file, and what was found in its source. */
interface ReadTarget {
  update: Update;
  contract: Contract;
  text: string;
  surveyed: Survey;
}

async function readTarget(
  source: OpenSource,
  reading: TextSettings & { from: SourcePath },
  { listing, contract: file, setting, table, query }: Target,
  known: SourceColumns | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadTarget> {
  const contract = await loadContract(file, setting);
  const text = readText(file, "it is the contract to update", MAX_CONTRACT);
  // As for a build, the table is named like the records. A text file alone has one.
  const isText = findTextFiles(reading.from, reading)?.isSeveral === false;
  const named = query === undefined && !isText ? (table ?? contract.listing.words[1]) : undefined;
  const options = { ...reading, table: named, query };
  const surveyed = await survey(source, options, signal);
  const offered =
    query === undefined
      ? undefined
      : offeredBy(source.db, openRelation(source.db, nameOfSource(reading.from), { table, query }));
  const columns = proposeColumns(surveyed, options, namedBy([{ contract }]), Object.keys(contract.file.properties));
  // What a query yields is decided there.
  const place = isText ? "" : surveyed.name;
  const wasLeft =
    query === undefined && known?.columns.some(([name]) => name === place) ? decidedIn(known, place) : () => false;
  const publishable = columns.filter(({ schema }) => schema !== undefined);
  const added = publishable.filter(({ column }) => !wasLeft(column));
  const found = new Set(surveyed.columns.map(({ column }) => lowerCase(column)));
  const isFound = (column: string, path: readonly string[]) =>
    found.has(lowerCase(column)) ||
    (surveyed.rowid !== undefined && (ROWID_NAMES as readonly string[]).includes(lowerCase(column))) ||
    // In NDJSON, an object may hold the field.
    (surveyed.origin === "members" && path.length > 1 && found.has(lowerCase(path[0] ?? "")));
  const update: Update = {
    listing,
    contract: file,
    rows: surveyed.rows,
    version: undefined,
    added,
    omitted: columns.filter(({ schema }) => schema === undefined),
    gone: fieldsOf(contract.file.properties, Object.keys)
      .filter(({ column, names }) => !isFound(column, names))
      .map(({ path, column }) => ({ field: path, column })),
    left: publishable.filter(({ column }) => wasLeft(column)),
    unread: offered === undefined ? [] : unreadColumns(offered, contract),
    notes: [],
    diff: "",
  };
  return { update, contract, text, surveyed };
}

/** The references of new columns, and notes on those that are none: schemas by field, and notes, by listing. */
type FoundReferences = ReadonlyMap<string, { schemas: ContractFile["properties"]; notes: readonly string[] }>;

/** Finds the references of new columns as init does. Fields that were in a contract stay as they are. */
function findReferences(
  { db, texts }: OpenSource,
  read: readonly ReadTarget[],
  references: UpdateOptions["references"],
): FoundReferences {
  const listings = read.map(foundListing);
  const surveys = new Map(read.map(({ surveyed }) => [surveyed.name, surveyed]));
  const isNew = (table: string, column: string) =>
    read.some(
      ({ update, surveyed }) =>
        surveyed.name === table && update.added.some((one) => lowerCase(one.column) === lowerCase(column)),
    );
  const keysOf = ({ name }: Found) =>
    foreignKeysOf(db, name).filter(({ from }) => from.every((column) => isNew(name, column)));
  const found = new Map<string, { schemas: ContractFile["properties"]; notes: readonly string[] }>();
  for (const listing of listings) {
    const made = texts
      ? addNamedReferences(db, listings, surveys, references, {
          isWanted: (table, column) => table === listing.found.name && isNew(table, column),
          next: 'add "x-references" to their fields',
        })
      : addReferences(valuesOfDatabase(db), listings, (one) => (one === listing.found ? keysOf(one) : []));
    const own = made.listings.find(({ name }) => name === listing.name);
    found.set(listing.name, { schemas: own?.found.contract.properties ?? {}, notes: made.notes });
  }
  return found;
}

/** A listing as init would find it, with the fields that its contract has and those that are added. */
function foundListing({ update, contract, surveyed }: ReadTarget): FoundListing {
  const { listing: name, added, rows } = update;
  const known = fieldsOf(contract.file.properties, Object.keys);
  const columns = [
    ...known.map(({ path, column, schema }): Proposed => ({ column, field: path, schema, what: "", why: "" })),
    ...added,
  ];
  const schemas = added.map(({ field, column, schema = {} }) => [field, fieldSchema(field, column, schema)] as const);
  const properties = { ...contract.file.properties, ...Object.fromEntries(schemas) };
  const key = { field: contract.listing.key, why: "", order: [] };
  // Its query, if it has one, is not changed.
  const found: Found = {
    name: surveyed.name,
    kind: "query",
    note: undefined,
    notes: undefined,
    rows,
    contract: { ...contract.file, properties },
    columns,
    key,
  };
  return { name, role: "table", found };
}

/** Adds the fields to the text of a contract. @param references those of all listings */
function edit({ update, text }: ReadTarget, references: FoundReferences | undefined): Edited {
  const { listing, contract: file, added } = update;
  const { schemas = {}, notes = [] } = references?.get(listing) ?? {};
  if (added.length === 0) return { update, text };
  const fields = added.map(
    ({ field, column, schema = {} }) => [field, schemas[field] ?? fieldSchema(field, column, schema)] as const,
  );
  const edited = addFields(text, new Map(fields), file);
  const read = checkContract(edited.text);
  if ("mistakes" in read)
    throw new UserError(`The new columns do not fit into ${file}, so nothing was written:`, { details: read.mistakes });
  return { update: { ...update, notes, version: read.listing.version, diff: edited.diff }, text: edited.text };
}

/** The columns behind a query that neither the query nor the contract names. */
function unreadColumns(offered: Offered, contract: Contract): string[] {
  const isNamed = namedBy([{ contract, offered }]);
  return [...offered.columns.values()].flat().filter((column) => !isNamed(column));
}
