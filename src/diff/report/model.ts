/** The content of a report, for every form. Not escaped: each form escapes texts itself. */
import type { Change, Diff, FieldFilter, SideFacts } from "../../core/compare/change.js";
import type { AnyRecord, Contract, Field } from "../../core/contract/contract.js";
import type { NullRule, ValueSchema } from "../../core/contract/file/form.js";
import { isLoopback, isPublishableUrl } from "../../core/contract/links.js";
import { valueAt } from "../../core/contract/record/value.js";
import { number, type Words } from "../../core/print/numbers.js";
import { listed, shorten } from "../../core/print/text.js";
import type { Written } from "./difference.js";

/** The kinds of changes, in the order of a diff. */
export const CHANGE_KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Maximum changes of a short report. */
const SHORT = 20;

export interface ReportOptions {
  /** A sentence for each exceeded gate. */
  exceeded?: readonly string[];
  filter?: FieldFilter;
}

/** The content of a report. */
export interface Report {
  diff: Diff;
  exceeded: readonly string[];
  filter: FieldFilter;
  /** The number of differing records. */
  differing: number;
  /** How to describe records, by the contract of their snapshot: removed records are of the old one. */
  wordings: Readonly<Record<ChangeKind, Wording>>;
  words: Exclude<Words, string>;
  old: ReportSide;
  new: ReportSide;
  /** Differences of settings that change pages but no record. Omits unknown values. */
  settings: readonly { name: string; old: string; new: string }[];
  /** What changed in the contract, if anything did. */
  contract: ReportContract | undefined;
  /** The number of records in which each field changed, most first. */
  fields: readonly (readonly [path: string, records: number])[];
  /** The facets with moves. */
  facets: readonly FacetMoves[];
  /** The URL of the new snapshot's explorer, safe for links. It does not have removed records. */
  explorer: string | undefined;
  /** Whether the explorer exists only once the new side is published: it is a source, or on loopback. */
  isUnpublished: boolean;
  /** Whether there are few changes, so that their list comes before tables and charts. */
  isShort: boolean;
}

interface ReportSide {
  /** Its name, with the id if the name does not end with it: `before/current (ac5e31b908dc)`. */
  name: string;
  count: number;
  pages: number;
}

interface ReportContract {
  /** Added and removed fields, then changes of other fields and of the listing, then of conditions. */
  changes: readonly ContractChange[];
  /** The key fields of both sides, if they differ. */
  keys: readonly [old: string, now: string] | undefined;
}

/** A change of the contract: an added or removed field or condition, or a changed value. */
export interface ContractChange {
  kind: ChangeKind;
  /** What changed: a name, with a word before or after it: `field nickname`, `country pattern`, `listing version`. */
  before?: string;
  name: string;
  after?: string;
  values?: { old: unknown; new: unknown };
}

/** A facet with changed values. */
export interface FacetMoves {
  path: string;
  /** Most records first. */
  moves: readonly Move[];
}

/** The number of records that changed from one value of a facet to another. */
interface Move {
  from: string;
  to: string;
  count: number;
}

/** Makes the content of a report. */
export function reportOf(diff: Diff, { exceeded = [], filter = {} }: ReportOptions = {}): Report {
  const { old, new: now, added, removed, changed } = diff;
  const current = wordingOf(now.contract);
  const { explorer } = now;
  const url = explorer !== undefined && isPublishableUrl(explorer) ? new URL(explorer) : undefined;
  const isUnpublished = url !== undefined && (now.isSource === true || isLoopback(url.hostname));
  const differing = added + removed + changed;
  return {
    diff,
    exceeded,
    filter,
    differing,
    wordings: { added: current, changed: current, removed: wordingOf(old.contract) },
    words: current.words,
    old: sideOf(old),
    new: sideOf(now),
    settings: settingChanges(diff),
    contract: contractOf(diff),
    fields: [...diff.fields].map(([path, records]) => [writePath(path), records]),
    facets: [...new Set(diff.flow.map(({ field }) => field))].map((path) => facetOf(path, diff.flow, current)),
    explorer: isUnpublished ? undefined : url?.href,
    isUnpublished,
    isShort: differing <= SHORT,
  };
}

