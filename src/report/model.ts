/** A diff as every form of a report shows it. Nothing here is escaped: each form escapes texts for itself. */
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import type { NullRule, ValueSchema } from "../contract/file/form.js";
import { isLoopback, isPublishableUrl } from "../contract/links.js";
import { valueAt } from "../contract/record/value.js";
import type { Change, Diff, FieldFilter, SideFacts } from "../diff/change.js";
import { number, type Words } from "../print/numbers.js";
import { listed, shorten } from "../print/text.js";

/** In the order of a diff. */
export const CHANGE_KINDS = ["added", "removed", "changed"] as const satisfies readonly Change["kind"][];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The most changes of a short report. */
const SHORT = 20;

export interface ReportOptions {
  /** A sentence for each gate that was exceeded. */
  exceeded?: readonly string[];
  filter?: FieldFilter;
}

export interface Report {
  diff: Diff;
  exceeded: readonly string[];
  filter: FieldFilter;
  /** How many records differ. */
  differing: number;
  /** By the contract of the snapshot that holds the record: the old one has what was removed. */
  subjects: Readonly<Record<ChangeKind, Subject>>;
  words: Exclude<Words, string>;
  old: ReportSide;
  new: ReportSide;
  /** Differences in what changes every page but no record. Unknown values are left out. */
  settings: readonly { name: string; old: string; new: string }[];
  /** What changed in the contract, if anything did. */
  contract: ReportContract | undefined;
  /** In how many records each field changed, most first. */
  fields: readonly (readonly [path: string, records: number])[];
  /** The moves of each facet that has any. */
  facets: readonly Facet[];
  /** The explorer of the new snapshot, fit for a link. A record that was removed is not in it. */
  explorer: string | undefined;
  /** Whether readers find an explorer only once the new side is published: it is a source, or for this machine alone. */
  isUnpublished: boolean;
  /** Whether there are so few changes that their list comes before tables and plots. */
  isShort: boolean;
}

interface ReportSide {
  /** With the snapshot's id if the name does not contain it: `before/current (ac5e31b908dc)`. */
  name: string;
  count: number;
  pages: number;
}

interface ReportContract {
  /** Fields that came and went, then what differs in the others and in the listing, then the conditions. */
  changes: readonly ContractChange[];
  /** The keys of both sides, where the records of one cannot be found by the key of the other. */
  keys: readonly [old: string, now: string] | undefined;
}

/** One difference between two contracts: a field or condition that only one of them has, or a value that differs. */
export interface ContractChange {
  kind: ChangeKind;
  /** What differs: a name, and a word before or after it: `field nickname`, `country pattern`, `listing version`. */
  before?: string;
  name: string;
  after?: string;
  values?: { old: unknown; new: unknown };
}

export interface Facet {
  path: string;
  /** Most records first. */
  moves: readonly Move[];
}

/** How many records went from one value of a facet to another. */
export interface Move {
  from: FacetValue;
  to: FacetValue;
  count: number;
}

/** One value of a facet; the same value is the same object. */
export interface FacetValue {
  text: string;
  /** Its place in the contract's list of values, or in the order of values. */
  place: number;
}

