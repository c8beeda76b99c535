/** What a diff says: changes, one a user, and what they come to. */
import type { LinkStyle } from "../contract/links.js";
import type { KYC_STATUSES, User } from "../contract/user.js";

/** One field of one user, before and after. */
export interface FieldChange {
  /** Dotted, as in `off_chain.liveness_config.min_blinks`; a list is one field. */
  path: string;
  old: unknown;
  new: unknown;
}

/** One user added, removed, or changed field by field. Ties, moved pages and other links are no changes. */
export type Change =
  | { kind: "added" | "removed"; id: string; user: User }
  | { kind: "changed"; id: string; fields: readonly FieldChange[]; old: User; new: User };

/** One of the two snapshots, as a report names it. */
export interface SideFacts {
  /** As a person would say it: `release 20261121T034000Z-1f6a9c0d2b7e`, `https://directory.example.com`. */
  name: string;
  /** The snapshot's id, where it has one. */
  id: string | undefined;
  /** Users. */
  count: number;
  pages: number;
  pageSize: number;
  /** Unknown of pages without snapshot.json that fit on one page, for they have no links. */
  baseUrl: string | undefined;
  links: LinkStyle | undefined;
}

type KycStatus = (typeof KYC_STATUSES)[number];

/** Users who went from one `kyc_status` to another. */
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
  /** Path -> users in whom it changed, most first, then by path. */
  fields: ReadonlyMap<string, number>;
  /** Most users first. */
  flow: readonly Flow[];
  /**
   * Added users, then removed, then changed ones, each kind in published order (newest first), or those of one kind.
   * Can be walked more than once, and never holds them all.
   */
  changes(kind?: Change["kind"]): AsyncIterable<Change>;
}
