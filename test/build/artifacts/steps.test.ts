/** Which steps the next release keeps. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findReusableSteps, linkSteps } from "../../../src/build/artifacts/steps.js";
import { openRelease } from "../../../src/core/release/open.js";
import { contractOfThings, publishThings, type Thing } from "../../core/compare/things.js";
import { scratch } from "../../support/files.js";

const things = (note: string) =>
  Array.from({ length: 30 }, (_, at): Thing => ({ key: `${at}`, size: 0, note: at === 7 ? note : "", kind: "a" }));

async function released(...notes: string[]) {
  const folder = scratch();
  let last = "";
  for (const note of notes)
    ({ folder: last } = await publishThings(folder, contractOfThings(), things(note), { changes: 9 }));
  return openRelease(last);
}

test("drops old steps whose file name the new step needs", async () => {
  const release = await released("a", "b", "c");
  const state = release.snapshot.state ?? "";
  const room = { steps: 9, bytes: 1e6 };
  const [, older] = findReusableSteps(release, state, room);
  if (!older) throw new Error("There are two steps");
  expect(findReusableSteps(release, state, room, older)).toHaveLength(2);
  expect(findReusableSteps(release, state, room, { ...older, digest: "0".repeat(64) })).toHaveLength(1);
  expect(findReusableSteps(release, "0".repeat(64), room)).toEqual([]);
});

test("copies steps without hard links", async () => {
  const release = await released("a", "b");
  const elsewhere = scratch(tmpdir() === "/dev/shm" ? "/tmp" : "/dev/shm");
  expect(statSync(elsewhere).dev).not.toBe(statSync(release.folder).dev);
  const [carried] = findReusableSteps(release, release.snapshot.state ?? "", { steps: 1, bytes: 1e6 });
  const file = carried?.step.file ?? "";
  linkSteps([file], release.folder, elsewhere);
  expect(readFileSync(join(elsewhere, file)).equals(readFileSync(join(release.folder, file)))).toBe(true);
});
