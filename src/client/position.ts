/** Where a walk is, in a form that another process can go on from. */
import type { Snapshot } from "../contract/snapshot.js";
import { ListingError, quoted } from "./errors.js";

/** Where a walk is: plain JSON, which another process can give as `after` to go on. */
export interface Position {
  /**
   * Which records the listing holds: the SHA-256 of records.sha256. Where the host has none, another name of the snapshot,
   * and empty before the first answer.
   */
  state: string;
  /** The page of the record that was handed out last; 1 before the first. */
  page: number;
  /** How many records of this page were handed out. */
  index: number;
  /** Records a page, so that a position means the same where equal records are published with another page size. */
  pageSize?: number | undefined;
}

/** Before the first record. */
export const BEGINNING: Position = { state: "", page: 1, index: 0 };

/** The position behind the first `records` records. */
export function positionAt(records: number, { state, snapshot }: { state: string; snapshot: Snapshot }): Position {
  const { page_size: pageSize } = snapshot;
  const page = Math.max(1, Math.ceil(records / pageSize));
  return { state, page, index: records - (page - 1) * pageSize, pageSize };
}

/** The reverse of `positionAt`. @throws ListingError (usage) for what is no position of this listing. */
export function recordsBefore(position: Position, { count, page_size }: Snapshot, url: string): number {
  const { page, index, pageSize = page_size } = position;
  const records = (page - 1) * pageSize + index;
  const isOne = [page, index, pageSize, records].every(Number.isSafeInteger) && page > 0 && index >= 0;
  if (isOne && index <= pageSize && records <= count) return records;
  throw new ListingError("usage", url, "has no such position", `one within ${count} records`, quoted(position));
}