function sideOf({ name, id, count, pages }: SideFacts): ReportSide {
  return { name: id === undefined || name.endsWith(id) ? name : `${name} (${id})`, count, pages };
}

function settingChanges({ old, new: now }: Diff): Report["settings"] {
  const settings = [
    { name: "base URL", old: old.baseUrl, new: now.baseUrl },
    { name: "page size", old: number(old.pageSize), new: number(now.pageSize) },
    { name: "links", old: old.links, new: now.links },
  ];
  return settings.flatMap(({ name, old = "", new: now = "" }) =>
    old !== "" && now !== "" && old !== now ? [{ name, old, new: now }] : [],
  );
}

function contractOf({ contract, old, new: now }: Diff): ReportContract | undefined {
  if (!contract) return undefined;
  const only = (kind: "added" | "removed", before: string, name: string) => ({ kind, before, name: writePath(name) });
  const changed = (
    { old, new: now }: NonNullable<ContractChange["values"]>,
    what: Pick<ContractChange, "before" | "name" | "after">,
  ): ContractChange => ({ kind: "changed", values: { old, new: now }, ...what });
  const changes = [
    ...contract.added.map((path) => only("added", "field", path)),
    ...contract.removed.map((path) => only("removed", "field", path)),
    ...contract.fields.map((field) => changed(field, { name: writePath(field.path), after: field.keyword })),
    ...contract.listing.map((entry) => changed(entry, { before: "listing", name: entry.keyword })),
    ...contract.conditions.map((condition) => {
      if (condition.old === undefined) return only("added", "condition", condition.name);
      if (condition.new === undefined) return only("removed", "condition", condition.name);
      return changed(condition, { before: "condition", name: writePath(condition.name) });
    }),
  ];
  const [before, after] = [old, now].map((side) => writePath(side.contract.key.path));
  return { changes, keys: contract.hasOtherKey ? [before ?? "", after ?? ""] : undefined };
}

/** A sentence for an explorer that exists only later; undefined without one. @param show escapes a word for the report. */
export function laterExplorer({ diff, words, isUnpublished }: Report, show: (word: string) => string) {
  if (!isUnpublished || diff.added + diff.changed === 0) return undefined;
  return `The explorer shows these ${show(words[1])} once published.`;
}

/** A sentence for different key fields; undefined if they are the same. @param show escapes a key for the report. */
export function otherKey({ keys }: ReportContract, show: (path: string) => string): string | undefined {
  if (!keys) return undefined;
  const [before, after] = keys.map(show);
  return `The key is ${after} instead of ${before}, so all old records count as removed and all new ones as added.`;
}

function facetOf(path: string, flow: Diff["flow"], { write }: Wording): FacetMoves {
  const text = (value: unknown) => short(write(path, value));
  const moves = flow.filter(({ field }) => field === path);
  return {
    path: writePath(path),
    moves: moves.map(({ from, to, count }) => ({ from: text(from), to: text(to), count })),
  };
}

/** Reads the first `limit` changes of a kind. */
export async function* firstChanges(diff: Diff, kind: ChangeKind, limit: number): AsyncGenerator<Change> {
  let left = Math.min(limit, diff[kind]);
  if (left === 0) return;
  for await (const change of diff.changes(kind)) {
    yield change;
    if (--left === 0) return;
  }
}

/**
 * The fields that were compared: `only country, position.*`, `all fields but nickname`; undefined for all.
 * @param show escapes a pattern for the report.
 */
export function comparedFields({ only, ignore = [] }: FieldFilter, show: (pattern: string) => string) {
  const list = (patterns: readonly string[]) => listed([...new Set(patterns)].map(show));
  if (only === undefined) return ignore.length === 0 ? undefined : `all fields but ${list(ignore)}`;
  return `only ${list(only)}${ignore.length === 0 ? "" : `, without ${list(ignore)}`}`;
}

