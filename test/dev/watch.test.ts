/** How `dev` watches files. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Watcher } from "../../src/dev/watch.js";
import { scratch } from "../support/files.js";

test.each(["", "-wal", "-journal"])("notices a change of the database's %s file, and nothing else", async (ending) => {
  const folder = scratch();
  const path = join(folder, "users.sqlite");
  const kept = join(folder, "kept.sqlite");
  const late = join(folder, "late.sqlite");
  for (const file of [path, `${path}${ending}`, kept, late]) writeFileSync(file, "before");
  const watcher = new Watcher();
  onTestFinished(() => watcher.close());
  await watcher.watch([path, kept, late].map((file) => ({ path: file, isDatabase: true })));
  appendFileSync(`${path}${ending}`, "after");
  // Ends the wait even if the first change is not noticed.
  appendFileSync(late, "after");
  expect((await watcher.whenChanged(undefined)).sort()).toEqual([late, path]);
});
