/** Compares two snapshots user by user. */
import { AVATAR_PATH } from "../contract/links.js";
import type { Change, Diff, FieldChange, Flow } from "./change.js";
import { compareUsers } from "./fields.js";
import { type FieldFilter, fieldFilter } from "./filter.js";
import { type Matches, matchUsers, type Place } from "./match.js";
import { RecordReader } from "./records.js";
import type { Side } from "./side.js";

/** A diff that holds temporary data until it is closed. */
export interface OpenDiff extends Diff {
  close(): void;
}

/** @throws UserError when a page that has to be read is missing or not valid. */
export function diff(old: Side, now: Side, filter: FieldFilter = {}): OpenDiff {
  const matches = matchUsers(old.index, now.index);
  try {
    const isWanted = fieldFilter(filter);
    const summary = summarize(readChanged(matches, old, now, isWanted));
    const [added, removed] = [countOf(matches.added()), countOf(matches.removed())];
    return {
      old: old.facts,
      new: now.facts,
      added,
      removed,
      ...summary,
      // Also users whose records differ in nothing that matters.
      unchanged: old.facts.count - removed - summary.changed,
      async *changes(kind) {
        if (kind !== "removed" && kind !== "changed") yield* readWhole("added", matches.added(), now);
        if (kind !== "added" && kind !== "changed") yield* readWhole("removed", matches.removed(), old);
        if (kind !== "added" && kind !== "removed") yield* readChanged(matches, old, now, isWanted);
      },
      close: () => matches.close(),
    };
  } catch (error) {
    matches.close();
    throw error;
  }
}

type Changed = Extract<Change, { kind: "changed" }>;

function* readWhole(kind: "added" | "removed", places: Iterable<Place>, side: Side): Generator<Change> {
  const reader = new RecordReader(side);
  for (const place of places) yield { kind, id: place.id, user: reader.read(place) };
}

function* readChanged(
  matches: Matches,
  oldSide: Side,
  newSide: Side,
  isWanted: (path: string) => boolean,
): Generator<Changed> {
  const [older, newer] = [new RecordReader(oldSide), new RecordReader(newSide)];
  for (const places of matches.changed()) {
    const [old, now] = [older.read(places.old), newer.read(places.new)];
    const fields = compareUsers(old, now).filter(
      (field) => isWanted(field.path) && !isOwnAvatar(field, oldSide, newSide),
    );
    if (fields.length > 0) yield { kind: "changed", id: now.id, fields, old, new: now };
  }
}

/** The image of users who have none moves with the base URL, which is told once. */
function isOwnAvatar({ path, old, new: now }: FieldChange, oldSide: Side, newSide: Side): boolean {
  const isOwn = (url: unknown, { facts: { baseUrl } }: Side) =>
    baseUrl !== undefined && url === `${baseUrl}/${AVATAR_PATH}`;
  return path === "image_url" && isOwn(old, oldSide) && isOwn(now, newSide);
}

/** Counts changed users, their fields, and who went from one status to another. */
function summarize(changes: Iterable<Changed>): Pick<Diff, "changed" | "fields" | "flow"> {
  const fields = new Map<string, number>();
  const flow = new Map<string, Flow>();
  let changed = 0;
  for (const { fields: differing, old, new: now } of changes) {
    changed++;
    for (const { path } of differing) {
      fields.set(path, (fields.get(path) ?? 0) + 1);
      if (path !== "kyc_status") continue;
      const [from, to] = [old.kyc_status, now.kyc_status];
      const known = flow.get(`${from} ${to}`) ?? { from, to, count: 0 };
      flow.set(`${from} ${to}`, { ...known, count: known.count + 1 });
    }
  }
  const byCount = [...fields].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
  const flows = [...flow.values()].sort(
    (one, other) =>
      other.count - one.count || (`${one.from} ${one.to}` < `${other.from} ${other.to}` ? -1 : 1),
  );
  return { changed, fields: new Map(byCount), flow: flows };
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}
