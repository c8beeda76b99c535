/** Real releases to publish, in a separate `dist`. */
import { join } from "node:path";
import { type BuildOptions, type BuildResult, build } from "../../src/index.js";
import { plainRows, type Row, writeUsers } from "../support/database.js";
import { readTree } from "../support/files.js";

let clock = Date.UTC(2026, 10, 21, 3, 40);

/** Builds a release of these rows, or of a number of plain ones, a minute after the last one. */
export async function buildUsers(
  folder: string,
  users: number | readonly Row[],
  options: Partial<BuildOptions> = {},
): Promise<BuildResult> {
  clock += 60_000;
  const now = new Date(clock);
  const rows = typeof users === "number" ? plainRows(users) : users;
  const db = writeUsers(join(folder, `users-${clock}.sqlite`), rows);
  const defaults = { dist: join(folder, "dist"), baseUrl: "https://directory.example.com", pageSize: 10 };
  return build({ db, ...defaults, ...options }, { now: () => now });
}

/** The files of a folder, without Rollcall's list. */
export function published(folder: string): Map<string, string> {
  const files = readTree(folder);
  files.delete(".rollcall-published.json");
  return files;
}
