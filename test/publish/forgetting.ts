/** Releases that `rollcall forget` may remove. */
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { build } from "../../src/index.js";
import { plainRows, usersFile } from "../support/database.js";
import { scratch } from "../support/files.js";

export const BASE = "https://example.com";

/** Two releases with pages of 2 users; the second has `without` users fewer. Both are older than a minute. */
export async function twoReleases(users = 6, without = 1) {
  const cwd = scratch();
  const make = async (count: number) => {
    const db = usersFile(plainRows(count));
    return build({ db, baseUrl: BASE, dist: join(cwd, "dist"), pageSize: 2, keep: 9 });
  };
  const [old, current] = [await make(users), await make(users - without)];
  age(old.folder);
  return { cwd, dist: join(cwd, "dist"), old, current, make };
}

export function age(folder: string): void {
  utimesSync(folder, new Date(0), new Date(0));
}
