/** What was found by comparing two lists of records: places of records that were added, removed or changed. */
import type { Contract } from "../contract/contract.js";
import { fromBytes } from "../contract/record/key.js";
import { shorten } from "../print/text.js";
import { RecordLines } from "../release/record-lines.js";
import type { Side } from "./side.js";

/** Where a record stands in a list. */
interface Listed {
  /** Its number in published order, from 0. */
  at: number;
  digest: string;
}

/** With the key as it is written in the list, byte by byte. */
export type ListEntry = Listed & { key: string };

export interface Pair {
  key: string;
  old: Listed;
  new: Listed;
}

/** A record to put where it is new or other than it was, or one that is gone, as it stood before. */
export type KeyedChange = ListEntry & { isPut: boolean };

export interface Matches {
  counts: Record<"added" | "removed" | "changed", number>;
  added(): Generator<ListEntry>;
  removed(): Generator<ListEntry>;
  changed(): Generator<Pair>;
  /** All of them in the order of keys: integers as numbers, texts by the bytes of their value. */
  byKey(): Generator<KeyedChange>;
  close(): void;
}

export const NO_MATCHES: Matches = {
  counts: { added: 0, removed: 0, changed: 0 },
  *added() {},
  *removed() {},
  *changed() {},
  *byKey() {},
  close() {},
};

export type MatchSide = Pick<Side, "list" | "facts">;

/** Where records are named by another field, none of the new side can be found on the old one. */
export function unmatched(old: MatchSide, now: MatchSide): Matches {
  const count = ({ list: path }: MatchSide) => {
    const list = new RecordLines(path);
    const { lines } = list.measure();
    list.close();
    return lines;
  };
  return {
    ...NO_MATCHES,
    counts: { added: count(now), removed: count(old), changed: 0 },
    added: () => entriesOf(now),
    removed: () => entriesOf(old),
    byKey() {
      throw new Error("Records that are named by different fields are in no common order");
    },
  };
}

function* entriesOf({ list: path }: MatchSide): Generator<ListEntry> {
  const list = new RecordLines(path);
  try {
    for (let at = 0; list.hold(at, 1) > 0; at++) yield { key: list.key(at), at, digest: list.digest(at) };
  } finally {
    list.close();
  }
}

const LONGEST_NAME = 100;

/** A record as people are told of it, by its key as it is written in a list: `station EGLL`. */
export function nameOf({ listing }: Pick<Contract, "listing">, key: string): string {
  return `${listing.words[0]} ${shorten(fromBytes(key), LONGEST_NAME)}`;
}
