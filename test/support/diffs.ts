/** Diffs made by hand, with their totals. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Change, Diff, FieldChange, Flow, RecordId, SideFacts } from "../../src/core/compare/change.js";
import { findContractChanges } from "../../src/core/contract/changes.js";
import type { AnyRecord, Contract } from "../../src/core/contract/contract.js";
import { pagesFor } from "../../src/core/contract/links.js";
import { valueAt } from "../../src/core/contract/record/value.js";
import { USERS_CONTRACT, type User } from "../../src/core/contract/users.js";
import { userId } from "./database.js";
import { anyUser } from "./users.js";

interface Circumstances {
  unchanged?: number;
  /** Of both sides, the directory's unless given. */
  contract?: Contract;
  old?: Partial<SideFacts>;
  new?: Partial<SideFacts>;
}

/** @param changes added records first, then removed, then changed ones. */
export function diffOf(changes: readonly Change[], circumstances: Circumstances = {}): Diff {
  const { unchanged = 0, contract = USERS_CONTRACT, ...sides } = circumstances;
  const of = (kind: Change["kind"]) => changes.filter((change) => change.kind === kind).length;
  const [added, removed, changed] = [of("added"), of("removed"), of("changed")];
  const old = side("9c0d2b7e1f6a", unchanged + changed + removed, { contract, ...sides.old });
  const now = side("1f6a9c0d2b7e", unchanged + changed + added, { contract, ...sides.new });
  return {
    ...{ old, new: now, contract: findContractChanges(old.contract, now.contract) },
    ...{ added, removed, changed, unchanged },
    fields: fieldsOf(changes),
    flow: flowOf(changes, now.contract),
    async *changes(kind) {
      yield* changes.filter((change) => kind === undefined || change.kind === kind);
    },
  };
}

/** A diff of very many changes, generated as they are read; calls `onRead` for each. */
export function longDiff(count: number, change: (number: number) => Change, onRead?: () => void): Diff {
  const one = change(0);
  const all = (counts: ReadonlyMap<string, number>) => new Map([...counts].map(([path]) => [path, count]));
  return {
    ...diffOf([one], { unchanged: 0 }),
    old: side("9c0d2b7e1f6a", one.kind === "added" ? 0 : count),
    new: side("1f6a9c0d2b7e", one.kind === "removed" ? 0 : count),
    [one.kind]: count,
    fields: all(fieldsOf([one])),
    flow: flowOf([one], USERS_CONTRACT).map((flow) => ({ ...flow, count })),
    async *changes(kind) {
      if (kind !== undefined && kind !== one.kind) return;
      for (let number = 0; number < count; number++) {
        onRead?.();
        yield change(number);
      }
    },
  };
}

function side(id: string, count: number, given: Partial<SideFacts> = {}): SideFacts {
  const pageSize = given.pageSize ?? 100;
  const baseUrl = "https://directory.example.com";
  const pages = pagesFor(count, pageSize);
  return {
    name: `release 20261121T034000Z-${id}`,
    id,
    count,
    pages,
    pageSize,
    baseUrl,
    links: "query",
    contract: USERS_CONTRACT,
    ...given,
  };
}

/** Makes changes of a contract's records. */
export function changesIn({ key, fields }: Contract) {
  const idOf = (record: AnyRecord) => valueAt(record, key) as RecordId;
  return {
    added: (record: AnyRecord): Change => ({ kind: "added", id: idOf(record), record }),
    removed: (record: AnyRecord): Change => ({ kind: "removed", id: idOf(record), record }),
    /** `old` becomes `now`, which has the same key. */
    changed: (old: AnyRecord, now: AnyRecord): Change => {
      return { kind: "changed", id: idOf(old), fields: differences(fields, old, now), old, new: now };
    },
  };
}

export const { added, removed, changed } = changesIn(USERS_CONTRACT);

/** Any diff of users with difficult text. */
export const anyDiff: fc.Arbitrary<Diff> = fc
  .record({
    added: fc.array(anyUser.map(added), { maxLength: 3 }),
    removed: fc.array(anyUser.map(removed), { maxLength: 3 }),
    changed: fc.array(
      fc.tuple(anyUser, anyUser).map(([old, now]) => changed(old, { ...now, id: old.id })),
      { maxLength: 3 },
    ),
    unchanged: fc.nat(),
    name: fc.string({ unit: "binary", maxLength: 30 }),
  })
  .map(({ name, unchanged, ...kinds }) =>
    diffOf([...kinds.added, ...kinds.removed, ...kinds.changed], { unchanged, old: { name } }),
  );

/** A realistic valid user; `number` gives the id. */
export function person(number: number, given: Partial<User> = {}): User {
  return {
    bio: "Likes tea.",
    circles: [],
    country: "DE",
    current_location: "XX",
    date_joined: "2026-11-20T12:00:00.000000Z",
    default_wallet: null,
    display_name: "Anna Berg",
    first_name: "Anna",
    id: userId(number),
    image_url: "https://img.example.com/default.png",
    kyc_status: "PENDING",
    languages: ["DE", "EN"],
    last_name: "Berg",
    off_chain: {
      created_at: "2026-11-20T12:00:00.000000Z",
      last_withdrawn_at: null,
      liveness_config: {
        min_blinks: 1,
        require_head_movement: false,
        required_samples: 2,
        warmup_duration: 2,
      },
      liveness_tier: "normal",
      mining_events: 4,
      next_mining_at: "1970-01-01T00:00:00",
      pending_events: 3,
      tokens: 6,
      withdrawn_events: 1,
    },
    referrals_count: 0,
    username: `user${number}`,
    wac_status: 0,
    ...given,
  };
}

/** Field by field of the contract, in published order. */
function differences(fields: Contract["fields"], old: AnyRecord, now: AnyRecord): FieldChange[] {
  return fields
    .map((field) => ({ path: field.path, old: valueAt(old, field), new: valueAt(now, field) }))
    .filter((change) => !isDeepStrictEqual(change.old, change.new));
}

function fieldsOf(changes: readonly Change[]): Map<string, number> {
  const paths = changes.flatMap((change) => (change.kind === "changed" ? change.fields.map(({ path }) => path) : []));
  return tally(paths);
}

function flowOf(changes: readonly Change[], { fields }: Contract): Flow[] {
  return fields
    .filter(({ schema }) => schema["x-facet"])
    .flatMap((field) => {
      const moves = changes.flatMap((change) => {
        if (change.kind !== "changed") return [];
        const [from, to] = [valueAt(change.old, field), valueAt(change.new, field)];
        return isDeepStrictEqual(from, to) ? [] : [JSON.stringify([from, to])];
      });
      return [...tally(moves)].map(([move, count]) => {
        const [from, to] = JSON.parse(move);
        return { field: field.path, from, to, count };
      });
    });
}

/** Most first, then by name. */
function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)));
}
