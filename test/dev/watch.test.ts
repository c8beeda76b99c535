/** How `dev` watches files. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStats, whenChanged } from "../../src/dev/watch.js";
import { scratch } from "../support/files.js";

test.each(["", "-wal", "-journal"])("notices a change of the database's %s file, and nothing else", async (ending) => {
  const [path, other] = ["users.sqlite", "other.sqlite"].map((name) => join(scratch(), name)) as [string, string];
  for (const file of [path, `${path}${ending}`, other]) writeFileSync(file, "before");
  const before = await readStats([path, other].map((file) => ({ path: file, isDatabase: true })));
  appendFileSync(`${path}${ending}`, "after");
  expect(await whenChanged(before, undefined)).toEqual([path]);
});
