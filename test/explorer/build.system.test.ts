/** `build --explorer` links unchanged files from the last release; without it there are none. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";

const baseUrl = "https://people.example.org/directory";
const OWN = /^(?:index\.html|explorer\/|lookup\/)/;

/** The files of the explorer, by path. */
function ownFiles(folder: string): Map<string, string> {
  return new Map([...readTree(folder)].filter(([path]) => OWN.test(path)));
}

function usersFile(count: number): string {
  const db = join(scratch(), "users.sqlite");
  writeUsers(db, plainRows(count));
  return db;
}

test("links unchanged files from the last release; a build without --explorer has none", async () => {
  const [db, dist] = [usersFile(50), scratch()];
  const first = await build({ db, baseUrl, dist, explorer: true });
  const again = await build({ db, baseUrl, dist, explorer: true });
  expect([again.isNew, again.explorer]).toEqual([false, `${baseUrl}/`]);
  const bulk = await build({ db, baseUrl, dist, explorer: true, bulk: true });
  const inode = (folder: string, path: string) => statSync(join(folder, path)).ino;
  for (const path of ["explorer/app.js", "explorer/summary.json"])
    expect(inode(bulk.folder, path)).toBe(inode(first.folder, path));
  expect(readFileSync(join(bulk.folder, "index.html"), "utf8")).toContain('href="./bulk.json"');
  const without = await build({ db, baseUrl, dist });
  expect(without.explorer).toBeUndefined();
  expect([...ownFiles(without.folder).keys()]).toEqual([]);
  expect(without).toMatchObject({ isNew: true, id: first.id });
});
