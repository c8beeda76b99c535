/** Gives releases the times and the name that a build gives them. */
import { lstatSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { RELEASE_NAME } from "../../src/release/layout.js";

/** Dates the files of a release, by its number in order; variants a second apart. */
export function date(folder: string, number: number): void {
  writeFileSync(join(folder, RELEASE_NAME), `${basename(folder)}\n`);
  const time = 1_700_000_000 + 3 * number;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const seconds = time - (name.endsWith(".br") ? 2 : name.endsWith(".json.gz") ? 1 : 0);
    if (lstatSync(path).isFile()) utimesSync(path, seconds, seconds);
  }
}