export function reportOf(diff: Diff, { exceeded = [], filter = {} }: ReportOptions = {}): Report {
  const { old, new: now, added, removed, changed } = diff;
  const current = subjectOf(now.contract);
  const { explorer } = now;
  const url = explorer !== undefined && isPublishableUrl(explorer) ? new URL(explorer) : undefined;
  const isUnpublished = url !== undefined && (now.isSource === true || isLoopback(url.hostname));
  const differing = added + removed + changed;
  return {
    ...{ diff, exceeded, filter },
    differing,
    subjects: { added: current, changed: current, removed: subjectOf(old.contract) },
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

/** A sentence where the keys differ. @param show escapes a key for the report. */
export function otherKey({ keys }: ReportContract, show: (path: string) => string): string | undefined {
  if (!keys) return undefined;
  const [before, after] = keys.map(show);
  return `The key is ${after} instead of ${before}, so all old records count as removed and all new ones as added.`;
}

function facetOf(path: string, allFlow: Diff["flow"], { contract, write }: Subject): Facet {
  const flow = allFlow.filter(({ field }) => field === path);
  const listed = contract.fields.find((field) => field.path === path)?.schema.enum ?? [];
  const place = (value: unknown) => listed.indexOf(value);
  const given = new Map(flow.flatMap(({ from, to }) => [from, to]).map((value) => [JSON.stringify(value), value]));
  const inOrder = [...given].sort(([, one], [, other]) => place(one) - place(other) || compare(one, other));
  const values = new Map(
    inOrder.map(([key, value], at): [string, FacetValue] => [key, { text: short(write(path, value)), place: at }]),
  );
  const toValue = (value: unknown) => values.get(JSON.stringify(value)) ?? { text: "", place: 0 };
  return {
    path: writePath(path),
    moves: flow.map(({ from, to, count }) => ({ from: toValue(from), to: toValue(to), count })),
  };
}

/** Numbers by size and before texts, which are by their characters. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [text = "", otherText = ""] = [one, other].map((value) =>
    typeof value === "string" ? `~${value}` : String(value),
  );
  return text === otherText ? 0 : text < otherText ? -1 : 1;
}

/** The first `limit` changes of a kind; no more are read. */
export async function* firstChanges(diff: Diff, kind: ChangeKind, limit: number): AsyncGenerator<Change> {
  let left = Math.min(limit, diff[kind]);
  if (left === 0) return;
  for await (const change of diff.changes(kind)) {
    yield change;
    if (--left === 0) return;
  }
}

/**
 * Which fields were compared: `only country, position.*`, `all fields but nickname`; undefined when all were.
 * @param show escapes a pattern for the report.
 */
export function comparedFields({ only, ignore = [] }: FieldFilter, show: (pattern: string) => string) {
  const list = (patterns: readonly string[]) => listed([...new Set(patterns)].map(show));
  if (only === undefined) return ignore.length === 0 ? undefined : `all fields but ${list(ignore)}`;
  return `only ${list(only)}${ignore.length === 0 ? "" : `, without ${list(ignore)}`}`;
}

/** What reports say of a contract's records besides what differs. */
export interface Subject {
  contract: Contract;
  words: Contract["listing"]["words"];
  /** The fields by which people choose records, without those that name one; a row of a report shows the first of them. */
  facets: readonly Field[];
  /** The time that a record goes by, if it has any. */
  time: Field | undefined;
  /** What people may know a record by besides its key, best first: `["Anna Berg", "anna"]`. */
  namesOf(record: AnyRecord): string[];
  /** A value of the field with this path, as text. */
  write(path: string, value: unknown): Written;
}

/** More of them would push aside what differs. */
const MOST_FACETS = 3;

export function subjectOf(contract: Contract): Subject {
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
      return [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text !== id) as string[];
    },
    write: (path, value) => writeValue(value, !bare.has(path)),
  };
}

/** Whether a NULL becomes the value of a field when nothing else is there, so that both name the same. */
function endsIn(rule: NullRule | undefined, path: string): boolean {
  if (rule === undefined) return false;
  return "field" in rule ? rule.field === path : "join" in rule && endsIn(rule.empty, path);
}

/** Whether a field may hold any text. Quotes show where such a text ends, and that it is empty. */
function isFreeText(schema: ValueSchema): boolean {
  const { type, pattern, format, enum: values, anyOf } = schema;
  if (schema["x-json"]) return true;
  if (anyOf) return anyOf.some(isFreeText);
  const isText = [type].flat().includes("string");
  return isText && pattern === undefined && format === undefined && values === undefined && !("const" in schema);
}

/** The most characters of a name, and of a facet's value, in a row. */
const [LONGEST_NAME, LONGEST_FACT] = [40, 40];

/** The name of a record; empty when it has only its key. */
export function labelOf(record: AnyRecord, { namesOf }: Subject): string {
  return shorten(namesOf(record)[0] ?? "", LONGEST_NAME);
}

/** The value of a facet, cut to what fits into a row. */
export function factOf(record: AnyRecord, field: Field, { write }: Subject): string {
  return short(write(field.path, valueAt(record, field)));
}

function short({ text, quoted }: Written): string {
  return quoted ? JSON.stringify(shorten(text, LONGEST_FACT)) : shorten(text, LONGEST_FACT);
}

/** The day of a record's time, or `null`. */
export function dayOf(record: AnyRecord, time: Field): string {
  return String(valueAt(record, time)).slice(0, "2026-11-21".length);
}

/** What a time says of a record, by its field: `opened` for `date_opened`, `edited` for `page.edited_at`. */
export function timeWord({ names, path }: Field): string {
  return (names.at(-1) ?? "").replace(/^date_|_(?:at|on|date|time)$/, "") || path;
}

/** A value as text. */
export interface Written {
  text: string;
  quoted: boolean;
}

/** Text in other fields that would be misread without quotes; `|` and `` ` `` have a meaning in Markdown. */
const NEEDS_QUOTES = /^$|[\s"\\`|]/;

/** Free text in quotes, everything else without: `open`, `["EN","DE"]`. @param isFree whether the field may hold any text. */
export function writeValue(value: unknown, isFree: boolean): Written {
  if (typeof value !== "string") return { text: JSON.stringify(value) ?? "nothing", quoted: false };
  return { text: value, quoted: isFree || NEEDS_QUOTES.test(value) };
}

/** A field's path: in quotes where its names would be misread as something else of the report. */
export function writePath(path: string): string {
  return /^[\p{L}\p{N}\p{M}_$@.-]+$/u.test(path) ? path : JSON.stringify(path);
}

/** Letters that are written from right to left: on one line, they would reverse the order of what stands beside them. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
