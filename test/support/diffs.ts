/** Diffs made by hand, with the totals that their changes come to. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { pagesFor } from "../../src/contract/links.js";
import type { User } from "../../src/contract/user.js";
import type { Change, Diff, FieldChange, Flow, SideFacts } from "../../src/diff/change.js";
import { userId } from "./database.js";
import { anyUser } from "./users.js";

interface Circumstances {
  unchanged?: number;
  old?: Partial<SideFacts>;
  new?: Partial<SideFacts>;
}

/** @param changes added users first, then removed, then changed ones. */
export function diffOf(changes: readonly Change[], { unchanged = 0, ...sides }: Circumstances = {}): Diff {
  const of = (kind: Change["kind"]) => changes.filter((change) => change.kind === kind).length;
  const [added, removed, changed] = [of("added"), of("removed"), of("changed")];
  return {
    old: side("9c0d2b7e1f6a", unchanged + changed + removed, sides.old),
    new: side("1f6a9c0d2b7e", unchanged + changed + added, sides.new),
    ...{ added, removed, changed, unchanged },
    fields: fieldsOf(changes),
    flow: flowOf(changes),
    async *changes(kind) {
      yield* changes.filter((change) => kind === undefined || change.kind === kind);
    },
  };
}

/** A diff of very many changes, made one by one as they are read; `onRead` is told of each. */
export function longDiff(count: number, change: (number: number) => Change, onRead?: () => void): Diff {
  const one = change(0);
  const all = (counts: ReadonlyMap<string, number>) => new Map([...counts].map(([path]) => [path, count]));
  return {
    ...diffOf([one], { unchanged: 0 }),
    old: side("9c0d2b7e1f6a", one.kind === "added" ? 0 : count),
    new: side("1f6a9c0d2b7e", one.kind === "removed" ? 0 : count),
    [one.kind]: count,
    fields: all(fieldsOf([one])),
    flow: flowOf([one]).map((flow) => ({ ...flow, count })),
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
    ...given,
  };
}

export function added(user: User): Change {
  return { kind: "added", id: user.id, user };
}

export function removed(user: User): Change {
  return { kind: "removed", id: user.id, user };
}

/** `old` becomes `now`, who has the same id. */
export function changed(old: User, now: User): Change {
  return { kind: "changed", id: old.id, fields: differences(old, now), old, new: now };
}

/** Any diff of users with text as hard as it comes. */
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

/** A valid user as people have them; `number` makes the id. */
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

function differences(old: object, now: object, prefix = ""): FieldChange[] {
  const after = new Map<string, unknown>(Object.entries(now));
  return Object.entries(old).flatMap(([name, before]): FieldChange[] => {
    const [path, value] = [prefix + name, after.get(name)];
    if (isDeepStrictEqual(before, value)) return [];
    return isBranch(before) && isBranch(value)
      ? differences(before, value, `${path}.`)
      : [{ path, old: before, new: value }];
  });
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(changes: readonly Change[]): Map<string, number> {
  const paths = changes.flatMap((change) => (change.kind === "changed" ? change.fields.map(({ path }) => path) : []));
  return tally(paths);
}

function flowOf(changes: readonly Change[]): Flow[] {
  const moves = changes.flatMap((change) =>
    change.kind === "changed" && change.old.kyc_status !== change.new.kyc_status
      ? [{ from: change.old.kyc_status, to: change.new.kyc_status }]
      : [],
  );
  const counts = tally(moves.map(({ from, to }) => `${from} ${to}`));
  return moves
    .filter(({ from, to }, at) => moves.findIndex((move) => move.from === from && move.to === to) === at)
    .map(({ from, to }) => ({ from, to, count: counts.get(`${from} ${to}`) ?? 0 }))
    .sort((one, other) => other.count - one.count);
}

/** Most first, then by name. */
function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)));
}
