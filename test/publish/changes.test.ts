/** Steps, published: a reader who follows changes.json finds every step that it names, whole, until it is replaced. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Changes, parseChanges } from "../../src/artifacts/steps.js";
import { type BuildResult, type PublishOptions, publish, verify } from "../../src/index.js";
import { sha256 } from "../../src/release/plain-files.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { buildUsers, published } from "./releases.js";

let folder: string;
let site: string;

beforeEach(() => {
  folder = scratch();
  site = join(folder, "site");
});

const publishSite = (options: Partial<PublishOptions> = {}, effects = {}) =>
  publish({ dist: join(folder, "dist"), target: site, ...options }, effects);

/** Releases of which each has one user more, and the steps from so many before it. */
async function releases(count: number, changes: number): Promise<BuildResult[]> {
  const built: BuildResult[] = [];
  for (let at = 0; at < count; at++)
    built.push(await buildUsers(folder, plainRows(200).slice(count - at), { changes, pageSize: 50 }));
  return built;
}

const read = (path: string) => (existsSync(join(site, path)) ? readFileSync(join(site, path)) : undefined);

function changesIn(text: Buffer | undefined): Changes {
  const changes = parseChanges(String(text));
  if ("why" in changes) throw new Error(`changes.json ${changes.why}`);
  return changes;
}

test("a copy has the steps of its release, and steps that nobody is led to any more go", async () => {
  const built = await releases(4, 2);
  const [first, second, third, fourth] = built.map(({ id }) => id);
  await publishSite({ release: first });
  await publishSite({ release: second });
  await publishSite({ release: third });
  const [newest] = changesIn(read("changes.json")).steps.map(({ file }) => file);
  expect(await publishSite({ release: fourth })).toMatchObject({ removed: 1 });
  expect(published(site)).toEqual(readTree(built[3]?.folder ?? ""));
  expect(changesIn(read("changes.json")).steps[1]?.file).toBe(newest);
  expect(await verify({ what: site })).toMatchObject({ passed: true });
  expect(await publishSite()).toMatchObject({ added: 0, changed: 0, removed: 0 });
});

test("a run that ends at any moment: changes.json names no step that is not there, and snapshot.json never runs ahead of it", async () => {
  const [, before, after] = await releases(3, 1);
  if (!before || !after) throw new Error("There are no releases");
  const seen = new Set<string>();
  for (let last = 1, isDone = false; !isDone; last++) {
    await publishSite({ release: before.id });
    const onProgress = ({ files }: { files: number }) => {
      if (files >= last) throw new Error("The run ends here");
    };
    isDone = await publishSite({ release: after.id }, { onProgress }).then(
      () => true,
      () => false,
    );
    const { state, steps } = changesIn(read("changes.json"));
    const current = JSON.parse(String(read("snapshot.json"))).state;
    for (const { file, bytes } of steps) expect(read(file)?.length).toBe(bytes);
    const listed = String(read("SHA256SUMS")).includes(`${sha256(read("changes.json") ?? "")}  changes.json\n`);
    seen.add(`${state === current ? "one state" : "changes ahead"}, ${listed ? "listed" : "not listed"}`);
    const states = [before, after].map(
      (release) => JSON.parse(readFileSync(join(release.folder, "snapshot.json"), "utf8")).state,
    );
    // Whoever reads the new snapshot.json has the new changes.json, too.
    if (current === states[1]) expect(state).toBe(states[1]);
  }
  expect(seen).toEqual(new Set(["one state, listed", "changes ahead, not listed", "changes ahead, listed"]));
});
