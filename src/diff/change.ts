/** What a diff consists of: one change for each user that differs, and totals. */
import { matchingPaths } from "../contract/fields.js";
import type { LinkStyle } from "../contract/links.js";
import type { KYC_STATUSES, User } from "../contract/user.js";

export interface FieldChange {
  /** Dotted, as in `off_chain.liveness_config.min_blinks`; a list is one field. */
  path: string;
  old: unknown;
  new: unknown;
}

/** A user who was added, removed, or changed in some fields. Another order, page or link style is not a change. */
export type Change =
  | { kind: "added" | "removed"; id: string; user: User }
  | { kind: "changed"; id: string; fields: readonly FieldChange[]; old: User; new: User };

export interface SideFacts {
  /** For people: `release 20261121T034000Z-1f6a9c0d2b7e`, `https://directory.example.com`. */
  name: string;
  id: string | undefined;
  count: number;
  pages: number;
  pageSize: number;
  /** Undefined for a listing of one page without snapshot.json, which has no links. */
  baseUrl: string | undefined;
  links: LinkStyle | undefined;
}

type KycStatus = (typeof KYC_STATUSES)[number];

/** How many users went from one `kyc_status` to another. */
export interface Flow {
  from: KycStatus;
  to: KycStatus;
  count: number;
}

export interface Diff {
  old: SideFacts;
  new: SideFacts;
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** How many users changed in a field, by its path; most users first, then by path. */
  fields: ReadonlyMap<string, number>;
  /** Most users first. */
  flow: readonly Flow[];
  /**
   * Added users, then removed, then changed ones, or those of one kind; each kind in published order (newest first). Can
   * be iterated more than once, and never holds all changes in memory.
   */
  changes(kind?: Change["kind"]): AsyncIterable<Change>;
}

export interface FieldFilter {
  /** Patterns of the paths that are compared; all unless given. */
  only?: readonly string[] | undefined;
  /** Patterns of paths that are not compared. */
  ignore?: readonly string[] | undefined;
}

export function fieldFilter({ only, ignore = [] }: FieldFilter): (path: string) => boolean {
  const pathsOf = (patterns: readonly string[]) => new Set(patterns.flatMap(matchingPaths));
  const [wanted, ignored] = [only && pathsOf(only), pathsOf(ignore)];
  return (path) => (wanted?.has(path) ?? true) && !ignored.has(path);
}
