/** The types of a diff: a change for each record that differs, and totals. */
import type { ContractChanges } from "../contract/changes.js";
import type { AnyRecord, Contract } from "../contract/contract.js";
import { matchingPaths } from "../contract/field-limits.js";
import type { LinkStyle } from "../contract/links.js";

export interface FieldChange {
  /** The field's path: `position.latitude`. A list is one field. */
  path: string;
  old: unknown;
  new: unknown;
}

/** The value of a record's key. */
export type RecordId = string | number;

/** A record that was added, removed, or changed in some fields. Another position, page or link style is not a change. */
export type Change<T = AnyRecord> =
  | { kind: "added" | "removed"; id: RecordId; record: T }
  | { kind: "changed"; id: RecordId; fields: readonly FieldChange[]; old: T; new: T };

/** What a diff knows about a side. */
export interface SideFacts {
  /** Its name in messages and reports: `release 20261121T034000Z-1f6a9c0d2b7e`, `https://directory.example.com`. */
  name: string;
  id: string | undefined;
  count: number;
  pages: number;
  pageSize: number;
  /** Undefined for a listing of one page without snapshot.json, which has no links. */
  baseUrl: string | undefined;
  links: LinkStyle | undefined;
  /** The contract of its records. */
  contract: Contract;
  /** The URL of its explorer, if the snapshot has one: `https://directory.example.com/`. */
  explorer?: string | undefined;
  /** Whether it was built from a source for this diff, so it is not published. */
  isSource?: boolean;
}

/** The number of records that changed from one value of a facet (a field with `x-facet`) to another. */
export interface Flow {
  /** The path of the facet. */
  field: string;
  from: unknown;
  to: unknown;
  count: number;
}

/** The result of a comparison. @typeParam T the type of records of both sides. */
export interface Diff<T = AnyRecord> {
  old: SideFacts;
  new: SideFacts;
  /** What changed in the contract; undefined if both sides have the same. Only fields of both contracts are compared. */
  contract: ContractChanges | undefined;
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** Path of a field -> number of records that changed in it; most records first, then by path. */
  fields: ReadonlyMap<string, number>;
  /**
   * Changes between values of facets, by path of the facet, then most records first. Facets with very many values are left
   * out.
   */
  flow: readonly Flow[];
  /**
   * Reads the changes from disk: added, then removed, then changed records, or those of one kind, in published order. Can be
   * called more than once.
   */
  changes(kind?: Change["kind"]): AsyncIterable<Change<T>>;
}

export interface FieldFilter {
  /** Patterns of the paths to compare; all by default. */
  only?: readonly string[] | undefined;
  /** Patterns of paths not to compare. */
  ignore?: readonly string[] | undefined;
}

/** Makes a function that tells whether a path is compared. @param contracts of both sides. */
export function fieldFilter(
  { only, ignore = [] }: FieldFilter,
  contracts: readonly Contract[],
): (path: string) => boolean {
  const matching = (pattern: string) => contracts.flatMap((contract) => matchingPaths(contract, pattern));
  const pathsOf = (patterns: readonly string[]) => new Set(patterns.flatMap(matching));
  const wanted = only && pathsOf(only);
  const ignored = pathsOf(ignore);
  return (path) => (wanted?.has(path) ?? true) && !ignored.has(path);
}
