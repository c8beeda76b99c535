/** Users that both snapshots have, with other records: read, and compared field by field. */
import { AVATAR_PATH } from "../contract/links.js";
import type { Change, FieldChange } from "./change.js";
import { compareUsers } from "./fields.js";
import { type FieldFilter, fieldFilter } from "./filter.js";
import type { Pair } from "./match.js";
import { RecordReader } from "./records.js";
import type { Side } from "./side.js";

export type Changed = Extract<Change, { kind: "changed" }>;

/** What pairs of users are read from, and which of their fields count. */
export interface ChangedUsers {
  old: Side;
  new: Side;
  filter: FieldFilter;
}

/**
 * Reads pairs and compares them, leaving out those that differ in nothing that counts.
 * @throws UserError, while reading, when a page is missing or does not hold what the index says.
 */
export function changedReader(comparison: ChangedUsers): (pairs: Iterable<Pair>) => Generator<Changed> {
  const { old: oldSide, new: newSide, filter } = comparison;
  const [older, newer] = [new RecordReader(oldSide), new RecordReader(newSide)];
  const isWanted = fieldFilter(filter);
  return function* (pairs) {
    for (const places of pairs) {
      const [old, now] = [older.read(places.old), newer.read(places.new)];
      const fields = compareUsers(old, now).filter(
        (field) => isWanted(field.path) && !isOwnAvatar(field, oldSide, newSide),
      );
      if (fields.length > 0) yield { kind: "changed", id: now.id, fields, old, new: now };
    }
  };
}

/** The image of users who have none moves with the base URL, which is told once. */
function isOwnAvatar({ path, old, new: now }: FieldChange, oldSide: Side, newSide: Side): boolean {
  const isOwn = (url: unknown, { facts: { baseUrl } }: Side) =>
    baseUrl !== undefined && url === `${baseUrl}/${AVATAR_PATH}`;
  return path === "image_url" && isOwn(old, oldSide) && isOwn(now, newSide);
}
