/** `rollcall init`: writes a starter config, with sample users or a contract for a database. */
import { ExitCode, usageError } from "../core/errors.js";
import { count } from "../core/print/numbers.js";
import type { Line } from "../core/print/style.js";
import { toJson } from "../core/print/text.js";
import { STDIN } from "../core/settings/kinds.js";
import { CONFIG_FILE, CONTRACT_FILE } from "../core/settings/names.js";
import { need, resolveSettings } from "../core/settings/resolve.js";
import { optionsOf, type Settings, TEXT_KEYS } from "../core/settings/settings.js";
import { nameOfSource, textSettingsOf } from "../core/source/text-format.js";
import type { Proposed } from "../init/decide.js";
import type { Found, FoundListing } from "../init/found.js";
import { contractFile, type InitResult, initialize, QUERY_FILE, queryFile } from "../init/init.js";
import type { ChosenKey } from "../init/key.js";
import { publicLine } from "../init/propose.js";
import { countTables, describeFound, describeNull, type FoundSource } from "../init/source.js";
import { type Update, updateContracts } from "../init/update.js";
import { stoppable } from "./program/signals.js";
import { type Invocation, type Io, print, sayLines } from "./program/verb.js";

/** Runs `rollcall init`. @returns its exit code. @throws UserError */
export async function runInit({ settings, typedConfig }: Invocation, io: Io): Promise<ExitCode> {
  if (settings.update) return runUpdate(settings, typedConfig, io);
  if (typedConfig !== undefined)
    throw usageError(`--config names the settings for --update; without it, init writes ${CONFIG_FILE}. Leave it out.`);
  const options = { folder: io.cwd, ...optionsOf("init", settings) };
  const step = (signal: AbortSignal) => initialize(options, { signal });
  const result = await stoppable(io.signals, step, "nothing was written");
  if (settings.json) print(io, toJson(result));
  else if (!settings.quiet)
    sayLines(io, [...describe(result, settings.convert), { verb: "next", value: nextCommand(result) }]);
  return ExitCode.done;
}

/** The settings with which a build reads its source. */
const OF_SOURCE = ["db", "dist", "table", "query", "contract", "listings", ...TEXT_KEYS] as const;

async function runUpdate(settings: Settings, config: string | undefined, io: Io): Promise<ExitCode> {
  const { from, allTables, null: marks, convert, decimal } = settings;
  const given = { "--from": from, "--all": allTables, "--null": marks, "--convert": convert, "--decimal": decimal };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined && value !== false) ?? [];
  if (flag !== undefined)
    throw usageError(`${flag} is for a new contract; --update reads the source of ${CONFIG_FILE}. Leave one out.`);
  // Of these, init has flags for how to read a source.
  const flags = Object.fromEntries(OF_SOURCE.map((key) => [key, settings[key]]).filter(([key]) => key !== "dist"));
  const ofSource = await resolveSettings({ flags, config, env: io.env, cwd: io.cwd, keys: OF_SOURCE });
  const { db, dist, table, query, contract, listings } = need(ofSource, "db");
  const { references = false } = settings;
  if (typeof references !== "boolean")
    throw usageError('--update makes references that names show; for others, add "x-references" to the field.');
  const options = { db, dist, table, query, contract, listings, references, ...textSettingsOf(ofSource) };
  const step = (signal: AbortSignal) => updateContracts(options, signal);
  const updates = await stoppable(io.signals, step, "nothing was written");
  if (settings.json) print(io, toJson({ db, contracts: updates }));
  else if (!settings.quiet) {
    for (const { diff } of updates) if (diff !== "") print(io, diff);
    sayLines(io, [{ verb: "read", value: nameOfSource(db) }, ...updates.flatMap(describeUpdate)]);
  }
  return ExitCode.done;
}

function describeUpdate(update: Update): Line[] {
  const { listing, contract, rows, version, added, omitted, gone, left, unread, notes } = update;
  const inListing = (name: string) => (listing === "" ? name : `${listing}.${name}`);
  const columns = [...added, ...omitted].flatMap((column) => [
    describeColumn(column),
    ...describeNulls(column, rows),
    ...describeDoubt(column, true),
    ...describeConcern(column),
  ]);
  const notRead = "not read by the query; to publish it, select it there, then run this again";
  return [
    ...columns.map((line) => ({ ...line, value: inListing(line.value) })),
    ...gone.map(({ field, column }): Line => {
      const detail = `the source has no column ${column} any more; remove the field, or name its column in x-column`;
      return { verb: "gone", value: inListing(field), detail, loud: true };
    }),
    ...left.map(({ column, field, schema = {} }): Line => {
      const detail = `left out of earlier releases; if it is meant to be public: ${publicLine({ column, field }, schema)}`;
      return { verb: "leave", value: inListing(column), detail, loud: true };
    }),
    ...notes.map((value): Line => ({ verb: "note", value, loud: true })),
    ...unread.map((column): Line => ({ verb: "leave", value: inListing(column), detail: notRead, loud: true })),
    version === undefined
      ? { verb: "same", value: contract, detail: "no new column to publish" }
      : {
          verb: "write",
          value: contract,
          detail: `${count(added.length, "new field")}, version ${version}; published data is public`,
        },
  ];
}

function nextCommand({ db }: InitResult): string {
  return `${db === "-" ? "the same input | " : ""}rollcall build && rollcall serve`;
}

function describe({ config, db: source, written, found, site }: InitResult, isConverting: boolean): Line[] {
  const db = source === STDIN ? STDIN : nameOfSource(source);
  if (site) return describeSite(site, config, db, isConverting);
  if (found) return describeTable(found, config, db, isConverting);
  return [
    { verb: "write", value: config, detail: "the settings; edit them" },
    { verb: written.includes(db) ? "write" : "keep", value: db, detail: "sample users" },
  ];
}

