/** What a diff consists of: one change for each record that differs, and totals. */
import type { ContractChanges } from "../contract/changes.js";
import type { AnyRecord, Contract } from "../contract/contract.js";
import { matchingPaths } from "../contract/field-limits.js";
import type { LinkStyle } from "../contract/links.js";

export interface FieldChange {
  /** Dotted, as in `position.latitude`; a list is one field. */
  path: string;
  old: unknown;
  new: unknown;
}

/** The value of a record's key. */
export type RecordId = string | number;

/** A record that was added, removed, or changed in some fields. Another order, page or link style is not a change. */
export type Change<T = AnyRecord> =
  | { kind: "added" | "removed"; id: RecordId; record: T }
  | { kind: "changed"; id: RecordId; fields: readonly FieldChange[]; old: T; new: T };

export interface SideFacts {
  /** As messages and reports show it: `release 20261121T034000Z-1f6a9c0d2b7e`, `https://directory.example.com`. */
  name: string;
  id: string | undefined;
  count: number;
  pages: number;
  pageSize: number;
  /** Undefined for a listing of one page without snapshot.json, which has no links. */
  baseUrl: string | undefined;
  links: LinkStyle | undefined;
  /** What its records were checked against. */
  contract: Contract;
  /** The URL of its explorer, if the snapshot has one: `https://directory.example.com/`. */
  explorer?: string | undefined;
  /** Whether it is what a source would publish, which nobody has published yet. */
  isSource?: boolean;
}

/** How many records went from one value of a facet (a field that the contract calls so) to another. */
export interface Flow {
  /** The path of the facet. */
  field: string;
  from: unknown;
  to: unknown;
  count: number;
}

/** @typeParam T a record of both sides, as the caller knows it. */
export interface Diff<T = AnyRecord> {
  old: SideFacts;
  new: SideFacts;
  /** What changed in the contract; undefined when both sides have the same. Records are compared by the fields of both. */
  contract: ContractChanges | undefined;
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** How many records changed in a field, by its path; most records first, then by path. */
  fields: ReadonlyMap<string, number>;
  /**
   * Facet by facet, by path; of each, most records first. A facet of very many values, which is rather a free text, is
   * left out.
   */
  flow: readonly Flow[];
  /**
   * Added records, then removed, then changed ones, or those of one kind; each kind in published order. Can
   * be iterated more than once, and never holds all changes in memory.
   */
  changes(kind?: Change["kind"]): AsyncIterable<Change<T>>;
}

export interface FieldFilter {
  /** Patterns of the paths that are compared; all unless given. */
  only?: readonly string[] | undefined;
  /** Patterns of paths that are not compared. */
  ignore?: readonly string[] | undefined;
}

/** @param contracts of both sides. */
export function fieldFilter(
  { only, ignore = [] }: FieldFilter,
  contracts: readonly Contract[],
): (path: string) => boolean {
  const matching = (pattern: string) => contracts.flatMap((contract) => matchingPaths(contract, pattern));
  const pathsOf = (patterns: readonly string[]) => new Set(patterns.flatMap(matching));
  const [wanted, ignored] = [only && pathsOf(only), pathsOf(ignore)];
  return (path) => (wanted?.has(path) ?? true) && !ignored.has(path);
}
