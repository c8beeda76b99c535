/** The diff of two snapshots equals the edits, for every pair of kinds of sides. */
import { expect, test } from "vitest";
import type { Change } from "../../../src/core/compare/change.js";
import { compareSides } from "../../../src/core/compare/compare.js";
import type { User } from "../../../src/core/contract/users.js";
import { type Edits, everyEdit, inOrder, people, valueAt } from "../../core/compare/edits.js";
import { KINDS, type Kind, publishBoth } from "./kinds.js";
import { openBoth } from "./opened.js";

async function changesBetween({ names, effects }: Awaited<ReturnType<typeof publishBoth>>, from: Kind, to: Kind) {
  const result = await compareSides(...(await openBoth(names.old[from], names.new[to], effects)));
  const changes: Change[] = [];
  for await (const change of result.changes()) changes.push(change);
  result.close();
  return { result, changes };
}

/** The expected diff of the edits, in its order. */
function expectedChanges({ old, new: now, added, removed, changed }: Edits): Change[] {
  const before = new Map(old.map((user) => [user.id, user]));
  return [
    ...inOrder(now)
      .filter(({ id }) => added.has(id))
      .map((user): Change => ({ kind: "added", id: user.id, record: user })),
    ...inOrder(old)
      .filter(({ id }) => removed.has(id))
      .map((user): Change => ({ kind: "removed", id: user.id, record: user })),
    ...inOrder(now).flatMap((user): Change[] => {
      const [paths, was] = [changed.get(user.id), before.get(user.id)];
      if (!paths || !was) return [];
      const fields = [...paths].sort().map((path) => ({ path, old: valueAt(was, path), new: valueAt(user, path) }));
      return [{ kind: "changed", id: user.id, fields, old: was, new: user }];
    }),
  ];
}

test("every kind of edit at once, by every pair of names", { timeout: 120_000 }, async () => {
  const edits = everyEdit();
  const { added, removed, changed } = edits;
  expect(changed.size).toBeGreaterThan(40);
  const published = await publishBoth(edits);
  const wanted = expectedChanges(edits);
  for (const [from, to] of KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const))) {
    // A source without a contract takes that of the other side.
    if (from === "source" && to === "source") continue;
    const { result, changes } = await changesBetween(published, from, to);
    expect(changes, `${from} to ${to}`).toEqual(wanted);
    expect(result, `${from} to ${to}`).toMatchObject({
      added: added.size,
      removed: removed.size,
      changed: changed.size,
      unchanged: edits.old.length - removed.size - changed.size,
    });
  }
});

const nobody = { added: new Set<string>(), removed: new Set<string>(), changed: new Map<string, string[]>() };
const ids = (users: readonly User[]) => new Set(users.map(({ id }) => id));

test.each<[string, Edits]>([
  ["empty to full", { ...nobody, old: [], new: people(35), added: ids(people(35)) }],
  ["full to empty", { ...nobody, old: people(35), new: [], removed: ids(people(35)) }],
  ["nothing", { ...nobody, old: people(20), new: people(20) }],
  ["empty to empty", { ...nobody, old: [], new: [] }],
])("%s, by every kind of name", async (_, edits) => {
  const published = await publishBoth(edits);
  for (const kind of KINDS.filter((kind) => kind !== "source")) {
    const { changes } = await changesBetween(published, kind, kind);
    expect(changes, kind).toEqual(expectedChanges(edits));
  }
});