function describeSite(site: FoundSource, config: string, db: string, isConverting: boolean): Line[] {
  const { listings, left, notes } = site;
  return [
    { verb: "read", value: db, detail: countTables(site) },
    ...listings.flatMap((listing) => describeListing(listing, isConverting)),
    ...left.map(({ table, role, why }) => ({ verb: "leave", value: table, detail: `${role}. ${why}`, loud: true })),
    ...notes.map((value) => ({ verb: "note", value, loud: true })),
    {
      verb: "note",
      value: `published data is public; to omit a column or a table, remove it from its contract or from the settings${
        listings.some(({ found }) => hasPublishable(found)) ? PUBLISH_OMITTED : ""
      }`,
      loud: true,
    },
    { verb: "write", value: config, detail: "the settings, with a path for each listing; edit them" },
  ];
}

function describeListing({ name, role, found }: FoundListing, isConverting: boolean): Line[] {
  const lines: Line[] = [{ verb: "write", value: contractFile(name), detail: `${role}, ${describeFound(found)}` }];
  if (found.sql !== undefined)
    lines.push({ verb: "write", value: queryFile(name), detail: `the SELECT that reads ${found.name}; edit it` });
  for (const note of [found.note ?? [], found.notes ?? []].flat())
    lines.push({ verb: "note", value: `${name}: ${note}`, loud: true });
  for (const [field, { "x-references": to }] of Object.entries(found.contract.properties))
    if (to !== undefined) lines.push({ verb: "refer", value: `${name}.${field}`, detail: `a record of ${to}` });
  for (const line of found.columns.flatMap((column) => [
    ...(column.schema === undefined ? [describeColumn(column)] : []),
    ...describeDoubt(column, false),
    ...describeConcern(column),
    ...describeOffer(column, isConverting),
  ]))
    lines.push({ ...line, value: `${name}.${line.value}` });
  return lines;
}

const PUBLISH_OMITTED = "; to publish an omitted column, add its line to properties and its name to required";

/** Whether a column is omitted that could be published. */
function hasPublishable({ columns }: Found): boolean {
  return columns.some(({ instead }) => instead !== undefined);
}

function describeTable(found: Found, config: string, db: string, isConverting: boolean): Line[] {
  const { name, kind, rows, columns, key, contract, sql, note, notes = [] } = found;
  const { path } = contract["x-listing"];
  const source = kind === "file" ? count(rows, "record") : `the ${kind} ${name}, ${count(rows, "row")}`;
  return [
    { verb: "read", value: db, detail: note === undefined ? source : `${source}; ${note}` },
    ...notes.map((value) => ({ verb: "note", value, loud: true })),
    ...(key.added ? [{ verb: "key", value: key.field, detail: key.why, loud: true }] : []),
    ...columns.map((column) => describeColumn(column, key)),
    ...columns.flatMap((column) => describeNulls(column, rows)),
    ...columns.flatMap((column) => describeDoubt(column, true)),
    ...columns.flatMap(describeConcern),
    ...columns.flatMap((column) => describeOffer(column, isConverting)),
    { verb: "note", value: `published data is public${hasPublishable(found) ? PUBLISH_OMITTED : ""}`, loud: true },
    ...(sql === undefined
      ? []
      : [{ verb: "write", value: QUERY_FILE, detail: `the SELECT that reads ${name}; edit it` }]),
    { verb: "write", value: CONTRACT_FILE, detail: `the contract of the records at ${path}; edit it` },
    { verb: "write", value: config, detail: "the settings; edit them" },
  ];
}

function describeColumn({ column, field, schema, instead, what, why, doubt }: Proposed, key?: ChosenKey): Line {
  if (!schema) {
    const way = instead ? `; if it is meant to be public: ${publicLine({ column, field }, instead)}` : "";
    return { verb: "omit", value: column, detail: `${what}: ${why}${way}`, loud: true };
  }
  const parts = [
    ...(key?.field === field ? [`the key, ${key.why}`] : []),
    ...(field === column ? [] : [`the field ${field}`]),
    why,
  ];
  return { verb: "publish", value: column, detail: `${what}: ${parts.join("; ")}`, loud: doubt !== undefined };
}

/** A line for each text of a column that becomes NULL. */
function describeNulls({ column, nulls = [] }: Proposed, rows: number): Line[] {
  return nulls.map((mark) => ({ verb: "null", value: column, detail: describeNull(mark, rows), loud: true }));
}

/** A line for a published column whose numbers may be read in two ways. @param isListed whether a line before says why it is text */
function describeDoubt({ column, doubt, why }: Proposed, isListed: boolean): Line[] {
  return doubt === undefined || (isListed && doubt === why)
    ? []
    : [{ verb: "note", value: column, detail: doubt, loud: true }];
}

/** A line for a published column with private data in some values. */
function describeConcern({ column, concern }: Proposed): Line[] {
  return concern === undefined ? [] : [{ verb: "note", value: column, detail: concern, loud: true }];
}

/** A line for a column that was converted, or could be. */
function describeOffer({ column, offer, schema, instead, sql }: Proposed, isConverting: boolean): Line[] {
  // A private column that is omitted has no conversion.
  if (!offer || instead) return [];
  const { what, why, isPossible } = offer;
  if (!isPossible) return [{ verb: "keep", value: column, detail: `as it is: it could be ${what}, ${why}` }];
  const way = sql !== undefined || (isConverting && schema) ? "" : "with --convert, ";
  return [{ verb: "convert", value: column, detail: `${way}${what}: ${why}` }];
}