/** The words and values with which reports describe the records of a contract. */
export interface Wording {
  contract: Contract;
  words: Contract["listing"]["words"];
  /** The first facets, without fields that name a record. Rows show their values. */
  facets: readonly Field[];
  /** The first date or time of a record, preferably from the order. */
  time: Field | undefined;
  /** The names of a record other than its key, best first: `["Anna Berg", "anna"]`. */
  namesOf(record: AnyRecord): string[];
  /** A value of the field with this path, as text. */
  write(path: string, value: unknown): Written;
}

/** Maximum facets in a row. */
const MOST_FACETS = 3;

/** Describes the records of a contract. */
export function wordingOf(contract: Contract): Wording {
  const { fields, key, label, listing, order } = contract;
  const names = new Set([label, ...fields.filter(({ schema }) => endsIn(schema["x-null"], key.path))]);
  const bare = new Set(fields.filter(({ schema }) => !isFreeText(schema)).map(({ path }) => path));
  return {
    contract,
    words: listing.words,
    facets: fields
      .filter((field) => field.schema["x-facet"] && field !== key && !names.has(field))
      .slice(0, MOST_FACETS),
    time: [...order, ...fields].find(({ schema }) => schema.format === "date-time" || schema.format === "date"),
    namesOf(record) {
      const id = valueAt(record, key);
      const texts = [...names].map((field) => valueAt(record, field));
      return [...new Set(texts)].filter(
        (text) => typeof text === "string" && text.trim() !== "" && text !== id,
      ) as string[];
    },
    write: (path, value) => writeValue(value, !bare.has(path)),
  };
}

/** Whether a NULL rule ends with the value of a field, so that both fields can name a record. */
function endsIn(rule: NullRule | undefined, path: string): boolean {
  if (rule === undefined) return false;
  return "field" in rule ? rule.field === path : "join" in rule && endsIn(rule.empty, path);
}

/** Whether a field may have any text. Reports quote such texts, to show where they end. */
function isFreeText(schema: ValueSchema): boolean {
  const { type, pattern, format, enum: values, anyOf } = schema;
  if (schema["x-json"]) return true;
  if (anyOf) return anyOf.some(isFreeText);
  const isText = [type].flat().includes("string");
  return isText && pattern === undefined && format === undefined && values === undefined && !("const" in schema);
}

/** Maximum characters of a name, and of a facet's value, in a row. */
const LONGEST_NAME = 40;
const LONGEST_FACT = 40;

/** The name of a record; empty if it has only its key. */
export function labelOf(record: AnyRecord, { namesOf }: Wording): string {
  return shorten(namesOf(record)[0] ?? "", LONGEST_NAME);
}

/** The value of a facet, cut to fit a row. */
export function factOf(record: AnyRecord, field: Field, { write }: Wording): string {
  return short(write(field.path, valueAt(record, field)));
}

function short({ text, quoted }: Written): string {
  return quoted ? JSON.stringify(shorten(text, LONGEST_FACT)) : shorten(text, LONGEST_FACT);
}

/** The day of a record's time, or `null`. */
export function recordDay(record: AnyRecord, time: Field): string {
  return String(valueAt(record, time)).slice(0, "2026-11-21".length);
}

/** The word for a time, from its field: `opened` for `date_opened`, `edited` for `page.edited_at`. */
export function timeWord({ names, path }: Field): string {
  return (names.at(-1) ?? "").replace(/^date_|_(?:at|on|date|time)$/, "") || path;
}

/** Texts that would be misread without quotes. `|` and `` ` `` are Markdown. */
const NEEDS_QUOTES = /^$|[\s"\\`|]/;

/** Writes a value: free text in quotes, anything else without: `open`, `["EN","DE"]`. @param isFree whether the field may have any text. */
export function writeValue(value: unknown, isFree: boolean): Written {
  if (typeof value !== "string") return { text: JSON.stringify(value) ?? "nothing", quoted: false };
  return { text: value, quoted: isFree || NEEDS_QUOTES.test(value) };
}

/** Writes a field's path, in quotes if it could be misread. */
export function writePath(path: string): string {
  return /^[\p{L}\p{N}\p{M}_$@.-]+$/u.test(path) ? path : JSON.stringify(path);
}

/** Letters written from right to left, which would reverse the order of other text on the same line. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
