/** The diff of two snapshots equals the edits, for every pair of kinds of sides. */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { User } from "../../src/contract/users.js";
import type { Change } from "../../src/diff/change.js";
import { diff } from "../../src/diff/diff.js";
import { build, createServer } from "../../src/index.js";
import { openSide } from "../../src/sides/compare.js";
import { type Edits, everyEdit, inOrder, people, valueAt } from "../diff/edits.js";
import { writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { toRow } from "../support/users.js";

const KINDS = ["release", "folder", "pages", "git", "host", "source"] as const;
type Kind = (typeof KINDS)[number];
const baseUrl = "https://directory.example.com/people";

/** Both snapshots of a set of edits, as every kind of side. */
async function publish(edits: Edits) {
  const cwd = scratch();
  const dist = join(cwd, "dist");
  const git = (...args: string[]) => execFileSync("git", ["-C", cwd, ...args], { stdio: "pipe" });
  git("init", "--quiet");
  // The copy of a release has the bytes of the repository.
  writeFileSync(join(cwd, ".gitattributes"), "*.json text eol=crlf\n");
  const snapshot = async (side: "old" | "new", users: readonly User[]) => {
    const db = writeUsers(join(cwd, `${side}.sqlite`), users.map(toRow));
    const { id, folder } = await build({ db, baseUrl, dist: dist, pageSize: 10 });
    cpSync(folder, join(cwd, `unpacked-${side}`), { recursive: true });
    cpSync(join(folder, "api"), join(cwd, `pages-${side}/api`), { recursive: true });
    git("add", "--force", "dist");
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", side);
    git("tag", side);
    const host = await createServer({ folder: join(cwd, `unpacked-${side}`) });
    onTestFinished(() => host.close());
    const { url } = await host.listen({ port: 0 });
    const names: Record<Kind, string> = {
      release: id.slice(0, 8),
      folder: `unpacked-${side}`,
      pages: `./pages-${side}`,
      git: `git:${side}:dist/current`,
      host: url,
      source: `${side}.sqlite`,
    };
    return names;
  };
  const names = { old: await snapshot("old", edits.old), new: await snapshot("new", edits.new) };
  return { names, effects: { cwd, dist, scratch: scratch(), source: { pageSize: 10, baseUrl } } };
}

async function changesBetween({ names, effects }: Awaited<ReturnType<typeof publish>>, from: Kind, to: Kind) {
  const old = await openSide(names.old[from], effects);
  const now = await openSide(names.new[to], effects);
  const result = await diff(old, now);
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
  const published = await publish(edits);
  const wanted = expectedChanges(edits);
  for (const [from, to] of KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const))) {
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
  const published = await publish(edits);
  for (const kind of KINDS) {
    const { changes } = await changesBetween(published, kind, kind);
    expect(changes, kind).toEqual(expectedChanges(edits));
  }
});
