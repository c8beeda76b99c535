/** Users before and after edits, and the expected diff. */
import fc from "fast-check";
import { fieldPaths } from "../../../src/core/contract/field-limits.js";
import { USERS_CONTRACT, type User } from "../../../src/core/contract/users.js";
import { anyUser } from "../../support/users.js";

export interface Edits {
  old: User[];
  new: User[];
  added: Set<string>;
  removed: Set<string>;
  /** Id -> paths that were changed. */
  changed: Map<string, string[]>;
}

const TIE = "2020-02-02T02:02:02.000000Z";

/** Users with difficult text and all fields, some dozens of whom joined at the same time; always the same ones. */
export function people(count: number, seed = 7): User[] {
  const found = new Map<string, User>();
  for (const user of fc.sample(anyUser, { numRuns: 2 * count, seed })) found.set(user.id, user);
  return [...found.values()].slice(0, count).map((user, at) => (at % 4 === 0 ? { ...user, date_joined: TIE } : user));
}

/** Every kind of edit at once: each field, several fields, moves over page edges, ties, the first and the last. */
export function everyEdit(): Edits {
  const all = people(150);
  const [old, fresh] = [all.slice(0, 140), all.slice(140)];
  const removed = new Set(
    inOrder(old)
      .filter((_, at) => [0, 9, 10, 11, 70, 139].includes(at))
      .map(({ id }) => id),
  );
  const changed = new Map<string, string[]>();
  const paths = fieldPaths(USERS_CONTRACT).filter((path) => path !== "id");
  const kept = old.filter(({ id }) => !removed.has(id));
  const after = kept.map((user, at) => {
    const donor = kept[(at + 57) % kept.length] ?? user;
    // One user per field; then two fields each; the others are unchanged.
    const wanted = at < paths.length ? [paths[at] ?? ""] : at < 2 * paths.length ? ["bio", "date_joined"] : [];
    const edited = wanted.filter(
      (path) => JSON.stringify(valueAt(user, path)) !== JSON.stringify(valueAt(donor, path)),
    );
    if (edited.length > 0) changed.set(user.id, edited);
    return edited.reduce((copy, path) => withValue(copy, path, valueAt(donor, path)), user);
  });
  return { old, new: [...after, ...fresh], added: new Set(fresh.map(({ id }) => id)), removed, changed };
}

/** The order of the contract: newest first, ties by id. */
export function inOrder(users: readonly User[]): User[] {
  return [...users].sort((one, other) => compare(other.date_joined, one.date_joined) || compare(one.id, other.id));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type Fields = Record<string, unknown>;

export function valueAt(user: User, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Fields)[key], user);
}

function withValue(user: User, path: string, value: unknown): User {
  const copy = structuredClone(user);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  (keys.reduce<unknown>((inner, key) => (inner as Fields)[key], copy) as Fields)[last] = value;
  return copy;
}
